"""The mean difference with its t interval, the paired t test, and the size of the effect."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import stdtr, stdtrit

from touchstone_core.significance.permutation import FEWEST
from touchstone_core.significance.types import Floats

LEVEL: Final = 0.95
CLEAR_SKEW: Final = 0.5
"""Differences with a greater skewness are clearly skewed."""
# A spread or a mean below this share of the largest difference is a rounding error.
_SAME: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval in the unit of the measure."""

    low: float
    high: float
    level: float


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """The mean of the differences and its statistics.

    `spread` is the standard deviation of the differences (with n − 1), `error` that of their mean, `effect` Cohen's d_z =
    mean / spread, `t` = mean / error with the two-sided `p` of Student's t. One query has no spread, error and interval. If
    all differences are equal, there is no effect, t and p. With too few changed queries there is no t, p and interval.
    """

    mean: float
    spread: float | None
    error: float | None
    effect: float | None
    t: float | None
    p: float | None
    interval: Interval | None


def mean_difference(
    difference: Floats, *, level: float = LEVEL, critical: float | None = None, span: float | None = None
) -> MeanDifference:
    """Student's paired t over differences (Q,), Q ≥ 1. If all are equal, the interval has no width.

    The interval is mean ± `critical` · error within ±`span`. By default, `critical` is Student's quantile and the interval is
    not limited. With fewer than 15 changed queries there is no t, p and interval.
    """
    queries = difference.size
    mean = mean_of(difference)
    if queries < 2:
        return MeanDifference(mean, None, None, None, None, None, None)
    spread = spread_of(difference)
    error = spread / math.sqrt(queries)
    effect = mean / spread if spread else None
    if 0 < np.count_nonzero(difference) < FEWEST:
        return MeanDifference(mean, spread, error, effect, None, None, None)
    reach = student(queries, 1.0 - level) if critical is None else critical
    interval = around(mean, reach * error if error else 0.0, level=level, span=span)
    if not error:
        return MeanDifference(mean, spread, error, None, None, None, interval)
    t = mean / error
    p = 2.0 * float(stdtr(queries - 1, -abs(t)))
    return MeanDifference(mean, spread, error, effect, t, p, interval)


def mean_interval(mean: float, spread: float, values: int, *, most: float | None = None) -> Interval | None:
    """Student's interval of the mean of values from 0, with this standard deviation; never below 0 or above `most`.

    None with fewer than 15 values: NDCGs are skewed, and so few of them leave out the mean too often.
    """
    if values < FEWEST:
        return None
    reach = student(values, 1.0 - LEVEL) * spread / math.sqrt(values)
    high = mean + reach
    return Interval(max(mean - reach, 0.0), high if most is None else min(high, most), LEVEL)


def one_sided(
    difference: Floats, mean: MeanDifference, critical: float, *, span: float | None = None
) -> Interval | None:
    """A lower and an upper limit of the mean, each with this error, from the `critical` t of one side; None without an interval.

    Few queries rarely include the large differences of a skewed distribution. So Johnson's correction moves the end on the side
    of the skew outwards. If the skew is clear, one more difference as large as the largest on that side is added first. The t
    of flips is small if one difference outweighs the others, so `critical` is at least Student's. Without these steps the error
    of that side is up to 0.14 instead of 0.05 (docs/comparing.md).
    """
    if mean.interval is None:
        return None
    critical = max(critical, student(difference.size, 2.0 * (1.0 - mean.interval.level)))
    low, high = _lower_end(difference, critical), -_lower_end(-difference, critical)
    most = math.inf if span is None else span
    return Interval(max(low, -most), min(high, most), mean.interval.level)


def _lower_end(difference: Floats, critical: float) -> float:
    end = _johnson(difference, critical)
    if _skew(difference) < -CLEAR_SKEW:
        end = min(end, _johnson(np.append(difference, difference.min()), critical))
    return end


def _johnson(difference: Floats, critical: float) -> float:
    """mean − t · error, minus γ s (1 + 2 t²) / (6 n) if the differences are skewed to the left (Johnson, J. Amer. Statist. Assoc.
    73, 1978)."""
    spread, queries = spread_of(difference), difference.size
    if not spread:
        return mean_of(difference)
    if math.isinf(critical):
        return -math.inf
    correction = _skew(difference) * spread * (1.0 + 2.0 * critical**2) / (6.0 * queries)
    return mean_of(difference) - critical * spread / math.sqrt(queries) + min(correction, 0.0)


def is_skewed_against(difference: Floats) -> bool:
    """Whether the differences are clearly skewed to the other side than their mean, or none of them is on that side.

    Then the mean is more often far from 0 by chance than a test of it allows for: a few large differences on the other side
    may be missing.
    """
    same_side = difference * np.sign(difference.mean())
    return bool(_skew(same_side) < -CLEAR_SKEW or same_side.min() >= 0)


def _skew(difference: Floats) -> float:
    """The third standardized moment, with n − 1 in the spread; 0 if all are equal."""
    spread = spread_of(difference)
    return float((((difference - difference.mean()) / spread) ** 3).mean()) if spread else 0.0


def level_of_each(intervals: int) -> float:
    """The level of each of so many intervals so that all hold at once with LEVEL (Bonferroni)."""
    return 1.0 - (1.0 - LEVEL) / max(intervals, 1)


def student(queries: int, significance: float) -> float:
    """The critical t of Student's two-sided test over at least two queries."""
    return float(stdtrit(queries - 1, 1.0 - significance / 2.0))


def mean_of(difference: Floats) -> float:
    """The mean of at least one difference; a rounding error around 0 becomes 0."""
    mean = float(difference.mean())
    return mean if abs(mean) > _SAME * float(np.abs(difference).max()) else 0.0


def spread_of(difference: Floats) -> float:
    """The standard deviation (with n − 1) of at least two differences; a rounding error becomes 0."""
    spread = float(difference.std(ddof=1))
    return spread if spread > _SAME * float(np.abs(difference).max()) else 0.0


def around(mean: float, reach: float, *, level: float, span: float | None = None) -> Interval:
    """mean ± reach, cut at ±span."""
    most = math.inf if span is None else span
    if not (low := mean - reach) >= -most:
        low = -most
    if not (high := mean + reach) <= most:
        high = most
    return Interval(low, high, level)


def percentile_interval(values: Floats, level: float) -> Interval:
    """The middle share `level` of drawn values (B,)."""
    low, high = np.percentile(values, (50.0 * (1.0 - level), 50.0 * (1.0 + level)))
    return Interval(float(low), float(high), level)
