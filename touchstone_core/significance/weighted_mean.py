"""The traffic-weighted mean difference: each query counts as often as people ask it."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from scipy.special import stdtrit

from touchstone_core.significance.differences import Scores, scores_of
from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.intervals import LEVEL, Interval, around, mean_of
from touchstone_core.significance.permutation import PValue
from touchstone_core.significance.types import Floats

# With fewer, a few frequent queries decide alone.
FEWEST_EFFECTIVE: Final = 30
# With fewer, Student's t has less than one degree of freedom.
_LEAST_EFFECTIVE: Final = 2.0


class Sampling(StrEnum):
    """How the queries of a query set were sampled."""

    UNKNOWN = "unknown"
    UNIFORM = "uniform"
    TRAFFIC = "traffic"


class Caution(StrEnum):
    """Why you should not trust a weighted mean."""

    WEIGHTED_TWICE = "weighted twice"
    FEW_EFFECTIVE = "few effective queries"


@dataclass(frozen=True, slots=True)
class WeightedMean:
    """`effective` = (Σw)²/Σw² queries with equal weights would be as precise. `error` and `interval` are None for one query,
    `interval` also with fewer than two effective queries, or too few changed ones.

    The interval is Student's, with effective − 1 degrees of freedom, within ±span. `permutation` flips the signs of w · d.
    """

    mean: float
    error: float | None
    interval: Interval | None
    effective: float
    permutation: PValue
    drawn: Sampling
    cautions: tuple[Caution, ...]


def shares_of(weights: Scores, queries: int) -> Floats:
    """Returns the weights (Q,) divided by their sum.

    Raises SignificanceError unless there is one finite weight from 0 for each query, and one above 0.
    """
    values = scores_of(weights, name="weights")
    if values.size != queries:
        raise SignificanceError(f"There are {values.size} weights for {queries} queries.")
    if (values < 0).any():
        raise SignificanceError("A query’s weight must be a finite number from 0.")
    if not values.any():
        raise SignificanceError("At least one query must have a weight above 0.")
    # Dividing by the greatest first keeps the sum finite.
    values = values / values.max()
    return values / values.sum()


def effective_queries(shares: Floats) -> float:
    """Kish's effective sample size of weights (Q,) that add up to 1."""
    return 1.0 / float((shares**2).sum())


def weighted_mean(
    difference: Floats,
    shares: Floats,
    permutation: PValue,
    *,
    drawn: Sampling,
    level: float = LEVEL,
    span: float | None = None,
) -> WeightedMean:
    """The mean of differences (Q,), weighted by `shares_of`. SE² = Σ w²(d − mean)² / (Σw)² · n/(n − 1) for n queries with a weight.

    A caution says if the queries were sampled by traffic, since weighting counts it twice, or if fewer than 30 are effective.
    """
    mean = mean_of(shares * difference * shares.size)
    effective = effective_queries(shares)
    queries = int((shares > 0).sum())
    error = interval = None
    if queries > 1:
        squares = float((shares**2 * (difference - mean) ** 2).sum())
        error = math.sqrt(squares * queries / (queries - 1))
        if effective >= _LEAST_EFFECTIVE and permutation.decides:
            beyond = float(stdtrit(effective - 1.0, (1.0 + level) / 2.0))
            interval = around(mean, beyond * error, level=level, span=span)
    cautions = {
        Caution.WEIGHTED_TWICE: drawn is Sampling.TRAFFIC and bool(np.ptp(shares)),
        Caution.FEW_EFFECTIVE: effective < FEWEST_EFFECTIVE,
    }
    due = tuple(caution for caution, holds in cautions.items() if holds)
    return WeightedMean(mean, error, interval, effective, permutation, drawn, due)
