"""Ties on the pages of a run and of a query."""

import csv
import io
from html import unescape

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import Ranking, Run
from tests import factories as make
from tests.evaluation.scored import cells_of, make_grades, make_ranking, text_of

pytestmark = pytest.mark.django_db

SCORES = {"early": [2, 2, 1], "late": [3, 2, 2], "apart": [3, 2, 1]}


def fill(judgment_list, run):
    """Of each query a is best, b is worthless and c in between: retrieved b, a, c."""
    for name, scores in SCORES.items():
        query = judgment_list.query_set.queries.filter(external_id=name).first()
        if query is None:
            query = make.make_query(judgment_list.query_set, name, text=f"{name} text")
            make_grades(judgment_list, query, {"a": 3, "b": 0, "c": 1})
        make_ranking(run, query, ["b", "a", "c"], scores)


@pytest.fixture
def run(judgment_list):
    run = make.make_run(judgment_list.query_set, name="bm25")
    fill(judgment_list, run)
    return run


@pytest.fixture
def by_rank(judgment_list, run):
    by_rank = make.make_run(judgment_list.query_set, name="listed", order=Run.Order.RANK)
    fill(judgment_list, by_rank)
    return by_rank


def page(client, judgment_list, run, parameters=""):
    return client.get(reverse("run", args=[judgment_list.pk, run.pk]) + parameters)


def drill_down(client, judgment_list, run, name, parameters=""):
    query = judgment_list.query_set.queries.get(external_id=name)
    return client.get(reverse("run-query", args=[judgment_list.pk, run.pk, query.pk]) + parameters)


def records(response):
    header, *rows = csv.reader(io.StringIO(b"".join(response.streaming_content).decode()))
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_tied_queries_have_a_badge_that_says_what_it_may_change(client, engineer, judgment_list, run):
    response = page(client, judgment_list, run, "?k=1")

    tied = [shown.row for shown in response.context["table"].rows if shown.row.ties]
    assert [(row.score.query.external_id, row.ties.words) for row in tied] == [
        ("early", "Equal scores from rank 1 on: over their orders DCG is 0.0000 to 3.0000, 1.5000 expected")
    ]
    assert text_of(response).count('<span class="tag" title="Equal scores') == 1


def test_the_page_counts_the_tied_queries_and_lists_them(client, engineer, judgment_list, run):
    everything = page(client, judgment_list, run, "?k=2")
    tied = page(client, judgment_list, run, "?k=2&show=ties")

    assert "2 with ties inside the cutoff" in text_of(everything)
    assert {shown.row.score.query.external_id for shown in tied.context["table"].rows} == {"early", "late"}
    assert "1 with ties inside the cutoff" in text_of(page(client, judgment_list, run, "?k=1"))


def test_the_csv_has_the_spread_of_each_query(client, engineer, judgment_list, run):
    by_query = {row["query id"]: row for row in records(page(client, judgment_list, run, "?k=1&format=csv"))}

    early = by_query["early"]
    assert [early[f"DCG@1 {kind} over ties"] for kind in ("expected", "least", "greatest")] == [
        "1.5",
        "0.0",
        "3.0",
    ]
    assert (early["first tie"], early["nDCG@1 expected over ties"]) == ("1", "0.5")
    assert by_query["apart"]["first tie"] == by_query["apart"]["nDCG@1 least over ties"] == ""


def test_the_csv_has_the_number_that_scikit_learn_gives_for_ties(client, engineer, judgment_list):
    """tie_two_groups of the conformance cases: scikit-learn 1.9.1 was run on it."""
    query = make.make_query(judgment_list.query_set, "two groups")
    make_grades(judgment_list, query, {"a": 0, "b": 2, "c": 1, "d": 0, "e": 3})
    run = make.make_run(judgment_list.query_set, name="tied")
    make_ranking(run, query, ["b", "a", "e", "d", "c"], [2, 2, 1, 1, 1])

    (row,) = records(page(client, judgment_list, run, "?k=5&format=csv"))

    given = float(row["nDCG(ideal='recall')@5 expected over ties"])
    assert given == pytest.approx(0.7114102314233535, abs=1e-9)


