"""What to fix first in a run beside its baseline: causes by what they cost, and the queries that lost most."""

import re
from html import unescape
from math import log2

import pytest
from django.urls import reverse

from judgments.models import Role
from tests import factories as make
from tests.api import Api
from tests.evaluation.scored import make_grades, make_ranking, text_of
from tests.evaluation.two_runs import comparison_address as address
from tests.evaluation.two_runs import make_two_runs

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engineer")]

# At cutoff 2 with linear gain, a document at rank 2 counts D. Of every query a (3) and b (2) are relevant, z is not, and u and v
# are unjudged. So NDCG-global is DCG / IDEAL.
D = 1 / log2(3)
IDEAL = 3 + 2 * D
BEFORE = ["a", "b"]
AFTER = {
    "order": ["b", "a"],
    "depth": ["a", "z", "b"],
    "recall": ["b"],
    "nothing": None,
    "unknown": ["u", "v"],
    "same": ["a", "b"],
}
"""Weights are 1 to 6, 21 in all."""


def make_runs(judgment_list, after=AFTER):
    runs = [make.make_run(judgment_list.query_set, name=name) for name in ("old", "new")]
    for place, (name, page) in enumerate(after.items()):
        query = make.make_query(judgment_list.query_set, name, weight=place + 1)
        make_grades(judgment_list, query, {f"{name}-{one}": {"a": 3, "b": 2}.get(one, 0) for one in "abz"})
        for run, documents in zip(runs, (BEFORE, page), strict=True):
            if documents is not None:
                make_ranking(run, query, [f"{name}-{one}" for one in documents])
    return runs


def listed(response):
    """The queries of the table by their IDs."""
    return re.findall(r'<code class="id">(\w+)</code>', response.content.decode().split("<tbody>")[1])


def fixes_of(client, judgment_list, runs, **others):
    return client.get(address(judgment_list, *runs, k=2, **others), follow=True)


def test_the_count_of_each_cause_leads_to_its_queries(client, judgment_list):
    """Judged on both pages, so that the verdict doesn't wait. Each query of AFTER is named by what happened to it."""
    after = {name: page for name, page in AFTER.items() if name != "unknown"}
    page = fixes_of(client, judgment_list, make_runs(judgment_list, after))

    rows = page.context["fixes"][0]["lost"]
    links = [
        unescape(link) for link in re.findall(r'<a href="([^"]+show=lost-[^"]+)"', page.content.decode())
    ]
    found = {one["cause"]: listed(client.get(link)) for one, link in zip(rows, links, strict=True)}

    assert found == {
        "no results": ["nothing"],
        "relevant documents are no longer retrieved": ["recall"],
        "relevant documents fell below rank 2": ["depth"],
        "relevant documents are in a worse order": ["order"],
    }


def test_causes_are_ranked_by_what_they_cost_weighted_by_traffic(client, judgment_list):
    (row,) = fixes_of(client, judgment_list, make_runs(judgment_list)).context["fixes"]

    assert [(one["cause"], one["queries"]) for one in row["lost"]] == [
        ("unknown: no result on its page is judged", 1),
        ("no results", 1),
        ("relevant documents are no longer retrieved", 1),
        ("relevant documents fell below rank 2", 1),
        ("relevant documents are in a worse order", 1),
    ]
    costs = [
        -5 / 21,
        -4 / 21,
        -3 * (1 + 2 * D) / IDEAL / 21,
        -2 * 2 * D / IDEAL / 21,
        -(1 - D) / IDEAL / 21,
    ]
    assert [one["difference"].number for one in row["lost"]] == pytest.approx(costs)
    assert [one["difference"].text for one in row["lost"]] == [
        "unknown",
        *(f"−{-cost:.4f}" for cost in costs[1:]),
    ]
    assert row["is_weighted"]


def test_causes_and_gains_add_up_to_the_weighted_mean_difference(client, judgment_list):
    runs = make_runs(judgment_list, {"order": ["b", "a"], "recall": ["b"], "same": ["a", "b"]})

    response = fixes_of(client, judgment_list, runs)
    file = client.get(address(judgment_list, *runs, page="comparison-report", k=2, format="json")).json()

    (row,) = response.context["fixes"]
    (record,) = file["figures"]["comparisons"]
    assert sum(one["difference"].number for one in row["lost"]) == pytest.approx(record["weighted"]["mean"])
    assert sum(one["queries"] for one in row["lost"]) == record["outcomes"]["losses"] == 2
    assert [(one["cause"], one["queries"]) for one in file["figures"]["causes"][0]["lost"]] == [
        ("recall", 1),
        ("order", 1),
    ]


