import numpy as np
import pytest
from scipy import stats

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.robust import Loss, robust_views


def one(differences, **kwargs):
    (found,) = robust_views(np.array(differences)[:, None], seed=1, **kwargs)
    return found


@pytest.mark.parametrize("queries", [1, 2, 9, 10, 25, 60])
def test_median_trimmed_mean_and_percentile_are_those_of_numpy_and_scipy(queries):
    differences = np.random.default_rng(queries).normal(0, 0.2, queries)

    found = one(differences)

    assert found.median == pytest.approx(np.median(differences))
    assert found.trimmed == pytest.approx(stats.trim_mean(differences, 0.1))
    assert found.tenth_percentile == pytest.approx(np.percentile(differences, 10))


@pytest.mark.parametrize(
    ("statistic", "name"),
    [
        (np.median, "median_interval"),
        (lambda x, axis: stats.trim_mean(x, 0.1, axis=axis), "trimmed_interval"),
    ],
)
def test_the_intervals_are_those_of_the_percentile_bootstrap(statistic, name):
    differences = np.random.default_rng(1).exponential(0.2, 61) - 0.15

    found = getattr(one(differences, resamples=20_000), name)

    expected = stats.bootstrap(
        (differences,), statistic, method="percentile", n_resamples=20_000, rng=np.random.default_rng(2)
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=0.004)


def test_the_worst_queries_are_losses_the_greatest_first():
    found = one([0.1, -0.2, 0.0, -0.5, -0.2], worst=3)

    assert found.worst == (Loss(3, -0.5), Loss(1, -0.2), Loss(4, -0.2))
    assert one([0.1, -0.2, 0.0], worst=3).worst == (Loss(1, -0.2),)
    assert one([0.1], worst=3).worst == ()


def test_many_queries_are_resampled_some_at_a_time():
    differences = np.random.default_rng(3).normal(0.3, 0.1, 20_000)

    found = one(differences, resamples=30)

    assert found.median_interval.low < found.median < found.median_interval.high
    assert found.trimmed_interval.high - found.trimmed_interval.low == pytest.approx(
        0.0028, abs=0.0012
    )  # 2 · 1.96 · .1 / √20,000


def test_the_seed_repeats_the_resamples():
    columns = np.random.default_rng(4).normal(0, 0.2, (40, 2))

    assert robust_views(columns, seed=3) == robust_views(columns, seed=3)
    assert robust_views(columns, seed=3) != robust_views(columns, seed=4)


def test_no_resamples_are_refused():
    with pytest.raises(SignificanceError, match="at least one draw"):
        one([0.1], resamples=0)
