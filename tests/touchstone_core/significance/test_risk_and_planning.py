import numpy as np
import pytest
from scipy import stats

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.planning import detectable, left_for_one, may_be_unseen, queries_needed
from touchstone_core.significance.risk import risk


def test_risk_counts_losses_more_than_wins():
    found = risk(np.array([0.3, 0.1, -0.2, 0.0] * 9), alpha=2)

    assert found.urisk == pytest.approx((0.3 + 0.1 - 3 * 0.2) / 4)
    weighed = np.array([0.3, 0.1, -0.6, 0.0] * 9)
    assert found.trisk == pytest.approx(weighed.mean() / (weighed.std(ddof=1) / 6))
    assert found.alpha == 2


def test_without_aversion_risk_is_the_mean_and_the_t_test():
    differences = np.random.default_rng(1).normal(0.02, 0.1, 40)

    found = risk(differences, alpha=0)

    assert found.urisk == pytest.approx(differences.mean())
    assert found.trisk == pytest.approx(stats.ttest_1samp(differences, 0).statistic)


def test_differences_that_do_not_vary_have_no_trisk():
    assert risk(np.zeros(20)).trisk is None


@pytest.mark.parametrize("alpha", [-1, float("inf"), float("nan")])
def test_an_impossible_aversion_is_refused(alpha):
    with pytest.raises(SignificanceError, match="alpha"):
        risk(np.zeros(2), alpha=alpha)


def power(queries, ratio, significance=0.05):
    """Of the two-sided t test by the noncentral t, both tails."""
    beyond = stats.t.ppf(1 - significance / 2, queries - 1)
    center = ratio * queries**0.5
    return stats.nct.sf(beyond, queries - 1, center) + stats.nct.cdf(-beyond, queries - 1, center)


def test_about_444_queries_find_a_difference_of_2_points():
    # 7.849 (σ/δ)² + 1.92, which is within one of the exact answer.
    assert queries_needed(0.15, 0.02) == pytest.approx(444, abs=1)
    assert queries_needed(0.15, -0.02) == queries_needed(0.15, 0.02)


@pytest.mark.parametrize(("spread", "found"), [(0.1, (199, 34)), (0.15, (444, 73)), (0.2, (787, 128))])
def test_queries_needed_are_those_of_the_table(spread, found):
    assert tuple(queries_needed(spread, size) for size in (0.02, 0.05)) == pytest.approx(found, abs=1)


@pytest.mark.parametrize("significance", [0.05, 0.0127, 0.0026])
@pytest.mark.parametrize("queries", [10, 25, 50, 150, 500])
def test_what_can_be_detected_is_detected_in_80_of_100_cases(queries, significance):
    found = detectable(0.15, queries, significance=significance)

    assert power(queries, found / 0.15, significance) == pytest.approx(0.8, abs=1e-3)


@pytest.mark.parametrize("significance", [0.05, 0.0127])
@pytest.mark.parametrize("ratio", [0.05, 0.3, 0.5, 1.0, 3.0])
def test_queries_needed_are_the_fewest_that_do(ratio, significance):
    found = queries_needed(1.0, ratio, significance=significance)

    assert power(found, ratio, significance) >= 0.8 - 1e-6
    assert power(found - 1, ratio, significance) < 0.8 or found == 2


def test_great_numbers_of_queries_go_over_into_the_normal_distribution():
    assert queries_needed(0.15, 0.001) == pytest.approx(7.849 * 150**2, rel=1e-3)
    assert detectable(0.15, 200_000) == pytest.approx(detectable(0.15, 100_000) / 2**0.5, rel=1e-4)


def test_no_number_of_queries_finds_no_difference():
    assert queries_needed(0.15, 0) is None
    assert queries_needed(0.0, 0.1) == 2
    assert detectable(0.15, 1) is None


def test_what_one_of_several_runs_has_left_is_what_its_critical_value_says():
    assert left_for_one(stats.t.ppf(1 - 0.0125 / 2, 29), 30) == pytest.approx(0.0125)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: detectable(0.1, 0),
        lambda: detectable(-0.1, 10),
        lambda: detectable(0.1, 10, power=1),
        lambda: queries_needed(float("nan"), 0.1),
        lambda: queries_needed(0.1, 0.1, significance=0),
    ],
)
def test_impossible_plans_are_refused(ask):
    with pytest.raises(SignificanceError):
        ask()


def test_a_rare_loss_may_be_unseen_in_one_of_twenty_samples():
    assert may_be_unseen(25) == pytest.approx(0.113, abs=0.001)
    assert (1 - may_be_unseen(60)) ** 60 == pytest.approx(0.05)
