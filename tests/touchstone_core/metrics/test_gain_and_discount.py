import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.metrics.refusals import refused
from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.gain import gains, top_gain
from touchstone_core.metrics.scale import ScaleInfo

ESCI = ScaleInfo(top_grade=3, gains={0: 0.0, 1: 0.01, 2: 0.1, 3: 1.0})


@pytest.mark.parametrize(
    ("gain", "expected"),
    [("linear", [0, 0, 1, 2, 3]), ("exp", [0, 0, 1, 3, 7]), ("table", [0, 0, 0.01, 0.1, 1])],
)
def test_each_gain_has_its_formula_and_a_negative_grade_has_none(gain, expected):
    assert gains(np.array([-1.0, 0.0, 1.0, 2.0, 3.0]), gain, ESCI).tolist() == expected


def test_a_grade_between_two_levels_of_the_table_has_a_gain_in_proportion():
    scale = ScaleInfo(top_grade=3, gains={1: 0.5, 2: 1.0, 3: 4.0})

    assert gains(np.array([0.0, 1.5, 2.5]), "table", scale).tolist() == [0.5, 0.75, 2.5]


def test_a_table_may_hold_a_gain_that_no_64_bits_hold_whole():
    scale = ScaleInfo(top_grade=1, gains={0: 0, 1: 2**70})

    assert gains(np.array([1.0]), "table", scale).tolist() == [2.0**70]
    assert top_gain("table", scale) == 2.0**70


def test_exponential_gain_goes_as_far_as_900():
    assert top_gain("exp", ScaleInfo(top_grade=900)) == 2.0**900


def test_the_top_gain_is_that_of_the_top_grade_or_the_greatest_in_the_table():
    peak = ScaleInfo(top_grade=3, gains={1: 9.0, 3: 1.0})

    assert [top_gain(gain, peak) for gain in ("linear", "exp", "table")] == [3, 7, 9]


@pytest.mark.parametrize(
    ("gain", "scale", "sentence"),
    [
        ("cubic", ESCI, "The gain can’t be 'cubic'. Use one of linear, exp, table."),
        (
            "table",
            ScaleInfo(top_grade=3),
            "The gain 'table' needs a scale whose levels have gains, and this scale’s have none.",
        ),
        (
            "exp",
            ScaleInfo(top_grade=1000),
            "Exponential gain needs a top grade of at most 900; this scale’s is 1000.",
        ),
    ],
)
def test_a_gain_that_the_scale_cannot_have_is_refused(gain, scale, sentence):
    with refused(sentence):
        gains(np.array([1.0]), gain, scale)
    with refused(sentence):
        top_gain(gain, scale)


@pytest.mark.parametrize(
    ("discount", "base", "expected"),
    [
        ("log2", None, [1, 0.630930, 0.5, 0.430677]),
        ("jk", None, [1, 1, 0.630930, 0.5]),
        ("jk", 3, [1, 1, 1, 0.792481]),
        ("reciprocal", None, [1, 0.5, 0.333333, 0.25]),
        ("none", None, [1, 1, 1, 1]),
    ],
)
def test_each_discount_has_its_formula(discount, base, expected):
    assert discounts(discount, 4, base) == pytest.approx(expected, abs=5e-7)
    assert discounts(discount, 4, base).dtype == np.float64


@given(st.sampled_from(["log2", "jk", "reciprocal", "none"]), st.floats(1.0000001, 1e9))
def test_no_discount_exceeds_1_or_rises(discount, base):
    values = discounts(discount, 200, base)

    assert values.max() <= 1
    assert (np.diff(values) <= 0).all()
    assert (values > 0).all()


def test_an_unknown_discount_is_refused():
    with refused("The discount can’t be 'log10'. Use one of log2, jk, reciprocal, none."):
        discounts("log10", 3)
