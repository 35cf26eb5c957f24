import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.metrics.measures import measures
from tests.touchstone_core.metrics.refusals import refused
from tests.touchstone_core.metrics.scenes import POLICIES, formulas, scenes
from touchstone_core.metrics.arrays import ScaleInfo, join
from touchstone_core.metrics.definitions import DEFINITIONS
from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.ladder import ladder
from touchstone_core.metrics.measure import parse


@given(scenes(), formulas(), st.sampled_from(IDEALS))
def test_the_texts_of_a_formula_are_measures_of_the_same_values(scene, formula, ideal):
    _, run = scene.join()
    scored = ladder(run, formula)

    ndcg, dcg = parse(formula.measure(ideal)), parse(formula.dcg_measure())

    assert (str(ndcg), str(dcg)) == (formula.measure(ideal), formula.dcg_measure())
    assert ndcg.values(run) == pytest.approx(scored.ndcg(ideal), rel=1e-12, nan_ok=True)
    assert dcg.values(run) == pytest.approx(np.where(scored.counted, scored.dcg, np.nan), rel=0, nan_ok=True)
    for text, values in (
        (formula.judged_measure(), scored.judged_at_k),
        (formula.holes_measure(), scored.holes),
    ):
        assert str(parse(text)) == text
        assert parse(text).values(run) == pytest.approx(np.where(scored.counted, values, np.nan), nan_ok=True)


SHARES = [name for name in DEFINITIONS if name not in {"DCG", "IDCG", "CG", "Holes"}]


@given(scenes(), measures(SHARES))
def test_a_share_lies_between_0_and_1_or_is_left_out(scene, measure):
    _, run = scene.join()

    values = measure.values(run)

    assert values.shape == (run.queries,)
    assert values.dtype == np.float64
    counted = values[~np.isnan(values)]
    assert ((counted >= 0) & (counted <= 1 + 1e-12)).all()
    assert (measure.mean(values) is None) == (counted.size == 0)


@given(scenes(), measures())
def test_a_missing_query_counts_0_or_is_left_out(scene, measure):
    _, run = scene.join()

    values = measure.values(run)[~run.answered]

    if measure.name == "IDCG" and ("missing", "skip") not in measure.parameters:
        assert (values >= 0).all()
    elif ("missing", "skip") in measure.parameters:
        assert np.isnan(values).all()
    else:
        assert (np.nan_to_num(values) == 0).all()


@given(scenes())
def test_the_ideals_of_a_measure_rise(scene):
    _, run = scene.join()

    hits, local, recall, whole, uncut = (
        parse(f"nDCG(ideal='{ideal}')@3").values(run)
        for ideal in ("global-hits", "local", "recall", "global", "global-uncut")
    )

    assert (uncut <= whole + 1e-12).all()
    assert (whole <= recall + 1e-12).all()
    assert (recall <= local + 1e-12).all()
    assert (whole <= hits + 1e-12).all()


NAN = pytest.approx(np.nan, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("RR", [0.5, 0, 0, 0, 0]),
        ("RR(missing='skip')", [0.5, NAN, 0, NAN, 0]),
        ("RR(unjudged='condensed')", [1, 0, 0, 0, 0]),
        ("nDCG(ideal='local')@2", [pytest.approx(0.6309, abs=1e-4), 0, 0, 0, 0]),
        ("nDCG(ideal='local', zero=1)@2", [pytest.approx(0.6309, abs=1e-4), 0, 1, 0, 1]),
        ("nDCG(ideal='local', zero='skip')@2", [pytest.approx(0.6309, abs=1e-4), 0, NAN, NAN, NAN]),
        ("nDCG(zero='skip', discount='none')@2", [0.5, 0, NAN, NAN, 0]),
        ("nDCG(zero='skip', missing='skip', discount='none')@2", [0.5, NAN, NAN, NAN, 0]),
        ("IDCG(discount='none')@2", [2, 1, 0, 0, 1]),
        ("RBPres(p=0.5)", [0.75, 0, 0.5, 0, 1]),
        ("Judged", [0.5, 0, 1, 0, 0]),
        ("Holes", [1, 0, 0, 0, 0]),
        ("CG@2", [1, 0, 0, 0, 0]),
    ],
)
def test_the_policies_say_what_a_query_counts(text, values):
    assert parse(text).values(POLICIES).tolist() == values


def test_queries_that_are_left_out_are_not_in_the_mean():
    measure = parse("nDCG(missing='skip', zero='skip', discount='none')@2")

    assert measure.mean(measure.values(POLICIES)) == 0.25
    assert measure.mean(np.array([np.nan])) is None


def test_the_threshold_and_the_top_are_the_scales_unless_said():
    _, run = join({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, ScaleInfo(top_grade=4, threshold=2))

    def value(text):
        return parse(text).values(run)[0]

    assert (value("RR"), value("RR(rel=1)"), value("RR(rel=3)")) == (0.5, 1, 0)
    assert value("nDCG(ideal='max', discount='none')@2") == 3 / 8
    assert value("nDCG(ideal='max', max=2, discount='none')@2") == 3 / 4
    assert value("ERR@1") == 1 / 16
    assert value("ERR(max=2)@1") == 1 / 4
    assert value("RBP(p=0.5)") == pytest.approx(1 / 8 + 1 / 8)
    assert value("RBP(max=2, p=0.5)") == pytest.approx(1 / 4 + 1 / 4)
    assert value("RBP(p=0.5, rel=2)") == pytest.approx(1 / 4)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("nDCG(ideal='max', max=2, discount='none')@2", 3 / 4),
        ("ERR(max=2)@1", 1 / 4),
        ("RBP(max=2, p=0.5)", 1 / 2),
    ],
)
def test_a_lower_top_that_is_said_does_not_clash_with_the_scales_own_bottom_and_table(text, value):
    scale = ScaleInfo(top_grade=4, bottom=3, gains={0: 0, 4: 1})
    _, run = join({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, scale)

    assert parse(text).values(run)[0] == pytest.approx(value)


@pytest.mark.parametrize(("top", "value"), [(-1, 0), (0, 0), (0.5, 0.5)])
def test_rbp_divides_by_a_top_grade_of_any_size(top, value):
    _, run = join({"q": {"a": top}}, {"q": ["a"]}, ScaleInfo(top_grade=top))

    assert parse("RBP(p=0.5)").values(run).tolist() == [value]


@pytest.mark.parametrize("text", ["ERR(max=1)", "RBP(max=1)", "nDCG(ideal='max', max=1)@3"])
def test_a_grade_above_the_top_that_is_said_is_refused(text):
    _, run = join({"q": {"a": 2}}, {"q": ["a"]}, ScaleInfo(top_grade=2))

    with refused("The grade 2 lies above the top of the scale, 1."):
        parse(text).values(run)


@given(scenes(queries=0), measures())
def test_without_queries_there_are_no_values(scene, measure):
    assert measure.values(scene.join()[1]).tolist() == []
