"""Queries without a relevant document under `zero=1`: every count and sentence of a comparison says the same of them."""

import pytest

from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking, text_of
from tests.evaluation.two_runs import comparison_address as address

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("admin")]

WON, LOST, EVEN = 20, 3, 7


@pytest.fixture
def runs(judgment_list):
    """An answer to nothing is worth 1 and no answer 0: “new” wins where it alone answers, and loses where “old” does."""
    runs = [make.make_run(judgment_list.query_set, name=name) for name in ("old", "new")]
    kinds = [({"z": 0}, (None, ["z"]))] * WON + [({"z": 0}, (["z"], None))] * LOST
    kinds += [({"z": 0}, (["z"], ["z"]))] * EVEN + [({"g": 3}, (["g"], ["g"]))]
    for grades, pages in kinds:
        query = make.make_query(judgment_list.query_set)
        make_grades(judgment_list, query, grades)
        for run, page in zip(runs, pages, strict=True):
            if page:
                make_ranking(run, query, page)
    return runs


def test_every_count_of_the_page_agrees(client, judgment_list, runs):
    context = client.get(address(judgment_list, *runs, zero="1")).context

    (row,) = context["comparison"].candidates
    outcomes, evidence = row.beside.record["outcomes"], row.beside.evidence
    assert (outcomes["wins"], outcomes["losses"], outcomes["ties"]) == (WON, LOST, EVEN + 1)
    assert (evidence["for_candidate"], evidence["for_baseline"], evidence["even"]) == (WON, LOST, EVEN + 1)
    assert evidence["open"] == 0
    (verdict,) = [one["verdict"] for one in context["forest"]["rows"]]
    assert (verdict.sentence, verdict.count) == ("new is better than old.", WON)
    (fixes,) = context["fixes"]
    assert [one["cause"] for one in fixes["worse"]] == ["no results"] * LOST
    assert {(one["before"], one["after"]) for one in fixes["better"]} == {("0.0000", "1.0000")}


@pytest.mark.parametrize(
    ("show", "count"),
    [
        ("won", WON),
        ("for-run", WON),
        ("lost", LOST),
        ("for-baseline", LOST),
        ("tied", EVEN + 1),
        ("even", EVEN + 1),
    ],
)
def test_each_count_leads_to_so_many_queries(client, judgment_list, runs, show, count):
    page = client.get(
        address(judgment_list, *runs, page="compared-queries", zero="1", show=show, format="json")
    )

    assert len(page.json()["queries"]) == count


def test_the_report_says_the_same(client, judgment_list, runs):
    report = text_of(client.get(address(judgment_list, *runs, page="comparison-report", zero="1")))

    assert f"wins {WON} of {WON + LOST + EVEN + 1} queries" in report
    assert "Nothing that matters: every document that these runs retrieved is judged." in report


def test_a_run_of_which_nothing_is_judged_has_no_share_of_judged_pages(client, judgment_list):
    """One of its fifty queries gets no results, so that 2 % of its places have no unjudged document."""
    old, new = (make.make_run(judgment_list.query_set, name=name) for name in ("old", "new"))
    for nth in range(50):
        query = make.make_query(judgment_list.query_set)
        make_grades(judgment_list, query, {"g": 3})
        make_ranking(old, query, ["g"])
        if nth:
            make_ranking(new, query, [f"other-{rank}" for rank in range(10)])

    html = text_of(client.get(address(judgment_list, old, new)))

    assert "nothing judged" in html
    assert "2.0 % provisional" not in html
    assert "2.0 % of this run’s pages" not in html
