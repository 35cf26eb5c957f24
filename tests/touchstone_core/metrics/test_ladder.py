from itertools import pairwise

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.metrics.refusals import refused
from tests.touchstone_core.metrics.scenes import DOCUMENTS, POLICIES, formulas, scenes, score
from touchstone_core.metrics.arrays import JudgedRun, ScaleInfo, join, judged_run
from touchstone_core.metrics.errors import FormulaError
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import LOSSES, ladder


def steps(scored):
    return [scored.dcg, *(scored.ideal(name) for name in IDEALS)]


@given(scenes(), formulas())
def test_dcg_and_the_four_ideals_rise_under_every_gain_and_discount(scene, formula):
    scored = ladder(scene.join()[1], formula)

    for below, above in pairwise(steps(scored)):
        assert (below <= above).all()


@given(scenes(), formulas())
def test_the_four_ndcgs_fall_from_local_to_max_and_stay_between_0_and_1(scene, formula):
    scored = ladder(scene.join()[1], formula)
    ndcgs = [scored.ndcg(name) for name in IDEALS]

    for above, below in pairwise(ndcgs):
        assert (np.isnan(above) | (above >= below)).all()
        assert not np.isnan(below[~np.isnan(above)]).any()
    for ndcg in ndcgs:
        assert (np.isnan(ndcg) | ((ndcg >= 0) & (ndcg <= 1))).all()


@given(scenes(), formulas())
def test_dcg_and_the_four_losses_add_up_to_the_greatest_ideal(scene, formula):
    scored = ladder(scene.join()[1], formula)

    total = scored.dcg + sum(scored.loss(name) for name in LOSSES)

    np.testing.assert_allclose(total, scored.ideal_max, rtol=1e-12, atol=1e-12)


@given(scenes(), formulas())
def test_judged_documents_and_holes_make_up_what_is_shown(scene, formula):
    queries, run = scene.join()
    scored = ladder(run, formula)

    for index, query in enumerate(queries):
        shown = scene.rankings.get(query, [])[: formula.cutoff]
        judged = sum(document in scene.judgments[query] for document in shown)
        assert (scored.shown[index], scored.judged[index]) == (len(shown), judged)
        assert scored.holes[index] == len(shown) - judged
        assert scored.judged_at_k[index] == (judged / len(shown) if shown else 0)


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=1, max_size=14), formulas())
def test_a_perfect_ranking_reaches_its_ideals_exactly(grades, formula):
    grades.sort(reverse=True)
    judged = dict(zip(DOCUMENTS, grades, strict=False))
    scale = ScaleInfo(top_grade=3, gains={0: 0, 1: 0.01, 2: 0.1, 3: 1.0})

    scored = score(judged, list(judged), formula, scale)

    assert scored.dcg[0] == scored.ideal_local[0] == scored.ideal_recall[0] == scored.ideal_global[0]


@pytest.mark.parametrize("discount", ["log2", "jk", "reciprocal", "none"])
def test_a_page_full_of_top_grades_has_an_ndcg_max_of_exactly_1(discount):
    judged = dict.fromkeys(DOCUMENTS, 0.7)

    assert score(judged, DOCUMENTS, Formula(cutoff=14, discount=discount)).ndcg("max")[0] == 1.0


@given(scenes(grades=st.integers(-2, 4)), st.integers(1, 12), st.sampled_from(["linear", "exp"]))
def test_ndcg_global_is_that_of_trec_eval(scene, cutoff, gain):
    queries, run = scene.join()
    ours = dict(zip(queries, ladder(run, Formula(cutoff=cutoff, gain=gain)).ndcg("global"), strict=True))

    for query, theirs in trec_eval_ndcg(scene, cutoff, gain).items():
        assert ours[query] == pytest.approx(theirs, abs=1e-12)


def trec_eval_ndcg(scene, cutoff, gain):
    """By pytrec_eval, without the queries that make it crash: empty rankings and grades that are all negative.

    It knows no exponential gain, so that it is given gains as grades.
    """
    qrels = {
        query: {
            document: 2**grade - 1 if gain == "exp" and grade > 0 else grade
            for document, grade in judged.items()
        }
        for query, judged in scene.judgments.items()
        if judged and max(judged.values()) >= 0 and scene.rankings.get(query)
    }
    if not qrels:
        return {}
    run = {
        query: {document: float(-rank) for rank, document in enumerate(scene.rankings[query])}
        for query in qrels
    }
    name = f"ndcg_cut_{cutoff}"
    scored = pytrec_eval.RelevanceEvaluator(qrels, {f"ndcg_cut.{cutoff}"}).evaluate(run)
    return {query: values[name] for query, values in scored.items()}


