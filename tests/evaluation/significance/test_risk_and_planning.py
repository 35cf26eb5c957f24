import numpy as np
import pytest
from scipy import optimize, stats

from evaluation.significance.errors import SignificanceError
from evaluation.significance.planning import detectable, queries_needed, sparse
from evaluation.significance.risk import risk


def test_risk_counts_losses_more_than_wins():
    found = risk(np.array([0.3, 0.1, -0.2, 0.0]), alpha=2)

    assert found.urisk == pytest.approx((0.3 + 0.1 - 3 * 0.2) / 4)
    weighed = np.array([0.3, 0.1, -0.6, 0.0])
    assert found.trisk == pytest.approx(weighed.mean() / (weighed.std(ddof=1) / 2))
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


def test_444_queries_find_a_difference_of_2_points():
    assert queries_needed(0.15, 0.02) == 444
    assert queries_needed(0.15, -0.02) == 444


@pytest.mark.parametrize(
    ("spread", "needed", "found"),
    [
        (0.10, (787, 199, 90, 34), (0.040, 0.028, 0.020, 0.013, 0.009)),
        (0.15, (1768, 444, 199, 73), (0.059, 0.042, 0.030, 0.019, 0.013)),
        (0.20, (3142, 787, 351, 128), (0.079, 0.056, 0.040, 0.025, 0.018)),
    ],
)
def test_queries_needed_and_differences_found_are_those_of_the_table(spread, needed, found):
    assert tuple(queries_needed(spread, size) for size in (0.01, 0.02, 0.03, 0.05)) == needed
    assert [detectable(spread, queries) for queries in (50, 100, 200, 500, 1000)] == pytest.approx(
        found, abs=0.0006
    )


@pytest.mark.parametrize("ratio", [0.1, 0.3, 0.5, 1.0])
def test_queries_needed_are_within_one_of_the_noncentral_t(ratio):
    def power(queries):
        beyond = stats.t.ppf(0.975, queries - 1)
        return stats.nct.sf(beyond, queries - 1, ratio * queries**0.5)

    exact = optimize.brentq(lambda queries: power(queries) - 0.8, 3, 2000)

    assert queries_needed(1.0, ratio) == pytest.approx(exact, abs=1.5)


def test_no_number_of_queries_finds_no_difference():
    assert queries_needed(0.15, 0) is None
    assert queries_needed(0.0, 0.1) == 2


def test_what_counts_where_few_queries_change_is_how_many_change():
    needed = {
        share: queries_needed(spread, mean)
        for share in (0.05, 0.3)
        for mean, spread in [sparse(share, 0.05, 0.2)]
    }

    assert needed == {0.05: 2663, 0.3: 439}
    assert [share * queries for share, queries in needed.items()] == pytest.approx([132, 132], abs=2)


def test_a_sparse_change_is_the_mixture_of_changed_queries_and_ties():
    changed = np.array([0.3, -0.1, 0.2])

    mean, spread = sparse(0.25, changed.mean(), changed.std())

    everything = np.concatenate([changed, np.zeros(9)])
    assert (mean, spread) == pytest.approx((everything.mean(), everything.std()))


@pytest.mark.parametrize(
    "ask",
    [
        lambda: detectable(0.1, 0),
        lambda: detectable(-0.1, 10),
        lambda: detectable(0.1, 10, power=1),
        lambda: queries_needed(float("nan"), 0.1),
        lambda: queries_needed(0.1, 0.1, significance=0),
        lambda: sparse(1.1, 0.1, 0.1),
        lambda: sparse(0.5, 0.1, -0.1),
    ],
)
def test_impossible_plans_are_refused(ask):
    with pytest.raises(SignificanceError):
        ask()
