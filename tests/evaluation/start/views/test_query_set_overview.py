"""The first page of a query set: lists with their trends, runs, and what needs attention."""

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlparse

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Run
from judgments.models import AgreementHeadline, JudgmentList, Purpose, Upload
from tests import factories as make
from tests.evaluation.scored import evaluate, make_grades, make_ranking, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client, query_set):
    user = make.make_member(query_set, "admin")
    client.force_login(user)
    return user


def page_of(client, query_set):
    return client.get(reverse("query-set", args=[query_set.pk]))


def notices(client, query_set):
    return [(one.about, one.text) for one in page_of(client, query_set).context["notices"]]


def make_scored_list(query_set):
    """Two queries with one graded document each. The old run finds both, the newest one an unjudged document."""
    judgment_list = make.make_list(query_set, name="First pass")
    runs = [make.make_run(query_set, name=name) for name in ("old", "new")]
    for day, run in enumerate(runs):
        Run.objects.filter(pk=run.pk).update(created_at=make.NOW + timedelta(days=day))
    for number in range(2):
        query = make.make_query(query_set)
        make_grades(judgment_list, query, {f"d{number}": 3})
        make_ranking(runs[0], query, [f"d{number}"])
        if not number:
            make_ranking(runs[1], query, ["other"])
    for run in runs:
        evaluate(run, judgment_list)
    return judgment_list


@pytest.mark.parametrize("page", ["home", "query-set"])
def test_latest_runs_stand_with_their_value_where_they_were_scored(client, admin, query_set, page):
    make_scored_list(query_set)
    make.make_run(query_set, name="never scored")

    address = reverse(page, args=[query_set.pk] if page == "query-set" else [])
    section = text_of(client.get(address)).split("<h2>Latest runs</h2>")[1].split("</ul>")[0]

    values = {
        re.search("<b>(.*)</b>", row)[1]: re.findall(r"([\w.]+) <small>NDCG-global@10</small>", row)
        for row in section.split("<li>")[1:]
    }
    assert values == {"old": ["1.0000"], "new": ["unknown"], "never scored": []}


def test_judgments_are_imported_from_here_where_one_list_can_be_meant(client, admin, query_set):
    make.make_query(query_set)
    address = reverse("import-judgments", args=[make.make_list(query_set).pk])

    assert f'href="{address}"' in page_of(client, query_set).content.decode()
    make.make_list(query_set, name="Second")
    assert f'href="{address}"' not in page_of(client, query_set).content.decode()


def test_lists_have_their_trend_and_lead_to_it(client, admin, query_set):
    judgment_list = make_scored_list(query_set)

    page = page_of(client, query_set)

    [(shown, trend)] = page.context["lists"]
    assert (shown, [mean.value for mean in trend.means]) == (judgment_list, [1.0, 0.0])
    text = page.content.decode()
    assert f'href="{reverse("run-trend", args=[judgment_list.pk])}"' in text
    assert text.count('<polyline points="') == 0  # the runs share no tag, so nothing connects them
    assert text.count("<circle") == 3


def test_the_newest_run_is_named_where_results_are_unjudged_or_queries_are_missing(client, admin, query_set):
    judgment_list = make_scored_list(query_set)

    first, second = page_of(client, query_set).context["notices"]

    assert first.text == "new, the newest run, is unknown: no result on its pages is judged."
    assert second.text == "new, the newest run, lacks 1 judged query."
    asked = parse_qs(urlparse(first.url).query)
    form = client.get(first.url).context["form"]
    assert asked["run"] == [str(Run.objects.get(name="new").pk)]
    assert form.is_valid()
    assert form.pool["graded_only"]
    assert client.get(second.url).status_code == 200
    assert {judgment_list.name} == {first.about, second.about}


