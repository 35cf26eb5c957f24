"""What a comparison reads of several runs. Expected values: science of the four ideals, its test vectors."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.comparisons.reports.evidence import ScoresMoved, read_compared_values
from evaluation.models import Score
from evaluation.scores.actions.measures import bring_measures_up_to_date
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests.evaluation.scored import change_grade, make_grades, make_ranking, make_scale
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.selection import read_measures

pytestmark = pytest.mark.django_db
FORMULA = Formula(cutoff=3)
RR = read_measures("RR")


@pytest.fixture
def scene():
    """Two queries with grades and one without; the second run answers the first query only."""
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=make_scale(0, 1, 2, 3))
    first, second, blank = (make.make_query(query_set, name) for name in ("q1", "q2", "q3"))
    type(first).objects.filter(pk=second.pk).update(weight=4, tags=["kept", "brand"])
    make_grades(judgment_list, first, {"a": 1, "b": 3})
    make_grades(judgment_list, second, {"c": 2})
    make_grades(judgment_list, blank, {"d": None})
    baseline, candidate = make.make_run(query_set), make.make_run(query_set)
    make_ranking(baseline, first, ["a", "x", "y"])
    make_ranking(baseline, second, ["c"])
    make_ranking(candidate, first, ["a", "x", "b"])
    return judgment_list, [baseline, candidate], [first, second]


def read(judgment_list, runs, formula=FORMULA, measures=(), version=None, tag=""):
    of_measures = [one.counting_missing for one in measures]
    scoring = ScoringRequest(judgment_list, runs, formula.counting_missing, of_measures, version)
    bring_up_to_date(scoring)
    bring_measures_up_to_date(scoring)
    return stored(judgment_list, runs, formula, measures=measures, version=version, tag=tag)


def stored(judgment_list, runs, formula=FORMULA, version=None, **others):
    """What is there already."""
    found = judgment_list.evaluations.filter(version=version, formula=formula.counting_missing.key)
    by_run = {one.run_id: one for one in found}
    return read_compared_values([by_run[run.pk] for run in runs], **others)


def test_values_stand_by_run_and_query(scene):
    judgment_list, runs, queries = scene

    found = read(judgment_list, runs, measures=RR)

    assert found.queries.tolist() == [query.pk for query in queries]
    assert found.dcg[:, 0] == pytest.approx([1, 2.5])
    assert found.ndcg("local")[:, 0] == pytest.approx([1, 0.6885], abs=5e-5)
    assert found.ndcg("global")[:, 0] == pytest.approx([0.2754, 0.6885], abs=5e-5)
    assert found.ndcg("max")[:, 0] == pytest.approx([0.1564, 0.3911], abs=5e-5)
    assert found.measures["RR"][:, 0].tolist() == [1, 1]
    assert (found.shown[:, 0].tolist(), found.judged[:, 0].tolist()) == ([3, 3], [1, 2])


def test_a_query_without_an_answer_counts_nothing_whatever_the_policy(scene):
    judgment_list, runs, _ = scene
    formula = Formula(cutoff=3, missing="skip")

    found = read(judgment_list, runs, formula, measures=read_measures("RR(missing='skip')"))

    assert found.answered.tolist() == [[True, True], [True, False]]
    for ideal in ("local", "recall", "global", "max"):
        assert found.ndcg(ideal)[1, 1] == 0
    assert found.measures["RR(missing='skip')"][:, 1].tolist() == [1, 0]


def test_what_nobody_answers_and_nothing_could_be_gained_by_is_left_out_by_every_measure_alike(scene):
    judgment_list, runs, (_, second) = scene
    change_grade(judgment_list, second, "c", 0)
    formula = Formula(cutoff=3, missing="skip", zero="skip")
    measure = formula.measure("global")

    found = read(judgment_list, runs, formula, measures=read_measures(measure))

    np.testing.assert_equal(found.ndcg("global")[:, 1], [np.nan, np.nan])
    np.testing.assert_equal(found.measures[measure], found.ndcg("global"))


def test_a_further_measure_says_itself_what_a_query_without_an_answer_is_worth(scene):
    judgment_list, runs, (_, second) = scene
    change_grade(judgment_list, second, "c", 0)

    found = read(judgment_list, runs, measures=read_measures("nDCG(zero='skip')@3"))

    np.testing.assert_equal(found.measures["nDCG(zero='skip')@3"][:, 1], [np.nan, np.nan])


@pytest.mark.parametrize(("zero", "answered", "missing"), [(0, 0, 0), (1, 1, 0), ("skip", np.nan, np.nan)])
def test_a_query_without_any_gain_is_what_the_formula_says(scene, zero, answered, missing):
    judgment_list, runs, (_, second) = scene
    change_grade(judgment_list, second, "c", 0)

    found = read(judgment_list, runs, Formula(cutoff=3, zero=zero))

    np.testing.assert_equal(found.ndcg("global")[:, 1], [answered, missing])


def test_the_waterfall_of_every_query_adds_up_to_the_whole(scene):
    judgment_list, runs, _ = scene

    found = read(judgment_list, runs)

    assert found.shares.sum(axis=1) == pytest.approx(np.ones((2, 2)))
    assert found.shares[:, 0] == pytest.approx(found.ndcg("max"))
    # Run a, x, y lacks b: nothing is lost by order or depth, 2.631 of 6.392 by recall.
    order, depth, recall = found.shares[0, 1:4, 0]
    assert order == depth == 0
    assert recall == pytest.approx((3 + 1 / np.log2(3) - 1) / (3 * 2.13093), abs=1e-5)


def test_weights_and_the_tag_are_those_of_the_queries(scene):
    judgment_list, runs, _ = scene

    found = read(judgment_list, runs, tag="kept")

    assert found.weights.tolist() == [1, 4]
    assert found.tagged.tolist() == [False, True]
    held = found.of(found.tagged)
    assert (held.queries.tolist(), held.dcg.tolist()) == ([found.queries[1]], [[2.0], [0.0]])
    assert held.measures == {}


def test_a_version_keeps_its_grades_and_weights(scene):
    judgment_list, runs, queries = scene
    version = freeze_version(judgment_list=judgment_list)
    change_grade(judgment_list, queries[1], "c", 0)
    type(queries[1]).objects.filter(pk=queries[1].pk).update(weight=9)

    found = read(judgment_list, runs, measures=RR, version=version)

    assert found.dcg[0].tolist() == [1, 2]
    assert found.weights.tolist() == [1, 4]


def test_a_list_without_a_grade_has_no_queries_to_compare():
    query_set = make.make_query_set()
    runs = [make.make_run(query_set), make.make_run(query_set)]

    found = read(make.make_list(query_set), runs, measures=RR)

    assert found.dcg.shape == found.measures["RR"].shape == (2, 0)


def test_runs_that_were_scored_on_different_queries_are_not_compared(scene):
    judgment_list, runs, queries = scene
    read(judgment_list, runs, measures=RR)
    Score.objects.filter(evaluation__run=runs[1], query=queries[0]).delete()

    with pytest.raises(ScoresMoved):
        stored(judgment_list, runs)


def test_a_query_that_left_the_list_meanwhile_is_not_compared(scene):
    judgment_list, runs, queries = scene
    read(judgment_list, runs)
    judgment_list.list_queries.filter(query__gte=queries[1].pk).delete()

    with pytest.raises(ScoresMoved):
        stored(judgment_list, runs)


def test_a_measure_that_was_not_computed_is_not_compared(scene):
    judgment_list, runs, _ = scene
    read(judgment_list, runs)

    with pytest.raises(ScoresMoved):
        stored(judgment_list, runs, measures=RR)


def test_the_cost_does_not_grow_with_runs(scene):
    judgment_list, runs, _ = scene
    many = [*runs, *(make.make_run(judgment_list.query_set) for _ in range(4))]
    read(judgment_list, many, measures=RR)

    with CaptureQueriesContext(
        connection,
    ) as statements:
        stored(judgment_list, many, measures=RR)

    assert len(statements) == 5  # one of which finds the evaluations
