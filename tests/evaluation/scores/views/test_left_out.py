"""Queries that a formula leaves out because their ideal is 0: what pages say that missing grades could make of it."""

import pytest
from django.urls import reverse
from django.utils.http import urlencode

from tests import factories as make
from tests.evaluation.scored import change_grade, evaluate, make_grades, make_ranking, text_of
from tests.evaluation.two_runs import comparison_address, make_two_runs

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engineer")]
LEFT_OUT = 10


@pytest.fixture
def runs(judgment_list):
    """The second wins 20 queries. In 10 others nothing is worth anything so far, and only the first shows a document without a
    grade."""
    runs = make_two_runs(judgment_list)
    for place in range(LEFT_OUT):
        query = make.make_query(judgment_list.query_set, f"out {place}")
        make_grades(judgment_list, query, {f"out {place}-bad": 0, f"out {place}-open": None})
        make_ranking(runs[0], query, [f"out {place}-open"])
        make_ranking(runs[1], query, [f"out {place}-bad"])
    return runs


def grade_what_is_open(judgment_list):
    for place in range(LEFT_OUT):
        query = judgment_list.query_set.queries.get(external_id=f"out {place}")
        change_grade(judgment_list, query, f"out {place}-open", 3)


def test_the_page_of_a_run_says_between_which_values_a_mean_could_lie(client, judgment_list, runs):
    address = reverse("run", args=[judgment_list.pk, runs[0].pk])
    values = {"zero": "skip", "measures": "nDCG(zero='skip')@1 nDCG@5"}
    mean = 1 / 1.584962500721156

    page = text_of(client.get(address, values))
    found = client.get(address, values | {"format": "json"}).json()["averages"]

    low, high = 20 * mean / 30, (20 * mean + 10) / 30
    assert "With left-out queries" in page
    assert "Missing grades can bring in those whose ideal is still 0." in page
    assert f"{low:.4f} to {high:.4f}" in page
    assert found["nDCG(zero='skip')@10"]["left_out"] == pytest.approx(
        {"queries": 10, "low_if_graded": low, "high_if_graded": high}
    )
    assert found["nDCG(zero='skip')@1"]["left_out"]["queries"] == 10
    assert found["nDCG@5"]["left_out"] is found["DCG@10"]["left_out"] is None


def test_what_is_said_of_a_run_comes_true(client, judgment_list, runs):
    """Every document that is open gets the top grade: the first run is right there, the second shows none of them."""
    address = reverse("run", args=[judgment_list.pk, runs[0].pk])
    said = client.get(address, {"zero": "skip", "format": "json"}).json()["averages"]["nDCG(zero='skip')@10"]

    grade_what_is_open(judgment_list)

    assert evaluate(runs[0], judgment_list).ndcg_global == pytest.approx(said["left_out"]["high_if_graded"])


def test_queries_that_the_run_does_not_answer_are_not_among_them(client, judgment_list, runs):
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, {"bad": 0})
    address = reverse("run", args=[judgment_list.pk, runs[0].pk])

    found = client.get(address, {"zero": "skip", "missing": "skip", "format": "json"}).json()["averages"]

    assert found["nDCG(missing='skip', zero='skip')@10"]["left_out"]["queries"] == 10


@pytest.mark.parametrize("policy", [{}, {"zero": "1"}, {"missing": "skip"}])
def test_without_such_queries_no_page_says_anything(client, judgment_list, runs, policy):
    page = text_of(client.get(reverse("run", args=[judgment_list.pk, runs[0].pk]), policy))
    table = text_of(client.get(reverse("run-table", args=[judgment_list.pk]), policy))

    assert "issing grades" not in page + table


@pytest.mark.parametrize("values", [{"zero": "skip"}, {"measures": "nDCG(zero='skip')@3"}])
def test_the_run_table_says_how_far_a_mean_could_move(client, judgment_list, runs, values):
    table = text_of(client.get(reverse("run-table", args=[judgment_list.pk]), values))

    assert "10 of 30 queries are left out, because their ideal is 0 so far." in table
    assert "the mean moves by up to 0.3333." in table


def test_a_run_is_not_better_while_queries_that_are_left_out_could_turn_it(client, judgment_list, runs):
    page = text_of(client.get(comparison_address(judgment_list, *runs, zero="skip")))

    assert "<strong>Better on current judgments</strong>" in page
    assert (
        "10 of 30 queries are left out, because their ideal is 0 so far. Missing grades can bring them in"
        in page
    )
    grade_what_is_open(judgment_list)
    assert "<strong>Better" not in text_of(client.get(comparison_address(judgment_list, *runs, zero="skip")))


