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
"""Differences whose skewness is beyond this are clearly skewed."""
# A spread or a mean below this share of the largest difference is rounding.
_SAME: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """Ends of an interval, in the unit of the measure, and the share of such intervals that hold the truth."""

    low: float
    high: float
    level: float


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """The mean of the differences and what belongs to it.

    `spread` is the standard deviation of the differences (n − 1 below), `error` that of their mean, `effect` Cohen's d_z =
    mean / spread, `t` = mean / error with the two-sided `p` of Student's t. None of spread, error and interval exists for one query;
    none of effect, t and p where all differences are the same; none of t, p and interval where too few queries changed.
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
    """Student's paired t over differences (Q,), Q ≥ 1. Where all are the same, the interval has no width.

    The interval is mean ± `critical` · error, by default Student's own quantile, and never leaves ±`span`, the greatest
    difference that the measure allows (None: without end). Fewer than 15 changed queries give no t, p and interval.
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


def one_sided(
    difference: Floats, mean: MeanDifference, critical: float, *, span: float | None = None
) -> Interval | None:
    """What holds the mean from either side with the same error, by the `critical` t of one side; None without an interval.

    Few queries show too few of the rare large differences of a skewed distribution. So an end towards which the differences are
    skewed is moved out by Johnson's correction, and if they are clearly skewed, one more difference as large as the largest on that
    side is added first. The t of flips is small where one difference outweighs the others, so Student's is the least. Without all
    this the error of that side is up to .14 where .05 is promised (docs/comparing.md).
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
    """mean − t · error, and less where the differences are skewed to the left: γ s (1 + 2 t²) / (6 n) (Johnson, J. Amer. Statist.
    Assoc. 73, 1978)."""
    spread, queries = spread_of(difference), difference.size
    if not spread:
        return mean_of(difference)
    if math.isinf(critical):
        return -math.inf
    correction = _skew(difference) * spread * (1.0 + 2.0 * critical**2) / (6.0 * queries)
    return mean_of(difference) - critical * spread / math.sqrt(queries) + min(correction, 0.0)


def _skew(difference: Floats) -> float:
    """The third standardized moment, with n − 1 below the spread; 0 where all are the same."""
    spread = spread_of(difference)
    return float((((difference - difference.mean()) / spread) ** 3).mean()) if spread else 0.0


def level_of_each(intervals: int, level: float = LEVEL) -> float:
    """What each of so many intervals is to hold so that all hold together with `level` (Bonferroni)."""
    return 1.0 - (1.0 - level) / max(intervals, 1)


def student(queries: int, significance: float) -> float:
    """The t beyond which Student's two-sided p-value of so many queries, two or more, is below `significance`."""
    return float(stdtrit(queries - 1, 1.0 - significance / 2.0))


def mean_of(difference: Floats) -> float:
    """The mean of at least one difference; 0 where gains and losses cancel but for rounding."""
    mean = float(difference.mean())
    return mean if abs(mean) > _SAME * float(np.abs(difference).max()) else 0.0


def spread_of(difference: Floats) -> float:
    """The standard deviation (n − 1 below) of at least two differences; 0 where they differ by rounding only."""
    spread = float(difference.std(ddof=1))
    return spread if spread > _SAME * float(np.abs(difference).max()) else 0.0


def around(mean: float, reach: float, *, level: float, span: float | None = None) -> Interval:
    """mean ± reach, inside ±span."""
    most = math.inf if span is None else span
    if not (low := mean - reach) >= -most:
        low = -most
    if not (high := mean + reach) <= most:
        high = most
    return Interval(low, high, level)


def percentile_interval(values: Floats, level: float = LEVEL) -> Interval:
    """The middle share `level` of drawn values (B,)."""
    low, high = np.percentile(values, (50.0 * (1.0 - level), 50.0 * (1.0 + level)))
    return Interval(float(low), float(high), level)