def test_each_query_has_both_ladders_and_one_link_to_both_rankings(client, judgment_list):
    response = fixes_of(client, judgment_list, make_runs(judgment_list))

    (row,) = response.context["fixes"]
    by_name = {one["query"].external_id: one for one in row["worse"]}
    depth = by_name["depth"]
    assert (depth["difference"], depth["cause"]) == (
        f"−{2 * D / IDEAL:.4f}",
        "1 fewer relevant document in the top 2",
    )
    shares = [[(one.key, round(one.width, 6)) for one in ladder if one.width] for ladder in depth["ladders"]]
    whole = 3 * (1 + D)
    assert shares == [
        [("dcg", round(100 * IDEAL / whole, 6)), ("content", round(100 * D / whole, 6))],
        [
            ("dcg", round(300 / whole, 6)),
            ("depth", round(200 * D / whole, 6)),
            ("content", round(100 * D / whole, 6)),
        ],
    ]
    link = reverse("compared-query", args=[judgment_list.pk, depth["query"].pk])
    assert f'href="{link}?' in text_of(response)
    assert "See both rankings" in text_of(response)


def test_a_query_of_which_nothing_is_judged_is_unknown_and_its_judgments_can_be_requested(
    client, judgment_list
):
    response = fixes_of(client, judgment_list, make_runs(judgment_list))

    (row,) = response.context["fixes"]
    (unknown,) = [one for one in row["worse"] if one["query"].external_id == "unknown"]
    assert (unknown["difference"], unknown["after"], unknown["exact"]) == ("unknown", "unknown", "")
    assert unknown["ladders"][0]
    assert unknown["ladders"][1] is None
    old, new = judgment_list.query_set.runs.order_by("pk")
    pairs = reverse("list-pairs", args=[judgment_list.pk])
    assert row["pool"] == f"run={old.pk}&run={new.pk}&depth=2&queries=graded"
    assert f'<a href="{pairs}?{row["pool"].replace("&", "&amp;")}">Request missing judgments</a>' in text_of(
        response
    )


def test_where_every_page_is_judged_no_judgments_are_requested(client, judgment_list):
    baseline, candidate = make_two_runs(judgment_list)

    response = client.get(address(judgment_list, candidate, baseline))

    (row,) = response.context["fixes"]
    assert row["pool"] == ""
    assert not row["is_weighted"]
    assert [(one["queries"], one["difference"].text) for one in row["lost"]] == [(20, "−0.3691")]
    assert "Request missing judgments" not in text_of(response)


def test_the_report_its_markdown_and_the_api_rank_the_causes_too(client, judgment_list):
    runs = make_runs(judgment_list)
    page = {"page": "comparison-report", "k": 2}

    report = text_of(client.get(address(judgment_list, *runs, **page), follow=True))
    markdown = client.get(address(judgment_list, *runs, **page, format="md"), follow=True).getvalue().decode()
    api = Api(make.make_member(judgment_list.query_set, Role.ENGINEER))
    path = f"lists/{judgment_list.pk}/comparison/report?runs={runs[0].pk}-{runs[1].pk}&k=2"
    (data,) = api.get(path).json()["runs"]

    cost = f"−{4 / 21:.4f}"
    assert data["lost"][:2] == [
        {"cause": "unknown: no result on its page is judged", "queries": 1, "difference": "unknown"},
        {"cause": "no results", "queries": 1, "difference": cost},
    ]
    assert [one["difference"] for one in data["worse"]].count("unknown") == 1
    assert f"- No results: {cost}, 1 query" in markdown
    assert "- Unknown: no result on its page is judged: unknown, 1 query" in markdown
    assert "Why values are lower" in report
    assert cost in report


def test_where_zeros_decide_nothing_no_count_says_that_queries_got_worse(client, judgment_list):
    """“new” lacks b and shows an unjudged document before a: 3 D instead of 3 + 2 D, or 3 + 3 D if that is worth as much as a."""
    runs = make_runs(judgment_list, {f"q{place}": ["u", "a"] for place in range(20)})

    response = fixes_of(client, judgment_list, runs)
    report = client.get(
        address(judgment_list, *runs, page="comparison-report", k=2, format="md"), follow=True
    )

    (row,) = response.context["fixes"]
    assert row["needs_judging"]
    assert "Lost on current judgments" in text_of(response)
    assert "Lost on average" not in text_of(response)
    cost = f"−{(3 - D) / IDEAL:.4f}"  # of every query, and so of any weighted mean
    words = f"- Relevant documents are no longer retrieved: {cost}, on current judgments"
    assert words in report.getvalue().decode()


def test_what_is_below_the_recall_depth_is_not_said_to_be_gone(client, judgment_list):
    runs = make_runs(judgment_list, {"deep": ["z", "a", "y", "b"], "deeper": ["a", "z", "y", "b"]})

    (row,) = fixes_of(client, judgment_list, runs, depth=3).context["fixes"]

    assert "relevant documents are no longer retrieved within the first 3 ranks" in {
        one["cause"] for one in row["lost"]
    }
    assert "1 fewer relevant document retrieved within the first 3 ranks" in {
        one["cause"] for one in row["worse"]
    }


def test_a_query_that_does_not_count_is_a_cause_and_costs_nothing(client, judgment_list):
    runs = make_runs(judgment_list, {"order": ["b", "a"], "same": ["a", "b"]})
    judgment_list.query_set.queries.filter(external_id="order").update(weight=0)

    response = fixes_of(client, judgment_list, runs)

    (row,) = response.context["fixes"]
    assert [(one["queries"], one["difference"].text) for one in row["lost"]] == [(1, "0.0000")]
    assert row["worse"] == []
    assert "No query got" not in text_of(response)
