"""What is said of ties, read from rankings as they are stored."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.base.reports import scale_info
from evaluation.models import Run
from evaluation.scores.reports.ties import TiedScore, query_ties, tie_columns, tied_rankings
from judgments.models import JudgmentList
from tests import factories as make
from tests.evaluation.scored import evaluate, make_grades, make_ranking, score_of
from touchstone_core.formats.columns import csv_rows
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ties import ranking_spreads

pytestmark = pytest.mark.django_db

GRADES = {"a": 3, "b": 0, "c": 1, "e": 2}
SCORES = {
    "early": [2.0, 2.0, 1.0, 0.5],
    "across": [3.0, 2.0, 1.0, 1.0],
    "below": [4.0, 3.0, 2.5, 2.0, 2.0],
    "apart": [3.0, 2.0, 1.0, 0.5],
}


@pytest.fixture
def judgment_list():
    judgment_list = make.make_list(make.make_query_set())
    for name in SCORES:
        make_grades(judgment_list, make.make_query(judgment_list.query_set, name), GRADES)
    # Read as pages read it: with the scale's grades, which then cost no query.
    return JudgmentList.objects.select_related("scale").prefetch_related("scale__grades").get()


@pytest.fixture
def run(judgment_list):
    run = make.make_run(judgment_list.query_set)
    for query in judgment_list.query_set.queries.all():
        scores = SCORES[query.external_id]
        make_ranking(run, query, ["b", "a", "X", "c", "e"][: len(scores)], scores)
    make_ranking(run, make.make_query(judgment_list.query_set, "unjudged"), ["a", "b"], [1, 1])
    return run


def ids(judgment_list):
    return list(judgment_list.query_set.queries.values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("cutoff", "tied"),
    [(1, {"early"}), (2, {"early"}), (3, {"early", "across"}), (10, {"early", "across", "below"})],
)
def test_a_query_is_tied_where_a_group_begins_within_the_cutoff(judgment_list, run, cutoff, tied):
    formula = Formula(cutoff=cutoff)
    evaluation = evaluate(run, judgment_list, formula)

    ties = query_ties(judgment_list, run, formula, ids(judgment_list))

    names = dict(judgment_list.query_set.queries.values_list("pk", "external_id"))
    assert {names[query] for query in ties} == tied
    assert evaluation.ties == len(tied)
    assert {names[row.query_id] for row in tied_rankings(run, formula)} == tied | {"unjudged"}


@pytest.mark.parametrize("formula", [Formula(cutoff=3), Formula(gain="exp", unjudged="condensed", depth=20)])
def test_the_spreads_of_a_page_are_those_of_its_rankings(judgment_list, run, formula):
    evaluation = evaluate(run, judgment_list, formula)

    ties = query_ties(judgment_list, run, formula, ids(judgment_list))

    for query in judgment_list.query_set.queries.filter(pk__in=ties):
        scores = np.array(SCORES[query.external_id])
        grades = np.array([GRADES.get(name, np.nan) for name in "baXce"[: len(scores)]])
        alone = ranking_spreads(
            scores, grades, list(GRADES.values()), formula, scale_info(judgment_list.scale)
        )
        found = ties[query.pk]
        assert found.dcg == alone.dcg.of(0)
        assert found.ndcg == {ideal: alone.ndcg[ideal].of(0) for ideal in IDEALS}
        assert found.dcg.least - 1e-12 <= score_of(evaluation, query).dcg <= found.dcg.greatest + 1e-12


def cells_of(formula, ties):
    rows = [TiedScore(None, ties)]
    header, cells = csv_rows(tie_columns(formula), rows)
    return dict(zip(header, cells, strict=True))


def test_a_sentence_and_cells_say_the_spread(judgment_list, run):
    formula = Formula(cutoff=2)
    evaluate(run, judgment_list, formula)
    query = judgment_list.query_set.queries.get(external_id="early")

    ties = query_ties(judgment_list, run, formula, [query.pk])[query.pk]

    assert ties.words == (
        "Equal scores from rank 1 on: over their orders DCG is 1.8928 to 3.0000, 2.4464 expected"
    )
    cells = cells_of(formula, ties)
    assert cells["first tie"] == 1
    assert cells["DCG@2 least over ties"] == pytest.approx(3 / np.log2(3))
    assert cells["nDCG@2 greatest over ties"] == pytest.approx(3 / (3 + 2 / np.log2(3)))
    assert cells["nDCG(ideal='max')@2 greatest over ties"] == pytest.approx(3 / (3 + 3 / np.log2(3)))


def test_a_spread_that_is_not_defined_and_a_query_without_ties_leave_cells_empty(judgment_list, run):
    formula = Formula(cutoff=3)
    evaluate(run, judgment_list, formula)
    query = judgment_list.query_set.queries.get(external_id="across")

    ties = query_ties(judgment_list, run, formula, [query.pk])[query.pk]

    cells = cells_of(formula, ties)
    assert cells["nDCG(ideal='local')@3 expected over ties"] is None
    assert cells["nDCG@3 expected over ties"] is not None
    assert set(cells_of(formula, None).values()) == {None}
    assert len(cells_of(formula, None)) == 1 + 5 * 3


def test_a_run_in_the_order_of_its_rank_column_has_no_ties(judgment_list):
    run = make.make_run(judgment_list.query_set, order=Run.Order.RANK)
    make_ranking(run, judgment_list.query_set.queries.get(external_id="early"), ["a", "b"], [1.0, 1.0])

    evaluation = evaluate(run, judgment_list)

    assert (evaluation.ties, query_ties(judgment_list, run, Formula(), ids(judgment_list))) == (0, {})


def test_ties_of_a_page_cost_one_query(judgment_list, run):
    evaluate(run, judgment_list, Formula())
    found = dict(judgment_list.query_set.queries.values_list("external_id", "pk"))

    for names in (("early", "across", "below"), ("early",), ("apart",)):
        with CaptureQueriesContext(connection) as captured:
            query_ties(judgment_list, run, Formula(), [found[name] for name in names])
        assert len(captured) == 1
