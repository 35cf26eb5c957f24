"""The first page, by role."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judgments.lists.reports.lists import queue_of
from judgments.models import Assignment, ListQuery, RaterQueue
from tests import factories as make

pytestmark = pytest.mark.django_db


def page_of(client, user) -> str:
    client.force_login(user)
    return " ".join(client.get(reverse("home")).content.decode().split())


def make_wanted(judgment_list, pairs: int, given: int = 0) -> None:
    """A query of the list with so many pairs, and so many judgments for them."""
    ListQuery.objects.create(
        query_set=judgment_list.query_set,
        judgment_list=judgment_list,
        query=make.make_query(judgment_list.query_set),
        position=judgment_list.list_queries.count() + 1,
        pair_count=pairs,
        judgment_count=given,
        open_count=max(0, pairs * judgment_list.overlap - given),
    )


def test_a_rater_sees_the_own_queue_and_nothing_of_runs(client):
    query_set = make.make_query_set()
    rater = make.make_member(query_set, "rater")
    judgment_list = make.make_list(query_set, name="Main")
    make_wanted(judgment_list, pairs=20, given=5)
    RaterQueue.objects.create(
        judgment_list=judgment_list, rater=make.make_rater(query_set, rater), seed=1, judgment_count=5
    )
    make.make_run(query_set, name="secret run")

    page = page_of(client, rater)

    assert "you judged 5 of 20" in page
    assert reverse("judge", args=[judgment_list.pk]) in page
    assert "secret run" not in page
    assert "Query sets" not in page


def test_more_judgments_than_wanted_are_not_more_than_everything(client):
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, overlap=1)
    make_wanted(judgment_list, pairs=275, given=710)
    client.force_login(make.make_member(query_set, "engineer"))

    overview = " ".join(client.get(reverse("list", args=[judgment_list.pk])).content.decode().split())

    assert "710 <small>received, complete</small>" in overview


@pytest.mark.parametrize("page", ["home", "query-set", "query-set-lists"])
def test_the_progress_of_a_list_is_the_same_on_each_page_that_names_it(client, page):
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, overlap=3)
    make_wanted(judgment_list, pairs=275, given=701)
    judgment_list.list_queries.update(graded_count=262)
    client.force_login(make.make_member(query_set, "engineer"))

    text = client.get(reverse(page, args=[] if page == "home" else [query_set.pk])).content.decode()

    assert 'max="275" value="262"' in text
    assert "262 of 275 graded" in text


def test_a_list_of_named_raters_has_something_left_for_these_only_and_up_to_their_quota(client):
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, assignment="named")
    make_wanted(judgment_list, pairs=20)
    named, unlimited, other = (make.make_member(query_set, "rater") for _ in range(3))
    Assignment.objects.create(judgment_list=judgment_list, user=named, quota=7)
    Assignment.objects.create(judgment_list=judgment_list, user=unlimited)

    assert [entry.left for user in (named, unlimited, other) for entry in queue_of(user)] == [7, 20, 0]


def test_a_finished_list_and_a_paused_one_say_so(client):
    query_set = make.make_query_set()
    make_wanted(make.make_list(query_set), pairs=2, given=2)
    make_wanted(make.make_list(query_set, paused=True), pairs=2)

    page = page_of(client, make.make_member(query_set, "rater"))

    assert "nothing left for you" in page
    assert "paused" in page


def test_somebody_without_any_role_is_told_what_to_do(client):
    assert "Ask an admin to add you" in page_of(client, make.make_user())


def test_an_engineer_sees_lists_runs_and_query_sets_but_only_of_the_own(client):
    mine, other = make.make_query_set(name="Mine"), make.make_query_set(name="Other")
    judgment_list = make.make_list(mine)
    run = make.make_run(mine)
    make.make_list(other, name="Other list")

    page = page_of(client, make.make_member(mine, "engineer"))

    assert reverse("run", args=[judgment_list.pk, run.pk]) in page
    assert reverse("query-set", args=[mine.pk]) in page
    assert "Other" not in page


def test_the_first_page_of_an_empty_site_leads_on(client):
    page = page_of(client, make.make_user(is_superuser=True))

    assert reverse("query-set-new") in page


def test_it_costs_the_same_for_two_lists_and_for_thirty(client):
    query_set = make.make_query_set()
    admin = make.make_member(query_set, "admin")
    rater = make.make_member(query_set, "rater")
    counts = {}
    for total in (2, 30):
        for _ in range(total - query_set.judgment_lists.count()):
            make_wanted(make.make_list(query_set), pairs=3)
            make.make_run(query_set)
        for user in (admin, rater):
            client.force_login(user)
            client.get(reverse("home"))  # The first request of a session notes where it is.
            with CaptureQueriesContext(connection) as queries:
                client.get(reverse("home"))
            counts[user.username, total] = len(queries)

    assert counts[admin.username, 2] == counts[admin.username, 30] <= 15
    assert counts[rater.username, 2] == counts[rater.username, 30] <= 15
