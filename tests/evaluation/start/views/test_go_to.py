"""Going anywhere by a few letters: what is found, by whom, and in which form."""

import pytest
from django.urls import reverse

from evaluation.start.reports.go_to import MOST, places
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


def test_a_run_leads_to_its_page_under_the_newest_list(client, shop, engineer):
    run = shop.runs.get()
    newest = make.make_list(shop, name="New")
    (place,) = places(engineer, "bm25")["Runs"]
    assert place.url == reverse("run", args=[newest.pk, run.pk])

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
