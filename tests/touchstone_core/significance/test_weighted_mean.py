import numpy as np
import pytest
from scipy import stats

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.intervals import mean_difference
from touchstone_core.significance.permutation import Method, PValue
from touchstone_core.significance.weighted_mean import (
    Caution,
    Sampling,
    effective_queries,
    shares_of,
    weighted_mean,
)

TEST = PValue(0.5, Method.DRAWN, 50, 999)


def one(differences, weights, drawn=Sampling.UNIFORM):
    return weighted_mean(np.array(differences), shares_of(weights, len(differences)), TEST, drawn=drawn)


def test_the_mean_counts_every_query_by_its_weight():
    found = one([0.4, -0.1], [1, 3])

    assert found.mean == pytest.approx(0.025)
    assert found.effective == pytest.approx(16 / 10)
    assert found.permutation is TEST


def test_equal_weights_give_the_plain_mean_with_its_interval():
    differences = np.random.default_rng(1).normal(0.02, 0.1, 50)

    found, plain = one(differences, [7] * 50, Sampling.TRAFFIC), mean_difference(differences)

    assert (found.mean, found.error, found.effective) == pytest.approx((plain.mean, plain.error, 50))
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (plain.interval.low, plain.interval.high)
    )
    assert found.cautions == ()


def test_the_error_is_near_that_of_the_bootstrap():
    source = np.random.default_rng(2)
    differences, weights = source.normal(0.02, 0.1, 300), source.exponential(1, 300)

    found = one(differences, weights)

    drawn = stats.bootstrap(
        (differences, weights),
        lambda d, w, axis: (d * w).sum(axis=axis) / w.sum(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=4000,
        rng=source,
    )
    assert found.error == pytest.approx(drawn.standard_error, rel=0.06)


def test_few_frequent_queries_are_cautioned_against():
    zipf = 1 / np.arange(1, 301)

    found = one(np.linspace(-0.1, 0.1, 300), zipf * 1e300)

    assert effective_queries(shares_of(zipf, 300)) == pytest.approx(
        sum(1 / k for k in range(1, 301)) ** 2 / sum(1 / k**2 for k in range(1, 301))
    )
    assert found.effective == pytest.approx(24.04, abs=0.01)
    assert found.cautions == (Caution.FEW_EFFECTIVE,)


def test_queries_drawn_by_traffic_are_not_to_be_weighted_again():
    weights = np.linspace(1, 2, 60)

    assert one([0.1] * 60, weights, Sampling.TRAFFIC).cautions == (Caution.WEIGHTED_TWICE,)
    assert one([0.1] * 60, weights, Sampling.UNKNOWN).cautions == ()


def test_one_query_with_a_weight_has_neither_error_nor_interval():
    found = one([0.2, 0.9], [1, 0])

    assert (found.mean, found.error, found.interval) == (0.2, None, None)


def test_what_cancels_but_for_rounding_has_the_mean_0():
    assert one([0.1, 0.2, -0.3], [1, 1, 1]).mean == 0
    assert one([0.3, -0.1], [1, 3]).mean == 0


def test_below_two_effective_queries_there_is_no_interval():
    few, enough = one([0.4, -0.1], [1, 3]), one([0.4, -0.1], [1, 1])

    assert (few.interval, few.error) == (None, pytest.approx(0.1875))
    assert enough.effective == 2
    assert enough.interval is not None


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, 2, 3], "There are 3 weights for 2 queries"),
        ([1, -1], "finite number from 0"),
        ([0, 0], "At least one"),
        ([1, None], "Number 2 of the weights is missing"),
    ],
)
def test_impossible_weights_are_refused(weights, sentence):
    with pytest.raises(SignificanceError, match=sentence):
        shares_of(weights, 2)
