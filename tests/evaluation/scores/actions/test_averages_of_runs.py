"""Averages that the database makes of the stored scores are those of the measures' texts, under every policy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgments.models import Query
from tests import factories as make
from tests.evaluation.scored import evaluate, make_grades, make_ranking
from tests.evaluation.stored import WEIGHT, store, three_averages
from tests.snapshot import undone
from tests.touchstone_core.metrics.scenes import formulas, scenes
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.measure import parse

pytestmark = pytest.mark.django_db


def texts(formula):
    measures = {f"ndcg_{ideal}": formula.measure(ideal) for ideal in IDEALS}
    return measures | {"dcg": formula.dcg_measure(), "judged_at_k": formula.judged_measure()}


@given(scenes(), formulas(), st.lists(WEIGHT, min_size=1, max_size=3))
@undone()
def test_all_averages_are_those_of_the_texts(db, scene, formula, weights):
    judgment_list, run, queries = store(scene, weights)
    names, joined = scene.join()

    evaluation = evaluate(run, judgment_list, formula)

    for field, text in texts(formula).items():
        values = parse(text).values(joined)
        found = [getattr(evaluation, prefix + field) for prefix in ("", "median_", "weighted_")]
        expected = three_averages(values.tolist(), [queries[name].weight for name in names])
        assert found == expected, field
        if field == "ndcg_global":
            assert evaluation.counted == np.count_nonzero(~np.isnan(values))
    holes = parse(formula.holes_measure()).values(joined)
    assert evaluation.holes == np.nansum(holes)


@pytest.fixture
def scene():
    """Answered, missing, empty, and two without any gain, of which one is missing."""
    judgment_list = make.make_list(make.make_query_set())
    run = make.make_run(judgment_list.query_set)
    for name in ("answered", "missing", "empty", "hopeless", "hopeless and missing"):
        query = make.make_query(judgment_list.query_set, name)
        make_grades(judgment_list, query, {name: 0 if "hopeless" in name else 3})
        if "missing" not in name:
            make_ranking(run, query, [] if name == "empty" else ["X", name])
    return judgment_list, run


@pytest.mark.parametrize(
    ("policies", "counted", "ndcg", "dcg", "judged"),
    [
        ({}, 5, 0.5 / 5, 1.5 / 5, 1 / 5),
        ({"zero": 1}, 5, 1.5 / 5, 1.5 / 5, 1 / 5),
        ({"zero": "skip"}, 3, 0.5 / 3, 1.5 / 5, 1 / 5),
        ({"missing": "skip"}, 3, 0.5 / 3, 1.5 / 3, 1 / 3),
        ({"missing": "skip", "zero": "skip"}, 2, 0.5 / 2, 1.5 / 3, 1 / 3),
        ({"unjudged": "condensed"}, 5, 1 / 5, 3 / 5, 1 / 5),
    ],
)
def test_the_policies_decide_what_is_averaged_and_the_counts_stay(
    scene, policies, counted, ndcg, dcg, judged
):
    judgment_list, run = scene

    evaluation = evaluate(run, judgment_list, Formula(discount="reciprocal", **policies))

    assert (evaluation.counted, evaluation.ndcg_global) == (counted, pytest.approx(ndcg))
    assert (evaluation.dcg, evaluation.judged_at_k) == (pytest.approx(dcg), pytest.approx(judged))
    counts = (evaluation.judged_queries, evaluation.answered, evaluation.missing, evaluation.empty)
    assert counts == (5, 2, 2, 1)
    assert (evaluation.zero_ideal, evaluation.holes) == (2, 2)


def test_missing_queries_that_are_left_out_are_in_no_sum(scene):
    judgment_list, run = scene
    whole = evaluate(run, judgment_list, Formula(cutoff=1))
    rest = evaluate(run, judgment_list, Formula(cutoff=1, missing="skip"))

    def total(evaluation):
        parts = ("sum_dcg", "sum_order", "sum_depth", "sum_recall", "sum_content")
        return sum(getattr(evaluation, part) for part in parts)

    assert (total(whole), total(rest)) == (15, 9)
    assert (whole.sum_recall, rest.sum_recall) == (6, 3)


def test_weights_may_be_so_great_that_their_sum_is_no_number(scene):
    judgment_list, run = scene
    Query.objects.filter(external_id__in=["answered", "missing"]).update(weight=1.7e308)

    evaluation = evaluate(run, judgment_list, Formula(discount="reciprocal"))

    assert evaluation.weighted_ndcg_global == pytest.approx(0.25)


def test_a_changed_weight_changes_the_weighted_mean_at_the_next_view(scene):
    judgment_list, run = scene
    formula = Formula(discount="reciprocal")
    assert evaluate(run, judgment_list, formula).weighted_ndcg_global == pytest.approx(0.1)

    Query.objects.filter(external_id="answered").update(weight=6)

    assert evaluate(run, judgment_list, formula).weighted_ndcg_global == pytest.approx(0.3)
    assert evaluate(run, judgment_list, formula).ndcg_global == pytest.approx(0.1)


def test_without_any_weight_there_is_no_weighted_mean(scene):
    judgment_list, run = scene
    Query.objects.update(weight=0)

    evaluation = evaluate(run, judgment_list)

    assert evaluation.weighted_ndcg_global is None
    assert evaluation.median_ndcg_global == 0
