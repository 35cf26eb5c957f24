"""The minimum detectable difference and the number of queries needed, for a two-sided paired t test with 80 % power.

The power of n queries is the probability that a noncentral t with n − 1 degrees of freedom around δ √n / σ exceeds the
critical t. The other tail is below 10⁻⁴ here and is ignored. σ is the spread of the differences, δ the mean difference, in
the unit of the measure. If several runs are tested together, `significance` is that of one run (`left_for_one`).
"""

import math
from typing import Final

from scipy.special import nctdtr, nctdtrinc, ndtri, stdtr

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.intervals import student

SIGNIFICANCE: Final = 0.05
POWER: Final = 0.8
MANY: Final = 100
"""From so many queries on, a rare loss is seldom unseen, and skewed differences are hardly ever called better too often."""
# Above this, the noncentral t equals the normal distribution to six digits, and is slow to compute.
_NORMAL: Final = 100_000


def left_for_one(critical: float, queries: int) -> float:
    """The two-sided significance level for which Student's t has this critical value."""
    return 2.0 * float(stdtr(queries - 1, -critical))


def detectable(
    spread: float, queries: int, *, significance: float = SIGNIFICANCE, power: float = POWER
) -> float | None:
    """The minimum detectable mean difference; None for one query, or if no difference is detectable.

    Raises SignificanceError for no query, a negative spread, or shares that are not between 0 and 1.
    """
    if queries < 1:
        raise SignificanceError("There is no query to compare on.")
    _check(spread, significance, power)
    if queries < 2 or not math.isfinite(beyond := student(queries, significance)):
        return None
    if queries > _NORMAL:
        center = _normal(significance, power)
    else:
        center = float(nctdtrinc(queries - 1, 1.0 - power, beyond))
    return center * spread / math.sqrt(queries)


def queries_needed(
    spread: float, difference: float, *, significance: float = SIGNIFICANCE, power: float = POWER
) -> int | None:
    """How many queries, at least two, detect a mean difference of this size; None for a difference of 0.

    Raises SignificanceError for a negative spread, or shares that are not between 0 and 1.
    """
    _check(spread, significance, power)
    if not difference:
        return None
    ratio = abs(difference) / spread if spread else math.inf
    # The normal distribution needs a few queries less.
    near = (_normal(significance, power) / ratio) ** 2
    if near > _NORMAL:
        return math.ceil(near)
    queries = max(2, math.floor(near))
    while _power(queries, ratio, significance) < power:
        queries += 1
    return queries


def may_be_unseen(queries: int) -> float:
    """The greatest share of queries with a rare loss that none of so many queries shows in one of twenty samples."""
    return float(1.0 - SIGNIFICANCE ** (1.0 / queries))


def _power(queries: int, ratio: float, significance: float) -> float:
    if math.isinf(ratio):
        return 1.0
    return 1.0 - float(nctdtr(queries - 1, ratio * math.sqrt(queries), student(queries, significance)))


def _normal(significance: float, power: float) -> float:
    return float(ndtri(1.0 - significance / 2.0) + ndtri(power))


def _check(spread: float, significance: float, power: float) -> None:
    if not 0 <= spread < math.inf:
        raise SignificanceError("The spread must be a finite number from 0.")
    if not (0 < significance < 1 and 0 < power < 1):
        raise SignificanceError("Significance and power must lie between 0 and 1.")
