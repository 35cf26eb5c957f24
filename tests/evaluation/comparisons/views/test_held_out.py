"""Queries that are kept aside to confirm a finding."""

import pytest
from django.urls import reverse

from evaluation.models import Comparing, ComparisonLook
from judgments.content.actions.query_sets import archive_query_set
from judgments.models import Act, Role
from tests import factories as make
from tests.evaluation.differing_runs import queries_address
from tests.evaluation.scored import text_of
from tests.evaluation.two_runs import comparison_address, make_two_runs
from tests.html import html_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list():
    """Four of twenty queries have the tag."""
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="First pass")
    make_two_runs(judgment_list)
    for query in judgment_list.query_set.queries.order_by("pk")[:4]:
        query.tags = ["confirm"]
        query.save(update_fields=["tags"])
    make.make_comparing(judgment_list.query_set, held_out="confirm")
    return judgment_list


@pytest.fixture
def engineer(client, judgment_list):
    user = make.make_member(judgment_list.query_set, Role.ENGINEER, username="ada")
    client.force_login(user)
    return user


@pytest.fixture
def address(judgment_list):
    """Of a page of the comparison."""
    runs = list(judgment_list.query_set.runs.order_by("pk"))
    return lambda page="comparison", **others: comparison_address(judgment_list, *runs, page=page, **others)


def test_nobody_sees_them_before_they_are_opened(client, engineer, address):
    page = text_of(client.get(address(confirm=1)))

    assert "The held-out queries are closed" in page
    assert "Verdict" not in page
    assert not ComparisonLook.objects.exists()


def test_the_page_leads_to_them_and_counts_them(client, engineer, address):
    page = text_of(client.get(address()))

    assert "on average over 16 queries" in page
    assert "Open the held-out queries" in page


def test_opening_is_logged_and_shows_them_to_everybody(client, engineer, address, judgment_list):
    opened = client.post(address("comparison-open", confirm=1), follow=True)
    client.force_login(make.make_member(judgment_list.query_set, Role.ADMIN))
    seen = client.get(address(confirm=1))

    act = Act.objects.get(verb="opened")
    assert act.after == {"runs": ["old", "new"], "measure": "nDCG@10", "tag": "confirm"}
    assert "4 of 4 queries changed in value" in text_of(opened)
    assert "These are the 4 held-out queries" in text_of(seen)


def test_opening_twice_is_one_line_in_the_log(client, engineer, address):
    client.post(address("comparison-open", confirm=1))
    client.post(address("comparison-open", confirm=1))

    assert Act.objects.filter(verb="opened").count() == 1


def test_another_measure_is_closed_still(client, engineer, address):
    client.post(address("comparison-open", confirm=1))

    assert "The held-out queries are closed" in text_of(client.get(address(confirm=1, on="max")))


def test_nothing_is_opened_by_an_address_that_asks_for_the_other_queries(client, engineer, address):
    client.post(address("comparison-open"))
    client.post(reverse("comparison-open", args=[999]))

    assert not Act.objects.exists()


def test_an_address_without_runs_opens_nothing(client, engineer, judgment_list):
    response = client.post(reverse("comparison-open", args=[judgment_list.pk], query={"confirm": 1}))

    assert response.status_code == 302
    assert not Act.objects.exists()


def test_a_held_out_query_is_told_by_itself_among_the_opened_only(client, engineer, judgment_list):
    runs = list(judgment_list.query_set.runs.order_by("pk"))
    held_out = judgment_list.query_set.queries.filter(tags=["confirm"]).earliest("pk")
    other = judgment_list.query_set.queries.filter(tags=[]).earliest("pk")
    closed, open_page = (queries_address(judgment_list, runs, query.pk) for query in (held_out, other))

    before = text_of(client.get(closed))
    client.post(comparison_address(judgment_list, *runs, page="comparison-open", confirm=1))
    unasked, shown = text_of(client.get(closed)), text_of(client.get(f"{closed}&confirm=1"))

    for page in (before, unasked):
        assert "This query is held out" in page
        assert "Values of the query" not in page
        assert "Both rankings" not in page
    for page in (shown, text_of(client.get(open_page))):
        assert "This query is held out" not in page
        assert "+0.3691" in page  # 1 − 1/log₂ 3


def test_openings_are_listed_with_who_and_which_runs(client, engineer, address):
    before = text_of(client.get(address("comparison-settings")))
    client.post(address("comparison-open", confirm=1))
    after = html_of(client.get(address("comparison-settings")))

    assert "Nobody so far." in before
    assert "<td>ada</td><td>old, new</td><td>nDCG@10</td><td>confirm</td>" in after


def test_settings_are_changed_and_logged(client, engineer, address, judgment_list):
    judgment_list.query_set.queries.filter(tags=[]).update(tags=["aside"])

    response = client.post(address("comparison-settings"), {"held_out": "aside", "drawn": "traffic"})

    settings = Comparing.objects.get()
    assert (settings.held_out, settings.drawn) == ("aside", "traffic")
    assert response.url == address()
    act = Act.objects.get()
    assert (act.before["held_out"], act.after["held_out"]) == ("confirm", "aside")
    assert act.after["drawn"] == "By traffic: frequent queries more often"


def test_settings_are_made_where_there_were_none(client, engineer, address):
    Comparing.objects.all().delete()

    client.post(address("comparison-settings"), {"held_out": "", "drawn": "uniform"})

    assert Comparing.objects.get().drawn == "uniform"


def test_other_held_out_queries_are_closed_again(client, engineer, address, judgment_list):
    client.post(address("comparison-open", confirm=1))
    judgment_list.query_set.queries.filter(tags=[]).update(tags=["aside"])

    client.post(address("comparison-settings"), {"held_out": "aside", "drawn": "unknown"})

    assert "The held-out queries are closed" in text_of(client.get(address(confirm=1)))
    assert "<td>confirm</td>" in text_of(client.get(address("comparison-settings")))


def test_the_same_held_out_queries_stay_open(client, engineer, address):
    client.post(address("comparison-open", confirm=1))

    client.post(address("comparison-settings"), {"held_out": "confirm", "drawn": "uniform"})

    assert "These are the 4 held-out queries" in text_of(client.get(address(confirm=1)))


def test_a_tag_that_no_query_has_is_refused(client, engineer, address):
    response = client.post(address("comparison-settings"), {"held_out": "confrm", "drawn": "unknown"})

    assert response.status_code == 422
    assert "No query of this query set has the tag “confrm”." in text_of(response)


def test_in_an_archive_nothing_can_be_opened_or_set(client, engineer, address, judgment_list):
    archive_query_set(query_set=judgment_list.query_set, user=None, at=make.NOW)
    done = Act.objects.count()

    refused = [
        client.post(address(page, confirm=1), {}) for page in ("comparison-open", "comparison-settings")
    ]
    closed, settings = client.get(address(confirm=1)), client.get(address("comparison-settings"))

    assert [response.status_code for response in refused] == [409, 409]
    assert Act.objects.count() == done
    assert "The query set is archived, so that they stay closed." in text_of(closed)
    assert "queries with the tag “confirm” are held out" in text_of(settings)
