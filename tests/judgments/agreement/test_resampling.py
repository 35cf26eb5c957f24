"""Intervals: queries are drawn anew, the same way every time."""

import numpy as np
import pytest

from judgments.agreement import resampling
from judgments.agreement.alpha import alpha
from judgments.agreement.units import Units, coincidences
from tests.judgments.agreement import real


def ordinal(values):
    return alpha(values, real.FOUR, "ordinal")


def test_the_interval_of_product_search():
    """.71 to .82 by queries, measured independently when the product was designed; .754 to .783 by pairs."""
    values = resampling.interval(coincidences(real.chorus_units(), real.FOUR), ordinal)

    assert (values.low, values.high) == pytest.approx((0.708, 0.816), abs=0.01)


def test_the_same_seed_gives_the_same_interval_and_blocks_change_nothing(monkeypatch):
    sums = coincidences(real.chorus_units(), real.FOUR)
    one = resampling.resample(sums, ordinal, rounds=30, seed=1)

    assert (resampling.resample(sums, ordinal, rounds=30, seed=1) == one).all()
    assert (resampling.resample(sums, ordinal, rounds=30, seed=2) != one).any()
    monkeypatch.setattr(resampling, "BLOCK", 7 * len(sums))
    assert len(resampling.resample(sums, ordinal, rounds=30, seed=1)) == 30


def test_a_drawing_is_a_sum_of_queries_drawn_with_replacement():
    sums = np.array([[1.0], [100.0], [10_000.0]])

    values = resampling.resample(sums, lambda samples: samples[:, 0], rounds=200, seed=3)

    digits = [divmod(int(value), 100) for value in values]
    assert {high // 100 + high % 100 + low for high, low in digits} == {3}
    assert len(set(values)) == 10


def test_there_is_no_interval_without_two_queries():
    one = coincidences(Units.of([(0, [0, 1], 1), (0, [2, 2], 1)], queries=1), real.FOUR)

    assert resampling.interval(one, ordinal) is None
    assert resampling.interval(one[:0], ordinal) is None


def test_there_is_no_interval_where_drawings_leave_the_figure_undefined():
    units = Units.of([(0, [0, 0], 1), (1, [0, 0], 1), (2, [2, 2], 1)], queries=3)

    assert resampling.interval(coincidences(units, real.FOUR), ordinal) is None


def test_the_interval_is_made_of_percentiles():
    sums = np.arange(50.0)[:, None]

    values = resampling.interval(sums, lambda samples: samples[:, 0] / 50)

    spread = sums.std() / np.sqrt(50)
    assert values.low == pytest.approx(24.5 - 1.96 * spread, abs=0.5)
    assert values.high == pytest.approx(24.5 + 1.96 * spread, abs=0.5)
