import numpy as np
import pytest
from scipy import stats

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.intervals import mean_difference
from touchstone_core.significance.posterior import posterior


def one(differences, **kwargs):
    return posterior(mean_difference(np.array(differences, dtype=float)), len(differences), **kwargs)


def test_the_posterior_is_that_of_a_normal_model_drawn_step_by_step():
    differences = np.random.default_rng(1).normal(0.02, 0.1, 20)

    found = one(differences, rope=0.03)

    # The variance first, by its inverse gamma, and then the mean: Gelman et al., Bayesian Data Analysis, 3.2.
    source = np.random.default_rng(2)
    variance = 19 * differences.var(ddof=1) / source.chisquare(19, 400_000)
    means = source.normal(differences.mean(), np.sqrt(variance / 20))
    assert found.better == pytest.approx((means > 0).mean(), abs=0.003)
    assert found.within == pytest.approx((np.abs(means) <= 0.03).mean(), abs=0.003)


def test_to_be_better_is_as_probable_as_the_one_sided_t_test_is_sure():
    differences = np.random.default_rng(1).normal(0.01, 0.15, 50)

    test = stats.ttest_1samp(differences, 0, alternative="greater")

    assert one(differences).better == pytest.approx(1 - test.pvalue)


@pytest.mark.parametrize(
    ("value", "better", "within"), [(0.0, 0, 1), (0.1, 1, 0), (-0.1, 0, 0), (0.001, 1, 1)]
)
def test_differences_that_do_not_vary_are_certain(value, better, within):
    found = one([value] * 20)

    assert (found.better, found.within) == (better, within)


def test_one_query_has_no_posterior():
    assert one([0.1]) is None


@pytest.mark.parametrize("rope", [-0.1, float("nan"), float("inf")])
def test_an_impossible_rope_is_refused(rope):
    with pytest.raises(SignificanceError):
        one([0.1, 0.2], rope=rope)
