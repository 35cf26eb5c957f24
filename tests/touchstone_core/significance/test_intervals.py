import numpy as np
import pytest
from scipy import stats

from tests.touchstone_core.significance import oracles
from touchstone_core.significance.differences import differences
from touchstone_core.significance.intervals import (
    Interval,
    around,
    level_of_each,
    mean_difference,
    one_sided,
    percentile_interval,
)


def test_the_t_test_of_28_pairs_of_runs_is_as_published():
    scores, expected = oracles.esci_scores(), oracles.esci_pairs()

    found = [mean_difference(differences(scores[row["run_a"]], scores[row["run_b"]])) for row in expected]

    # The file keeps six decimals, of scores that were rounded after they were compared.
    for one, row in zip(found, expected, strict=True):
        assert one.mean == pytest.approx(float(row["diff_b_minus_a"]), abs=1.5e-6)
        assert one.t == pytest.approx(float(row["paired_t"]), abs=2e-4)
        assert one.p == pytest.approx(float(row["p_t_two_sided"]), rel=5e-4)


@pytest.mark.parametrize("name", ["adhoc5_ap", "web2010_ndcg20"])
def test_the_interval_is_that_of_scipy(name):
    scores = oracles.score_matrix(name)

    found = mean_difference(differences(scores[:, 0], scores[:, 1]))

    expected = stats.ttest_rel(scores[:, 1], scores[:, 0])
    interval = expected.confidence_interval(0.95)
    assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert (found.interval.low, found.interval.high, found.interval.level) == pytest.approx((*interval, 0.95))


def test_the_effect_is_the_mean_by_the_spread():
    found = mean_difference(np.array([0.1, 0.3]))

    assert found.spread == pytest.approx(0.2 / 2**0.5)
    assert found.effect == pytest.approx(2**0.5)
    assert found.error == pytest.approx(0.1)


def test_one_query_has_a_mean_and_nothing_else():
    found = mean_difference(np.array([0.4]))

    assert found.mean == 0.4
    assert found.interval is found.t is found.p is found.spread is found.error is found.effect is None


@pytest.mark.parametrize("value", [0.0, 0.1])
def test_differences_that_are_all_the_same_have_no_t_and_an_interval_without_width(value):
    found = mean_difference(np.full(20, value))

    assert (found.spread, found.error) == (0, 0)
    assert found.t is found.p is found.effect is None
    assert (found.interval.low, found.interval.high) == (found.mean, found.mean)


def test_an_interval_of_draws_is_their_middle():
    found = percentile_interval(np.arange(101.0), 0.9)

    assert (found.low, found.high, found.level) == pytest.approx((5, 95, 0.9))


def test_gains_and_losses_that_cancel_but_for_rounding_have_the_mean_0():
    difference = np.array([0.1, 0.2, -0.3] * 5)

    found = mean_difference(difference)

    assert difference.mean() != 0
    assert (found.mean, found.effect, found.t, found.p) == (0, 0, 0, 1)
    assert found.interval.low == -found.interval.high


def test_a_small_mean_of_large_differences_is_kept():
    assert mean_difference(np.array([1.0, -1 + 1e-9])).mean == pytest.approx(5e-10, rel=1e-6)


def test_an_interval_ends_where_the_measure_does():
    ends = [around(mean, 0.3, level=0.95, span=1.0) for mean in (0.9, -0.9)]
    free = around(0.5, np.inf, level=0.95)

    assert [(one.low, one.high) for one in ends] == [(pytest.approx(0.6), 1.0), (-1.0, pytest.approx(-0.6))]
    assert (free.low, free.high) == (-np.inf, np.inf)


def test_an_end_towards_which_differences_are_skewed_is_that_of_one_more_like_the_worst():
    difference = np.array([0.05] * 22 + [-0.3] * 3)

    found = one_sided(difference, mean_difference(difference), 1.0)

    more = np.append(difference, -0.3)
    spread, t = more.std(ddof=1), stats.t.ppf(0.95, 24)  # Student's, where the t of flips is less
    skew = (((more - more.mean()) / spread) ** 3).mean()
    moved = skew * spread * (1 + 2 * t**2) / (6 * 26)
    assert found.low == pytest.approx(more.mean() - t * spread / 26**0.5 + moved)
    assert found.high == pytest.approx(difference.mean() + t * difference.std(ddof=1) / 5)


def test_nothing_is_shown_where_no_critical_value_is_known():
    difference = np.linspace(-0.1, 0.2, 20)

    assert one_sided(difference, mean_difference(difference), np.inf, span=1.0) == Interval(-1, 1, 0.95)


@pytest.mark.parametrize(("intervals", "level"), [(0, 0.95), (1, 0.95), (4, 0.9875)])
def test_intervals_that_hold_at_once_share_their_errors(intervals, level):
    assert level_of_each(intervals) == pytest.approx(level)