def test_nothing_needs_attention_where_all_is_well(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    make_grades(judgment_list, make.make_query(query_set), {"d": 3})

    assert notices(client, query_set) == []


def test_lists_say_what_is_missing_and_raters_who_disagree(client, admin, query_set):
    make.make_list(query_set, name="Empty", paused=True)
    judged = make.make_list(query_set, name="Judged")
    make_grades(judged, make.make_query(query_set), {"d": 3})
    make.make_query(query_set)
    AgreementHeadline.objects.create(
        judgment_list=judged,
        query_set=query_set,
        judgments=0,
        figures={"alpha": 0.31, "level": "ordinal"},
        computed_at=make.NOW,
    )

    assert notices(client, query_set) == [
        ("Empty", "Judging is paused."),
        ("Empty", "It has no pairs to judge yet."),
        ("Judged", "Raters agree little, as untrained crowds do."),
        ("Judged", "1 query has no pairs."),
    ]


def test_files_that_wait_for_a_decision_are_those_of_the_account(client, admin, query_set):
    make.make_query(query_set)
    other = make.make_member(query_set, "admin")
    facts = {"query_set": query_set, "purpose": Purpose.QUERIES, "size": 1, "sha256": ""}
    for user, name, more in (
        (admin, "waits.csv", {}),
        (admin, "failed.csv", {"failure": "It broke."}),
        (admin, "runs.csv", {"requested_at": make.NOW}),
        (admin, "done.csv", {"applied_at": make.NOW}),
        (other, "foreign.csv", {}),
    ):
        Upload.objects.create(user=user, name=name, **facts, **more)

    assert dict(notices(client, query_set)) == {
        "waits.csv": "Uploaded, but not imported yet.",
        "failed.csv": "Not imported: It broke.",
        "runs.csv": "Being imported in the background.",
    }


def test_an_engineer_is_told_without_links_to_pages_of_admins(client, query_set):
    make_scored_list(query_set)
    client.force_login(make.make_member(query_set, "engineer"))

    JudgmentList.objects.filter(query_set=query_set).update(paused=True)

    paused, *others = page_of(client, query_set).context["notices"]

    assert (paused.text, paused.action) == ("Judging is paused.", "Show list")
    assert others
    assert all(client.get(one.url).status_code == 200 for one in [paused, *others])


def test_the_latest_runs_lead_to_their_values_under_the_first_list(client, admin, query_set):
    judgment_list = make_scored_list(query_set)
    newest = Run.objects.get(name="new")

    page = page_of(client, query_set)

    assert [run.name for run, *_ in page.context["runs"]] == ["new", "old"]
    assert reverse("run", args=[judgment_list.pk, newest.pk]) in page.content.decode()


def test_an_archived_query_set_asks_for_nothing(client, admin, query_set):
    make_scored_list(query_set)
    query_set.archived_at = make.NOW
    query_set.save()

    assert notices(client, query_set) == []


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (
            {"outcome": "", "ended_at": None, "judgments_requested": 40, "budget": 1_000},
            "Adding pairs until it’s decided between old and new: 40 of at most 1,000 judgments requested.",
        ),
        ({"outcome": "decided"}, "Decided: old is better than new on these queries."),
        (
            {"outcome": "spent", "judgments_requested": 1_000},
            "Not decided between old and new after 1,000 judgments.",
        ),
        (
            {"outcome": "exhausted", "judgments_requested": 1},
            "Not decided between old and new after 1 judgment.",
        ),
        ({"outcome": "failed", "failure": "A sentence."}, "A sentence."),
        ({"outcome": "stopped"}, None),
        ({"outcome": "decided", "long_ago": True}, None),
    ],
)
def test_staff_is_told_how_it_goes_on_between_two_runs(client, fields, text):
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, name="First pass")
    runs = make.make_run(query_set, name="old"), make.make_run(query_set, name="new")
    long_ago = fields.get("long_ago", False)
    facts = {name: value for name, value in fields.items() if name != "long_ago"}
    ended_at = timezone.now() - timedelta(days=8 if long_ago else 6)
    contest = make.make_contest(judgment_list, *runs, **{"ended_at": ended_at} | facts)
    if contest.outcome == "decided":
        contest.outlook |= {"expected": -0.1}
        contest.save()

    for role in ("engineer", "admin"):
        client.force_login(make.make_member(query_set, role))
        found = [one for one in page_of(client, query_set).context["notices"] if one.text == text]
        assert len(found) == (text is not None)
        assert all(one.url == f"/lists/{judgment_list.pk}/pairs/" for one in found)
