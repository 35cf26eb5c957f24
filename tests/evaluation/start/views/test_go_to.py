"""Going anywhere by a few letters: what is found, by whom, and in which form."""

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluation.start.reports import go_to
from evaluation.start.reports.go_to import MOST, places, read_here
from judgments.models import Role
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop():
    query_set = make.make_query_set(name="Camping shop")
    make.make_query(query_set, "q7", text="winter tent for two")
    make.make_list(query_set, name="Tents only")
    make.make_run(query_set, name="bm25 tents")
    return query_set


@pytest.fixture
def engineer(shop):
    return make.make_member(shop, Role.ENGINEER)


def found(user, text):
    return {kind: [place.name for place in some] for kind, some in places(user, text).items()}


def test_names_and_words_are_found(engineer):
    assert found(engineer, "tent") == {
        "Lists": ["Tents only"],
        "Runs": ["bm25 tents"],
        "Queries": ["winter tent for two"],
    }
    assert found(engineer, "camping") == {"Query sets": ["Camping shop"]}
    assert found(engineer, "q7") == {"Queries": ["winter tent for two"]}


def test_pages_and_actions_are_those_of_the_list_one_is_in(shop, engineer):
    admin = make.make_member(shop, Role.ADMIN)
    of_list, of_set = (
        {"list_key": str(shop.judgment_lists.get().pk)},
        {"query_set_key": str(shop.pk)},
    )

    def actions(user, text, **where):
        here = read_here(user, **where)
        return [(place.name, place.of) for place in places(user, text, here).get("Pages and actions", [])]

    assert actions(engineer, "comp", **of_list) == [
        ("Compare", "Tents only"),
        ("Comparisons", "Camping shop"),
    ]
    assert actions(engineer, "upload", **of_set) == [("Upload a run", "Camping shop")]
    assert actions(engineer, "new eval") == [("New evaluation", "")]
    assert actions(engineer, "plan", **of_list) == []
    assert actions(admin, "plan", **of_list) == [("Plan", "Tents only")]
    assert actions(admin, "settings", **of_list) == [
        ("Settings", "Tents only"),
        ("Settings of the query set", "Camping shop"),
    ]


def test_whoever_is_offered_a_page_may_open_it(client, shop, engineer, monkeypatch):
    monkeypatch.setattr(go_to, "MOST", 100)
    list_key = str(shop.judgment_lists.get().pk)
    for user in (engineer, make.make_member(shop, Role.ADMIN), make.make_user(is_superuser=True)):
        client.force_login(user)
        offered = {
            place.url
            for letter in "aeiou"
            for place in places(user, letter, read_here(user, list_key=list_key))["Pages and actions"]
        }
        assert len(offered) > 25
        refused = {url: client.get(url).status_code for url in offered}
        assert {url: status for url, status in refused.items() if status >= 400} == {}


def test_an_archived_query_set_offers_nothing_that_changes_it(shop, engineer):
    shop.archived_at = timezone.now()
    shop.save()

    here = read_here(engineer, query_set_key=str(shop.pk))

    assert "Pages and actions" not in places(engineer, "upload", here)


def test_nobody_is_where_they_cannot_be(shop):
    for user in (make.make_user(), make.make_member(shop, Role.RATER)):
        for where in ({"list_key": str(shop.judgment_lists.get().pk)}, {"query_set_key": str(shop.pk)}):
            assert read_here(user, **where) is None
        assert places(user, "new evaluation") == {}


def test_a_name_that_begins_so_comes_first(shop, engineer):
    for name in ("A tent", "Tent", "Big tents"):
        make.make_list(shop, name=name)

    assert found(engineer, "tent")["Lists"] == ["Tent", "Tents only", "A tent", "Big tents"]


def test_strangers_and_raters_find_nothing(shop):
    for user in (make.make_user(), make.make_member(shop, Role.RATER)):
        assert found(user, "tent") == {}
        assert found(user, "") == {}


def test_an_odd_text_finds_nothing_and_breaks_nothing(engineer):
    for text in ("'", "%", "\\", "a\x00b", "-", '"', "_" * 500):
        assert found(engineer, text).keys() <= {"Queries"}


def test_some_of_each_kind_are_enough(shop, engineer):
    for number in range(MOST + 3):
        make.make_list(shop, name=f"List {number}")
        make.make_query(shop, text=f"list {number}")

    assert {kind: len(some) for kind, some in found(engineer, "list").items()} == {
        "Lists": MOST,
        "Queries": MOST,
    }


def test_a_run_leads_to_its_page_under_the_newest_list_or_the_one_where_the_reader_is(client, shop, engineer):
    run = shop.runs.get()
    newest = make.make_list(shop, name="New")
    (place,) = places(engineer, "bm25")["Runs"]
    assert place.url == reverse("run", args=[newest.pk, run.pk])

    first = shop.judgment_lists.exclude(pk=newest.pk).earliest("pk")
    here = read_here(engineer, list_key=str(first.pk))
    (place,) = places(engineer, "bm25", here)["Runs"]
    assert place.url == reverse("run", args=[first.pk, run.pk])

    shop.judgment_lists.all().delete()
    (place,) = places(engineer, "bm25")["Runs"]
    assert place.url == reverse("query-set-runs", args=[shop.pk])


def test_the_dialog_gets_the_places_only(client, engineer):
    client.force_login(engineer)
    address = reverse("go-to")

    page = client.get(address, {"q": "tent"}).content.decode()
    part = client.get(address, {"q": "tent"}, headers={"HX-Request": "true"}).content.decode()

    assert "Tents only" in page
    assert "Tents only" in part
    assert "<html" in page
    assert "<html" not in part


def test_the_link_is_for_those_who_see_query_sets(client, shop, engineer):
    for user, count in ((engineer, 1), (make.make_member(shop, Role.RATER), 0)):
        client.force_login(user)
        assert client.get(reverse("account")).content.decode().count("data-go-to") == count