def test_the_json_has_the_spread_of_each_query(client, engineer, judgment_list, run):
    queries = page(client, judgment_list, run, "?k=1&format=json").json()["queries"]

    ties = {query["id"]: query["ties"] for query in queries}
    assert (ties["late"], ties["apart"]) == (None, None)
    assert ties["early"]["first_tie"] == 1
    assert ties["early"]["values"]["nDCG@1"] == {"expected": 0.5, "least": 0.0, "greatest": 1.0}
    assert ties["early"]["values"]["nDCG(ideal='local')@1"] is None


def test_the_run_table_counts_tied_queries_where_there_are_any(client, engineer, judgment_list, run):
    tied = client.get(reverse("run-table", args=[judgment_list.pk]) + "?k=2")
    Ranking.objects.update(first_tie=None)
    apart = client.get(reverse("run-table", args=[judgment_list.pk]) + "?k=3")

    (row,) = tied.context["table"].rows
    assert cells_of(row)["ties"].number == 2
    assert "ties" not in [heading.column.key for heading in apart.context["table"].headings]


def test_the_drill_down_has_the_spread_and_marks_the_ranks(client, engineer, judgment_list, run):
    response = drill_down(client, judgment_list, run, "early", "?k=2")

    html = text_of(response)
    best, worst = 3.0, 3 / np.log2(3)
    dcg = response.context["drill_down"].ties.rows[0]
    numbers = [cell.number for cell in (dcg.ordered, dcg.expected, dcg.least, dcg.greatest)]
    assert numbers == pytest.approx([worst, (best + worst) / 2, worst, best])
    assert [row.tied for row in response.context["first"]] == ["1–2", "1–2", "–"]
    assert "the first begins at rank 1" in html
    assert "descending order of their IDs" in html


def test_a_query_whose_scores_differ_says_nothing_of_ties(client, engineer, judgment_list, run):
    for name, parameters in (("apart", ""), ("late", "?k=1")):
        response = drill_down(client, judgment_list, run, name, parameters)

        assert response.context["drill_down"].ties is None
        assert 'id="ties"' not in text_of(response)


def test_the_csv_of_a_query_names_the_ranks_that_share_a_score(client, engineer, judgment_list, run):
    rows = records(drill_down(client, judgment_list, run, "late", "?format=csv"))

    assert [row["tied ranks"] for row in rows if row["of"] == "ranking"] == ["", "2–3", "2–3"]


def test_the_json_of_a_query_has_the_spreads_by_canonical_text(client, engineer, judgment_list, run):
    tied = drill_down(client, judgment_list, run, "late", "?k=2&format=json").json()
    apart = drill_down(client, judgment_list, run, "apart", "?k=2&format=json").json()

    assert tied["ties"]["first_tie"] == 2
    assert tied["ties"]["values"]["nDCG(ideal='local')@2"] is None
    assert tied["ties"]["values"]["DCG@2"] == pytest.approx(
        {"expected": 2 / np.log2(3), "least": 1 / np.log2(3), "greatest": 3 / np.log2(3)}
    )
    assert [row["tied_ranks"] for row in tied["ranking"]] == [None, "2–3", "2–3"]
    assert apart["ties"] is None


def test_in_the_order_of_the_rank_column_nothing_is_tied(client, engineer, judgment_list, by_rank):
    html = unescape(text_of(page(client, judgment_list, by_rank, "?show=ties")))
    response = drill_down(client, judgment_list, by_rank, "early")

    assert "so equal scores make no ties" in html
    assert "No matching queries" in html
    assert response.context["drill_down"].ties is None
    assert {row.tied for row in response.context["first"]} == {""}


def test_ties_cost_one_query_however_many_there_are(client, engineer, judgment_list, run):
    def cost(parameters):
        page(client, judgment_list, run, parameters)
        with CaptureQueriesContext(connection) as captured:
            assert page(client, judgment_list, run, parameters).status_code == 200
        return len(captured)

    few = cost("?k=1")
    for number in range(20):
        query = make.make_query(judgment_list.query_set)
        make_grades(judgment_list, query, {f"{number}-a": 2})
        make_ranking(run, query, [f"{number}-a", "X"], [1, 1])

    assert cost("?k=1") == few
    assert cost("?k=1&measures=AP+RR%4010") <= 15


def test_ties_of_a_query_without_grades_change_nothing(client, engineer, judgment_list, run):
    make_ranking(run, make.make_query(judgment_list.query_set, "ungraded"), ["a", "b"], [1, 1])

    response = drill_down(client, judgment_list, run, "ungraded")

    assert response.context["drill_down"].ties.rows[0].greatest.number == 0
    assert 'id="ties"' not in text_of(response)
