"""What changed between two stored runs, and what is settled whatever the unjudged documents are worth."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.comparisons.reports.evidence import ScoresMoved, StoredPages
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.models import ConsensusGrade
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking, make_scale
from touchstone_core.bounds.values import has_bounds
from touchstone_core.comparison.page_evidence import Standing
from touchstone_core.impact.pages import Change
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db
FORMULA = Formula(cutoff=2)
# By query: the baseline's page, the candidate's page (None: no answer), the grades.
SCENE = [
    ("ab", "ab", {"a": 3}),
    ("ab", "ba", {"a": 3, "b": 0}),
    ("ab", "ca", {"a": 3, "b": 0}),
    ("ac", "bc", {"a": 0, "b": 2}),
    ("ab", None, {"a": 1}),
    ("xy", "zy", {"a": 1}),
]


@pytest.fixture
def scene():
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=make_scale(0, 1, 2, 3))
    runs = [make.make_run(query_set), make.make_run(query_set)]
    queries = []
    for at, (old, new, grades) in enumerate(SCENE):
        query = make.make_query(query_set, f"q{at}")
        make_grades(judgment_list, query, grades)
        for run, page in zip(runs, (old, new), strict=True):
            if page is not None:
                make_ranking(run, query, [*page, "later"])
        queries.append(query.pk)
    bring_up_to_date(ScoringRequest(judgment_list, runs, FORMULA))  # finds the hits
    return judgment_list, runs, queries


def test_each_query_tells_what_changed_and_who_wins_whatever_is_missing(scene):
    judgment_list, runs, queries = scene

    found = StoredPages(judgment_list, None, queries, FORMULA, runs).evidence(1)

    assert found.change.tolist() == [
        *(Change.NONE, Change.ORDER, Change.DOCUMENTS, Change.DOCUMENTS, Change.DOCUMENTS, Change.DOCUMENTS)
    ]
    assert found.standing.tolist() == [
        *(
            Standing.EVEN,
            Standing.BASELINE,
            Standing.OPEN,
            Standing.CANDIDATE,
            Standing.BASELINE,
            Standing.OPEN,
        )
    ]
    assert found.first.tolist() == [False, True, True, True, True, True]
    assert found.overlap.tolist() == [1, 1, 0.5, 0.5, 0, 0.5]


def test_the_bounds_lie_within_the_ceiling(scene):
    judgment_list, runs, queries = scene

    found = StoredPages(judgment_list, None, queries, FORMULA, runs).evidence(1)

    ideal = 3 * (1 + 1 / np.log2(3))
    assert (found.ceiling[0], found.low[0], found.high[0]) == (0, 0, 0)
    assert found.low[1] == found.high[1] == pytest.approx((3 / np.log2(3) - 3) / ideal)
    # c, unjudged at rank 1, is worth nothing to 3; a falls from 1 to 2; b leaves, worth nothing.
    assert found.low[2] == pytest.approx((3 / np.log2(3) - 3) / ideal)
    assert found.high[2] == pytest.approx((3 + 3 / np.log2(3) - 3) / ideal)
    assert (np.maximum(-found.low, found.high) <= found.ceiling + 1e-12).all()
    assert found.rbo[0] == pytest.approx(1)


def test_the_same_run_twice_changes_nothing(scene):
    judgment_list, (baseline, _), queries = scene

    found = StoredPages(judgment_list, None, queries, FORMULA, [baseline]).evidence(0)

    assert not found.change.any()
    assert not found.standing.any()
    assert (found.ceiling.any(), found.low.any(), found.high.any()) == (False, False, False)
    assert found.rbo == pytest.approx(np.ones(len(queries)))


def test_bounds_of_a_run_are_those_of_its_rankings(scene):
    judgment_list, (baseline, _), queries = scene

    found = StoredPages(judgment_list, None, queries, FORMULA, [baseline]).bounds(0)

    weight = 1 / np.log2(3)
    assert found.coverage == pytest.approx([1 / (1 + weight), 1, 1, 1 / (1 + weight), 1 / (1 + weight), 0])
    assert found.low["max"][0] == pytest.approx(1 / (1 + weight))
    assert found.high["max"][0] == pytest.approx(1)


def test_a_query_without_an_answer_counts_in_the_bounds_whatever_the_policy(scene):
    judgment_list, (_, candidate), queries = scene

    found = StoredPages(judgment_list, None, queries, Formula(cutoff=2, missing="skip"), [candidate]).bounds(
        0
    )

    for ideal in ("local", "recall", "global", "max"):
        assert (found.low[ideal][4], found.high[ideal][4]) == (0, 0)


@pytest.mark.parametrize("formula", [Formula(cutoff=200), Formula(unjudged="condensed")])
def test_not_every_formula_has_bounds(formula):
    assert has_bounds(FORMULA)
    assert not has_bounds(formula)


def test_the_cost_grows_neither_with_queries_nor_with_runs(scene):
    judgment_list, runs, queries = scene

    with CaptureQueriesContext(connection) as few:
        StoredPages(judgment_list, None, queries[:1], FORMULA, runs[:1]).evidence(0)
    with CaptureQueriesContext(connection) as many:
        StoredPages(judgment_list, None, queries, FORMULA, runs).evidence(1)

    # The fifth reads short rankings whole, to see which of their documents are the same.
    assert (len(few), len(many)) == (4, 5)


def test_a_query_that_has_lost_its_grades_meanwhile_is_noticed(scene):
    judgment_list, runs, queries = scene
    ConsensusGrade.objects.filter(judgment_list=judgment_list, query=queries[0]).update(value=None)

    with pytest.raises(ScoresMoved):
        StoredPages(judgment_list, None, queries, FORMULA, runs)


def test_a_run_that_answers_no_query_shows_nothing(scene):
    judgment_list, (baseline, _), queries = scene
    empty = make.make_run(judgment_list.query_set)

    judged = StoredPages(judgment_list, None, queries, FORMULA, [baseline, empty])

    assert (judged.document[1] < 0).all()
    assert judged.runs[1].retrieved.tolist() == [0] * len(queries)
    assert judged.evidence(1).overlap.tolist() == [0] * len(queries)


def test_the_universe_is_what_these_runs_retrieved_and_nobody_judged(scene):
    judgment_list, runs, queries = scene

    both, one = (StoredPages(judgment_list, None, queries, FORMULA, of) for of in (runs, runs[:1]))

    # "later" stands below the cutoff of each answer, in both runs the same document.
    assert both.unjudged.tolist() == [2, 1, 2, 2, 2, 4]
    assert one.unjudged.tolist() == [2, 1, 1, 2, 2, 3]


def test_a_document_on_the_other_runs_page_lowers_global_but_not_recall(scene):
    judgment_list, (baseline, candidate), queries = scene

    found = StoredPages(judgment_list, None, queries, FORMULA, [baseline, candidate]).bounds(0)

    # Of the third query a = 3 and b = 0 are judged and shown; c and "later" may be worth 3 each, one of which it retrieved.
    weight = 1 / np.log2(3)
    assert found.low["recall"][2] == pytest.approx(3 / (3 + 3 * weight))
    assert found.low["global"][2] == pytest.approx(3 / (3 + 3 * weight))
    assert found.low["recall"][5] == found.low["global"][5] == 0
    for ends in (found.low, found.high):
        assert (ends["recall"] >= ends["global"] - 1e-12).all()


def test_other_stored_runs_are_read_for_the_pool(scene):
    judgment_list, (baseline, candidate), queries = scene

    alone = StoredPages(judgment_list, None, queries, FORMULA, [baseline])
    pages, left_out = alone.pool_pages()

    together = StoredPages(judgment_list, None, queries, FORMULA, [baseline, candidate])
    np.testing.assert_array_equal(pages.document, together.document)
    np.testing.assert_array_equal(pages.gain, together.gain)
    assert left_out == 0


def test_more_stored_runs_than_can_be_read_are_counted(scene, monkeypatch):
    judgment_list, (baseline, _), queries = scene
    monkeypatch.setattr("evaluation.comparisons.reports.evidence.MOST_ON_PAGES", 2 * len(queries))

    pages, left_out = StoredPages(judgment_list, None, queries, FORMULA, [baseline]).pool_pages()

    assert (len(pages.document), left_out) == (1, 1)