def test_bounds_of_a_comparison_hold_what_these_queries_could_be(client, judgment_list, runs):
    address = comparison_address(judgment_list, *runs, page="comparison-report", zero="skip", format="json")
    said = client.get(address).json()["figures"]

    grade_what_is_open(judgment_list)

    now = client.get(address).json()["figures"]
    for place in (0, 1):
        bounds, value = said["bounds"][place], now["runs"][place]["ndcg"]["global"]
        assert bounds["low"]["global"] <= value + 1e-12
        assert value <= bounds["high"]["global"] + 1e-12
        assert bounds["any_low"] <= bounds["low"]["global"]
    (evidence,), (difference,) = said["evidence"], [one["difference"]["mean"] for one in now["comparisons"]]
    assert evidence["global_low"] == pytest.approx(difference)  # the worst that there is
    assert (said["left_out"], now["left_out"]) == (10, 0)


def test_under_a_further_measure_the_difference_has_a_range(client, judgment_list, runs):
    measure = "nDCG(zero='skip')@3"

    page = text_of(client.get(comparison_address(judgment_list, *runs, measures=measure, on=measure)))

    difference = 1 - 1 / 1.584962500721156
    assert f"a mean difference moves by up to {(1 + difference) / 3:.4f}." in page


NO_GAIN = "No judged document has a gain, so even the best order of them is worth 0."
NDCGS = "NDCG-local, NDCG-recall and NDCG-global"
CONVENTION = "AP and other measures of relevant documents are 0 where there are none, as in trec_eval."
SAYS_NOTHING = "None of these values says how good a run is."


@pytest.fixture
def worthless(judgment_list):
    """Two runs that order the same documents differently. All of these are judged, and none is worth anything."""
    runs = [make.make_run(judgment_list.query_set, name=name) for name in ("old", "new")]
    for place in range(3):
        query = make.make_query(judgment_list.query_set, f"q{place}")
        make_grades(judgment_list, query, {f"{place}-a": 0, f"{place}-b": 0})
        make_ranking(runs[0], query, [f"{place}-a", f"{place}-b"])
        make_ranking(runs[1], query, [f"{place}-b", f"{place}-a"])
    return runs


@pytest.mark.parametrize(
    ("zero", "ndcg"),
    [
        ("0", f"{NDCGS} count as 0 then."),
        ("1", f"{NDCGS} count as 1 then."),
        ("skip", f"This formula leaves such queries out, so {NDCGS} have no value."),
    ],
)
def test_where_nothing_judged_is_worth_anything_pages_say_why_and_that_values_say_nothing(
    client, judgment_list, worthless, zero, ndcg
):
    """There were dashes or zeros beside AP 0.0000, without a word."""
    values = {"zero": zero, "k": 10, "measures": "AP"}
    addresses = [
        reverse("run", args=[judgment_list.pk, worthless[0].pk]),
        reverse("run-table", args=[judgment_list.pk]),
        comparison_address(judgment_list, *worthless),
    ]

    for address in addresses:
        start = "&" if "?" in address else "?"
        page = text_of(client.get(f"{address}{start}{urlencode(values)}", follow=True))
        assert f"{NO_GAIN} {ndcg} {CONVENTION} {SAYS_NOTHING}" in page, address
        assert "Nothing that matters" not in page


def test_the_report_for_others_says_so(client, judgment_list, worthless):
    address = comparison_address(judgment_list, *worthless).replace("/compare/", "/compare/report/")

    report = client.get(f"{address}&format=md").content.decode().replace("\\_", "_")

    assert f"- {NO_GAIN} {NDCGS} count as 0 then. {CONVENTION} {SAYS_NOTHING}" in report
    assert "Nothing that matters" not in report


def test_one_document_that_is_worth_something_ends_that(client, judgment_list, worthless):
    change_grade(judgment_list, judgment_list.query_set.queries.first(), "0-a", 1)

    for address in (
        reverse("run", args=[judgment_list.pk, worthless[0].pk]),
        reverse("run-table", args=[judgment_list.pk]),
        comparison_address(judgment_list, *worthless),
    ):
        assert NO_GAIN not in text_of(client.get(address))
