"""Every arrangement of the five documents has the values that the measures give, and its sums add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.guide.forms import GRADES
from evaluation.guide.reports.learn import START, Scene, learn_page
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.measure import Measure
from touchstone_core.metrics.scale import ScaleInfo

DOCUMENTS = tuple(START.titles)
SCENES = st.builds(
    Scene,
    grades=st.fixed_dictionaries(
        {name: st.sampled_from([float(grade) for grade in GRADES]) for name in DOCUMENTS}
    ),
    retrieved=st.lists(st.sampled_from(DOCUMENTS), unique=True).map(tuple),
    cutoff=st.integers(1, 5),
    discount=st.sampled_from(["reciprocal", "log2"]),
)


@given(SCENES)
def test_the_bars_are_the_measures_that_score_runs(scene):
    """`learn_page` works by `worked_query`, runs are scored by arrays: two implementations."""
    scale = ScaleInfo(top_grade=1.0, threshold=0.5, bottom=0.0)
    _, run = join({"q": scene.grades}, {"q": scene.retrieved}, scale)

    for bar in learn_page(scene)["bars"]:
        [measured] = Measure.of("nDCG", scene.cutoff, discount=scene.discount, ideal=bar.name).values(run)
        assert bar.ndcg.number == pytest.approx(measured, abs=1e-12)


@given(SCENES)
def test_the_sums_that_are_written_down_give_the_total(scene):
    page = learn_page(scene)

    for text, total in [
        (page["dcg_sum"], page["dcg"]),
        *(bar.ideal_sum.rsplit(" = ", 1) for bar in page["bars"]),
    ]:
        products = [np.prod([float(one) for one in part.split(" × ")]) for part in text.split(" + ")]
        assert sum(products) == pytest.approx(float(total), abs=5e-4)  # the discounts have four decimals


@given(SCENES, st.sampled_from(DOCUMENTS))
def test_up_and_down_undo_each_other(scene, document):
    if higher := scene.up(document):
        assert higher.down(document) == scene
    if lower := scene.down(document):
        assert lower.up(document) == scene


@given(SCENES)
def test_nothing_is_lost(scene):
    page = learn_page(scene)

    assert {place.document for place in (*page["retrieved"], *page["missed"])} == set(DOCUMENTS)
    assert [bar.ndcg.number for bar in page["bars"]] == sorted(
        (bar.ndcg.number for bar in page["bars"]), reverse=True
    )