def test_the_recall_depth_bounds_what_reranking_could_use():
    judged, ranking = {"a": 1, "b": 2, "c": 3}, ["x", "a", "b", "c"]

    def recall(depth):
        return score(judged, ranking, Formula(cutoff=1, depth=depth)).ideal_recall[0]

    assert [recall(1), recall(2), recall(3), recall(4), recall(None)] == [0, 1, 2, 3, 3]


def test_a_missing_query_scores_nothing_and_keeps_its_ideals():
    _, run = join({"q": {"a": 1}}, {}, ScaleInfo(top_grade=2))

    scored = ladder(run, Formula(cutoff=1))

    assert [step[0] for step in steps(scored)] == [0, 0, 0, 1, 2]
    assert [scored.ndcg(name)[0] for name in IDEALS] == [0, 0, 0, 0]
    assert [scored.loss(name)[0] for name in LOSSES] == [0, 0, 1, 1]
    assert scored.judged_at_k[0] == 0


def test_a_query_without_a_relevant_document_is_marked():
    _, run = join({"none": {"a": 0, "b": -1}, "some": {"a": 1}}, {"none": ["a", "b"]}, ScaleInfo(top_grade=1))

    scored = ladder(run, Formula())

    assert scored.zero_ideal.tolist() == [True, False]
    assert scored.ndcg("global").tolist() == [0, 0]


@pytest.mark.parametrize(
    ("policies", "values"),
    [
        ({}, [0.5, 0, 0, 0, 0]),
        ({"zero": 1}, [0.5, 0, 1, 0, 0]),
        ({"zero": "skip"}, [0.5, 0, np.nan, np.nan, 0]),
        ({"missing": "skip"}, [0.5, np.nan, 0, np.nan, 0]),
        ({"zero": 1, "missing": "skip"}, [0.5, np.nan, 1, np.nan, 0]),
        ({"zero": "skip", "missing": "skip"}, [0.5, np.nan, np.nan, np.nan, 0]),
    ],
)
def test_the_policies_say_what_a_query_counts(policies, values):
    scored = ladder(POLICIES, Formula(cutoff=2, discount="none", **policies))

    assert scored.ndcg("global").tolist() == pytest.approx(values, nan_ok=True)
    assert scored.judged_at_k.tolist() == [0.5, 0, 1, 0, 0]


def test_no_query_at_all_gives_empty_arrays():
    _, run = join({}, {}, ScaleInfo(top_grade=1))

    scored = ladder(run, Formula())

    assert [len(step) for step in steps(scored)] == [0] * 5
    assert {step.dtype for step in steps(scored)} == {np.dtype(np.float64)}


def test_hits_that_are_better_than_the_judgments_are_refused():
    run = judged_run(
        answered=[True],
        retrieved=[1],
        hit_query=[0],
        hit_rank=[1],
        hit_grade=[3],
        judged_query=[0],
        judged_grade=[2],
        scale=ScaleInfo(top_grade=3),
    )

    with refused("The hits and the judgments of a query have different grades."):
        ladder(run, Formula())


def test_a_grade_above_the_top_is_refused_even_where_the_arrays_were_not_checked():
    one, index = np.array([4.0]), np.array([0])
    run = JudgedRun(np.array([True]), index + 1, index, index + 1, one, index, one, ScaleInfo(top_grade=3))

    with refused("The grade 4 lies above the top of the scale, 3."):
        ladder(run, Formula())


def test_condensing_changes_the_values_and_not_what_is_said_of_the_page():
    judged, ranking = {"a": 1, "b": 2, "c": -1}, ["x", "a", "c", "b"]

    scored = score(judged, ranking, Formula(cutoff=3, unjudged="condensed", discount="reciprocal"))

    assert scored.dcg[0] == 2
    assert [scored.ideal_local[0], scored.ideal_recall[0], scored.ideal_global[0]] == [2.5, 2.5, 2.5]
    assert (scored.judged[0], scored.shown[0], scored.holes[0]) == (2, 3, 1)


def test_unknown_ideals_and_losses_are_refused():
    scored = score({"a": 1}, ["a"], Formula())

    with refused("The ideal can’t be 'best'. Use one of local, recall, global, max.", FormulaError):
        scored.ndcg("best")
    with refused("The loss can’t be 'luck'. Use one of order, depth, recall, content.", FormulaError):
        scored.loss("luck")
