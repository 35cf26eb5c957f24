"""Bounds of means, against every set of the optional queries that missing grades could bring in."""

from itertools import combinations

import numpy as np
import pytest

from touchstone_core.bounds.means import is_provisional, mean_bounds
from touchstone_core.bounds.values import Bounds
from touchstone_core.metrics.formula import IDEALS

NAN = np.nan


def same_for_all(values):
    return dict.fromkeys(IDEALS, np.array(values))


def extremes(sure, optional):
    """Of the means of `sure` and any of the `optional` values, by trying all."""
    chosen = [some for size in range(len(optional) + 1) for some in combinations(optional, size)]
    means = [np.mean([*sure, *some]) for some in chosen if sure or some]
    return min(means), max(means)


@pytest.mark.parametrize(
    ("coverage", "provisional"), [(0.94, True), (0.95, False), (1.0, False), (None, False)]
)
def test_below_95_percent_a_value_is_provisional(coverage, provisional):
    assert is_provisional(coverage) is provisional


def test_queries_that_are_out_come_in_where_that_moves_the_mean():
    """Two queries count. One is out, and grades can bring it in between 0.1 and 0.9; one more of two has a hole."""
    ndcgs = np.tile([0.5, 0.25, NAN], (len(IDEALS), 1))
    found = Bounds(np.array([1.0, 0.8, 0.6]), same_for_all([0.5, 0.25, 0.1]), same_for_all([0.75, 0.5, 0.9]))

    means = mean_bounds(ndcgs, found, np.array([True, False]))

    assert means["coverage"] == pytest.approx(0.8)
    assert means["least_covered"] == 0.6
    for ideal in IDEALS:
        assert means["low"][ideal] == pytest.approx(extremes([0.5, 0.25], [0.1, 0, 0])[0])
        assert means["high"][ideal] == pytest.approx(extremes([0.75, 0.5], [0.9, 1, 0])[1])
    assert means["any_low"] == pytest.approx(extremes([0.5, 0.25, 0.1], [0, 0])[0])


def test_without_any_query_there_are_no_bounds():
    ndcgs = np.full((len(IDEALS), 1), NAN)
    found = Bounds(np.array([1.0]), same_for_all([NAN]), same_for_all([NAN]))

    means = mean_bounds(ndcgs, found, np.zeros(0, dtype=bool))

    assert means["low"] == means["high"] == dict.fromkeys(IDEALS)
