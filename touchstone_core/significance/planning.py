"""What these queries can show, and how many it would take: a two-sided paired t test, with power 80 %.

The power of n queries is that of the noncentral t with n − 1 degrees of freedom around δ √n / σ beyond the critical t; the
other tail is left out, which is below 10⁻⁴ here. σ is the spread of the differences, δ the mean difference, both in the
unit of the measure. Where several runs are tested together, `significance` is what one of them has left (`left_for_one`).
"""

import math
from typing import Final

from scipy.special import nctdtr, nctdtrinc, ndtri, stdtr

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.intervals import student

SIGNIFICANCE: Final = 0.05
POWER: Final = 0.8
# Above this the noncentral t is the normal distribution to six digits, and its function slow.
_NORMAL: Final = 100_000


def left_for_one(critical: float, queries: int) -> float:
    """The two-sided significance at which Student's t of so many queries has this critical value."""
    return 2.0 * float(stdtr(queries - 1, -critical))


def detectable(
    spread: float, queries: int, *, significance: float = SIGNIFICANCE, power: float = POWER
) -> float | None:
    """The smallest mean difference that is found with this power; None for one query, or where nothing can be found.

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
    """The fewest queries, two or more, that find a mean difference of this size; None for a difference of 0, which no
    number finds.

    Raises SignificanceError for a negative spread, or shares that are not between 0 and 1.
    """
    _check(spread, significance, power)
    if not difference:
        return None
    ratio = abs(difference) / spread if spread else math.inf
    # The normal distribution asks for a few less.
    near = (_normal(significance, power) / ratio) ** 2
    if near > _NORMAL:
        return math.ceil(near)
    queries = max(2, math.floor(near))
    while _power(queries, ratio, significance) < power:
        queries += 1
    return queries


def may_be_unseen(queries: int) -> float:
    """The share of queries that a rare loss can hit and still show in none of so many, in one of twenty samples."""
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
