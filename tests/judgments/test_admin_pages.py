"""Every page of query sets, lists and scales: who may see it, that it renders, and what it costs."""

import pytest
from django.urls import reverse

from judgments.models import Role
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    """A query set with one of everything, and an account for every role."""
    query_set = make.make_query_set(name="Shop")
    query = make.make_query(query_set, "q1", tags=["brand"])
    document = make.make_document(
        query_set, "d1", body="<b>Bold</b><script>x</script>", fields={"brand": "A"}
    )
    judgment_list = make.make_list(query_set, scale=make.preset("ESCI"), guidelines="# Be *fair*")
    pair = make.make_pair(judgment_list, query, document)
    make.make_consensus(pair, 3)
    return {
        "query_set": query_set,
        "query": query,
        "document": document,
        "list": judgment_list,
        "scale": make.preset("ESCI"),
        "users": {role: make.make_member(query_set, role) for role in Role},
        "stranger": make.make_user(),
        "root": make.make_user(is_superuser=True),
    }


READ = [
    ("query-set", "query_set"),
    ("query-set-queries", "query_set"),
    ("query-set-documents", "query_set"),
    ("query-set-lists", "query_set"),
    ("query-set-members", "query_set"),
    ("query", "query"),
    ("document", "document"),
    ("list", "list"),
    ("scale", "scale"),
]
WRITE = [
    ("query-set-edit", "query_set"),
    ("list-new", "query_set"),
    ("import-queries", "query_set"),
    ("import-documents", "query_set"),
    ("list-edit", "list"),
    ("import-judgments", "list"),
]


@pytest.mark.parametrize(("name", "of"), READ)
def test_engineers_and_admins_read(client, world, name, of):
    for user in (world["users"][Role.ENGINEER], world["users"][Role.ADMIN], world["root"]):
        client.force_login(user)

        assert client.get(reverse(name, args=[world[of].pk])).status_code == 200


@pytest.mark.parametrize(("name", "of"), [*READ, *WRITE])
def test_raters_and_strangers_find_no_such_page(client, world, name, of):
    for user in (world["users"][Role.RATER], world["stranger"]):
        client.force_login(user)

        assert client.get(reverse(name, args=[world[of].pk])).status_code == 404


@pytest.mark.parametrize(("name", "of"), WRITE)
def test_only_admins_reach_pages_that_change_something(client, world, name, of):
    url = reverse(name, args=[world[of].pk])
    client.force_login(world["users"][Role.ENGINEER])
    assert client.get(url).status_code == 404
    assert client.post(url).status_code == 404

    client.force_login(world["users"][Role.ADMIN])
    assert client.get(url).status_code == 200


@pytest.mark.parametrize("name", ["query-sets", "scales", "query-set-new"])
def test_pages_without_a_query_set_are_for_engineers_and_admins(client, world, name):
    for role, status in ((Role.ENGINEER, 200), (Role.ADMIN, 200), (Role.RATER, 404)):
        client.force_login(world["users"][role])
        assert client.get(reverse(name)).status_code == status


def test_new_scales_are_for_admins(client, world):
    client.force_login(world["users"][Role.ENGINEER])
    assert client.get(reverse("scale-new")).status_code == 404

    client.force_login(world["users"][Role.ADMIN])
    assert client.get(reverse("scale-new")).status_code == 200


def test_another_query_sets_pages_are_not_found(client, world):
    client.force_login(make.make_member(make.make_query_set(), Role.ADMIN))

    for name, of in READ[:-1]:
        assert client.get(reverse(name, args=[world[of].pk])).status_code == 404


def test_documents_are_cleaned(client, world):
    client.force_login(world["users"][Role.ENGINEER])

    page = client.get(reverse("document", args=[world["document"].pk])).content.decode()

    assert "<b>Bold</b>" in page
    assert "<script>x" not in page


def test_a_document_known_by_its_id_only_says_so(client, world):
    bare = make.make_document(world["query_set"], "d2", title="")
    client.force_login(world["users"][Role.ENGINEER])

    assert b"but nobody has imported it" in client.get(reverse("document", args=[bare.pk])).content


def test_a_query_shows_its_pairs_with_grades_of_the_chosen_list(client, world):
    other = make.make_list(world["query_set"], name="Second")
    make.make_pair(other, world["query"], world["document"])
    client.force_login(world["users"][Role.ENGINEER])
    url = reverse("query", args=[world["query"].pk])

    first = client.get(url, {"list": world["list"].pk}).content.decode()
    second = client.get(url, {"list": other.pk}).content.decode()

    assert "<b>3</b> Exact" in first
    assert "no grade" in second


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("query-set-queries", "TEXT of", 1),
        ("query-set-queries", "q1", 1),
        ("query-set-queries", "zzz", 0),
        ("query-set-documents", "title", 1),
        ("query-set-documents", "d1", 1),
        ("query-set-documents", "zzz", 0),
    ],
)
def test_queries_and_documents_are_found(client, world, name, text, found):
    client.force_login(world["users"][Role.ENGINEER])

    response = client.get(reverse(name, args=[world["query_set"].pk]), {"q": text})

    assert response.context["results"].count == found
    assert (b"No matching" in response.content) == (not found)


@pytest.mark.parametrize("role", [Role.ENGINEER, Role.ADMIN])
def test_an_empty_query_set_says_what_to_do_next(client, role):
    query_set = make.make_query_set()
    client.force_login(make.make_member(query_set, role))

    for name in ("query-set", "query-set-queries", "query-set-documents", "query-set-lists"):
        page = client.get(reverse(name, args=[query_set.pk])).content.decode()
        assert 'class="empty"' in page
        assert ("btn-primary" in page) == (role == Role.ADMIN)


def grow(world, number):
    query_set, judgment_list = world["query_set"], world["list"]
    for _ in range(number):
        query, document = make.make_query(query_set), make.make_document(query_set)
        make.make_consensus(make.make_pair(judgment_list, query, document), 2)
        make.make_consensus(make.make_pair(judgment_list, world["query"], document), 1)
        make.make_member(query_set, Role.RATER)
        make.make_list(query_set)
        make.make_query_set().memberships.create(user=world["users"][Role.ADMIN], role=Role.ADMIN)


@pytest.mark.parametrize(("name", "of"), [*READ, *WRITE, ("query-sets", None), ("scales", None)])
def test_pages_cost_the_same_for_2_and_for_30_rows(client, world, name, of, django_assert_max_num_queries):
    client.force_login(world["users"][Role.ADMIN])
    url = reverse(name, args=[world[of].pk] if of else [])
    grow(world, 2)
    with django_assert_max_num_queries(15) as few:
        client.get(url)
    grow(world, 28)

    with django_assert_max_num_queries(15) as many:
        client.get(url)

    assert len(many) == len(few)
