"""Alpha without each rater is the alpha of the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgments.agreement.alpha import alpha
from judgments.agreement.leave_one_out import alphas_without
from judgments.agreement.units import Units, coincidences
from tests.judgments.agreement import real

LEVELS = ("nominal", "ordinal", "interval")


def left_out(pairs, scale, level, raters):
    """`pairs` are dictionaries of rater to grade."""
    pairs = [pair for pair in pairs if len(pair) > 1]
    units = Units.of([(0, list(pair.values()), 1) for pair in pairs], queries=1)
    rows = [
        (rater, units.kind[place], int(np.searchsorted(scale, grade)), 1)
        for place, pair in enumerate(pairs)
        for rater, grade in pair.items()
    ]
    judgments = np.array(rows, dtype=np.int64).reshape(-1, 4)
    total = coincidences(units, scale).sum(axis=0)
    return alphas_without(total, units, scale, level, judgments=judgments.T, raters=raters)


def of_the_others(pairs, scale, level, raters):
    alphas = []
    for away in range(raters):
        rest = [[grade for rater, grade in pair.items() if rater != away] for pair in pairs]
        units = Units.of([(0, grades, 1) for grades in rest], queries=1)
        alphas.append(float(alpha(coincidences(units, scale).sum(axis=0), scale, level)))
    return alphas


@given(
    st.lists(st.dictionaries(st.integers(0, 4), st.sampled_from([0.0, 1.0, 2.5]), max_size=5), max_size=10),
    st.sampled_from(LEVELS),
)
def test_alpha_without_a_rater_is_that_of_the_others(pairs, level):
    scale = np.array([0, 1, 2, 2.5])

    assert left_out(pairs, scale, level, 5).tolist() == pytest.approx(
        of_the_others(pairs, scale, level, 5), nan_ok=True
    )


@pytest.mark.parametrize("level", LEVELS)
def test_product_search_without_each_rater(level):
    pairs = [dict(enumerate(grades)) for _, grades in real.chorus_ratings()]

    assert left_out(pairs, real.FOUR, level, 3).tolist() == pytest.approx(
        of_the_others(pairs, real.FOUR, level, 3)
    )
