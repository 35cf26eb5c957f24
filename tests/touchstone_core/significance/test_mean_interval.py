"""The interval of one mean: by hand, within the range of its measure, and whether it holds what it says."""

import numpy as np
import pytest
from scipy import stats

from touchstone_core.significance.intervals import mean_interval


def test_it_is_students_interval():
    values = np.array([0.1, 0.9, 0.4, 0.5, 0.3] * 4)
    expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))

    found = mean_interval(values.mean(), values.std(ddof=1), len(values))

    assert found is not None
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("mean", "low", "high"), [(0.01, 0.0, None), (0.99, None, 1.0)])
def test_it_stays_within_the_range_of_the_measure(mean, low, high):
    found = mean_interval(mean, 0.3, 20, most=1.0)

    assert found is not None
    assert low is None or found.low == low
    assert high is None or found.high == high
    unlimited = mean_interval(0.99, 0.3, 20)
    assert unlimited is not None
    assert unlimited.high > 1


def test_equal_values_have_an_interval_without_width():
    found = mean_interval(0.5, 0.0, 20)

    assert found is not None
    assert (found.low, found.high) == (0.5, 0.5)


@pytest.mark.parametrize("queries", [0, 1, 14])
def test_too_few_values_have_none(queries):
    assert mean_interval(0.5, 0.2, queries) is None


@pytest.mark.parametrize("queries", [15, 50, 500])
@pytest.mark.parametrize("failures", [0.0, 0.3])
def test_it_holds_the_mean_of_all_queries_about_as_often_as_it_says(queries, failures):
    """Values like those of NDCG: skewed to the left, and 0 for the queries that fail."""
    random = np.random.default_rng(13)
    samples = random.beta(4, 2, (4000, queries)) * (random.random((4000, queries)) >= failures)
    truth = (1 - failures) * 4 / 6

    intervals = [
        mean_interval(mean, spread, queries, most=1.0)
        for mean, spread in zip(samples.mean(axis=1), samples.std(axis=1, ddof=1), strict=True)
    ]
    held = np.mean([one is not None and one.low <= truth <= one.high for one in intervals])

    assert 0.93 <= held <= 0.97
