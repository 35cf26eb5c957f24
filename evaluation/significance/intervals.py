"""The mean difference with its t interval, the paired t test, and the size of the effect."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import stdtr, stdtrit

from evaluation.significance.types import Floats

LEVEL: Final = 0.95
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
    none of effect, t and p where all differences are the same.
    """

    mean: float
    spread: float | None
    error: float | None
    effect: float | None
    t: float | None
    p: float | None
    interval: Interval | None


def mean_difference(difference: Floats, *, level: float = LEVEL) -> MeanDifference:
    """Student's paired t over differences (Q,), Q ≥ 1. Where all are the same, the interval has no width."""
    queries = difference.size
    mean = mean_of(difference)
    if queries < 2:
        return MeanDifference(mean, None, None, None, None, None, None)
    spread = spread_of(difference)
    error = spread / math.sqrt(queries)
    interval = t_interval(mean, error, queries - 1, level)
    if not error:
        return MeanDifference(mean, spread, error, None, None, None, interval)
    t = mean / error
    p = 2.0 * float(stdtr(queries - 1, -abs(t)))
    return MeanDifference(mean, spread, error, mean / spread, t, p, interval)


def mean_of(difference: Floats) -> float:
    """The mean of at least one difference; 0 where gains and losses cancel but for rounding."""
    mean = float(difference.mean())
    return mean if abs(mean) > _SAME * float(np.abs(difference).max()) else 0.0


def spread_of(difference: Floats) -> float:
    """The standard deviation (n − 1 below) of at least two differences; 0 where they differ by rounding only."""
    spread = float(difference.std(ddof=1))
    return spread if spread > _SAME * float(np.abs(difference).max()) else 0.0


def t_interval(mean: float, error: float, freedom: float, level: float = LEVEL) -> Interval:
    """mean ± t · error at so many degrees of freedom, which need not be a whole number."""
    reach = float(stdtrit(freedom, (1.0 + level) / 2.0)) * error
    return Interval(mean - reach, mean + reach, level)


def percentile_interval(values: Floats, level: float = LEVEL) -> Interval:
    """The middle share `level` of drawn values (B,)."""
    low, high = np.percentile(values, (50.0 * (1.0 - level), 50.0 * (1.0 + level)))
    return Interval(float(low), float(high), level)
