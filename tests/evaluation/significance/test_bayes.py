import numpy as np
import pytest
from scipy import stats

from evaluation.significance.bayes import bayesian_bootstrap
from evaluation.significance.errors import SignificanceError


def one(differences, **kwargs):
    (found,) = bayesian_bootstrap(np.array(differences)[:, None], seed=1, **kwargs)
    return found


def test_the_probability_of_two_queries_is_that_of_a_uniform_weight():
    # The mean is .3 u − .1 (1 − u) for a uniform u: above 0 for u > ¼, within ±.02 for .2 ≤ u ≤ .3.
    found = one([0.3, -0.1], rope=0.02, draws=40_000)

    assert found.better == pytest.approx(0.75, abs=0.01)
    assert found.within == pytest.approx(0.1, abs=0.01)
    assert (found.interval.low, found.interval.high) == pytest.approx((-0.09, 0.29), abs=0.003)


def test_the_probability_of_many_queries_is_near_that_of_the_t_test():
    differences = np.random.default_rng(1).normal(0.01, 0.15, 500)

    found = one(differences)

    test = stats.ttest_1samp(differences, 0)
    low, high = test.confidence_interval()
    assert found.better == pytest.approx(1 - test.pvalue / 2, abs=0.01)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=0.002)


def test_identical_runs_are_not_better_and_do_not_differ():
    found = one([0.0] * 20)

    assert (found.better, found.within) == (0, 1)
    assert (found.interval.low, found.interval.high) == (0, 0)


def test_more_queries_and_draws_than_are_taken_at_once_are_weighted_alike():
    differences = np.zeros(5000)
    differences[4500:] = 1

    found = one(differences, draws=1100)

    # A sum of 500 of 5,000 uniform weights follows Beta(500, 4500).
    expected = stats.beta(500, 4500).interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=0.002)


def test_the_seed_repeats_the_draws_and_runs_do_not_disturb_one_another():
    columns = np.random.default_rng(2).normal(0.01, 0.1, (60, 3))

    together = bayesian_bootstrap(columns, seed=5, draws=700)

    assert together == bayesian_bootstrap(columns, seed=5, draws=700)
    assert together != bayesian_bootstrap(columns, seed=6, draws=700)
    for column, found in zip(columns.T, together, strict=True):
        (alone,) = bayesian_bootstrap(column[:, None], seed=5, draws=700)
        assert (alone.better, alone.within) == (found.better, found.within)
        assert alone.interval.low == pytest.approx(found.interval.low, rel=1e-12)


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"rope": -0.1}, {"rope": float("nan")}])
def test_no_draws_and_an_impossible_rope_are_refused(wrong):
    with pytest.raises(SignificanceError):
        one([0.1, 0.2], **wrong)
