"""What is computed together equals what each measure computes alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.guide.reports.sweep import Sweep
from tests.touchstone_core.metrics.scenes import Scene, scenes
from touchstone_core.metrics import averages
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.measure import Measure, parse
from touchstone_core.metrics.scale import ScaleInfo

IDEALS = ("global", "local", "recall", "max", "global-uncut", "global-hits")


def ndcgs() -> st.SearchStrategy[Measure]:
    return st.builds(
        lambda cutoff, **parameters: Measure.of("nDCG", cutoff, **parameters),
        st.integers(1, 15),
        gain=st.sampled_from(["linear", "exp", "table"]),
        discount=st.sampled_from(["log2", "jk", "reciprocal", "none"]),
        ideal=st.sampled_from(IDEALS),
        zero=st.sampled_from([0, 1, "skip"]),
        missing=st.sampled_from([0, "skip"]),
    )


@given(scenes(), st.lists(ndcgs(), min_size=1, max_size=6))
def test_every_ndcg_is_that_of_the_measure(scene, measures):
    _, run = scene.join()
    sweep = Sweep(run)

    for measure in measures:
        np.testing.assert_allclose(
            sweep.values(measure), measure.values(run), rtol=0, atol=1e-12, err_msg=str(measure)
        )


@pytest.mark.parametrize(
    "text",
    [
        "RR@2",
        "nDCG",
        "nDCG(unjudged='condensed')@2",
        "nDCG(depth=3, ideal='recall')@2",
        "nDCG(ideal='max', max=9)@2",
    ],
)
def test_what_shares_nothing_is_left_to_the_measure(text):
    scene = Scene(
        ScaleInfo(top_grade=4.0), {"q": {"d1": 2.0, "d2": 4.0, "d3": 1.0}}, {"q": ["x", "d1", "d3"]}
    )
    _, run = scene.join()

    assert Sweep(run).values(parse(text)).tolist() == parse(text).values(run).tolist()


def test_a_gain_that_the_scale_has_not_is_refused():
    scene = Scene(ScaleInfo(top_grade=4.0), {"q": {"d1": 2.0}}, {"q": ["d1"]})
    _, run = scene.join()

    with pytest.raises(MetricsError, match="needs a scale whose levels have gains"):
        Sweep(run).values(parse("nDCG(gain='table')@2"))


@given(scenes(), st.lists(ndcgs(), min_size=1, max_size=6))
def test_the_mean_under_any_policy_comes_from_one_sum(scene, measures):
    _, run = scene.join()
    sweep = Sweep(run)

    for measure in measures:
        chosen = measure.definition.with_defaults(dict(measure.parameters))
        means = sweep.means(measure)
        if means is None:  # a table of gains that does not rise with the grades
            assert chosen["gain"] == "table"
            continue
        expected = averages.mean(measure.values(run))
        found = means.under(chosen["zero"], chosen["missing"])
        assert found == (None if expected is None else pytest.approx(expected, abs=1e-12)), str(measure)


def test_what_shares_no_sums_has_no_means():
    scene = Scene(ScaleInfo(top_grade=4.0), {"q": {"d1": 2.0}}, {"q": ["d1"]})
    _, run = scene.join()

    assert Sweep(run).means(parse("RR@2")) is None


def test_a_lower_cutoff_after_a_higher_one_and_very_long_lists_are_right():
    grades = {f"d{number}": float(number % 5) for number in range(70_000)}
    scene = Scene(ScaleInfo(top_grade=4.0), {"q": grades}, {"q": list(grades)[::-1]})
    _, run = scene.join()
    sweep = Sweep(run)

    for text in ("nDCG@100", "nDCG@3", "nDCG(ideal='global-uncut')@10", "nDCG@20", "nDCG@100000", "nDCG@3"):
        np.testing.assert_allclose(sweep.values(parse(text)), parse(text).values(run), rtol=1e-12)
