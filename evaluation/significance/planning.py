"""What these queries can show, and how many it would take: two-sided paired t at 5 %, with power 80 %.

n = ((z₁₋α⸝₂ + z₁₋β) σ/δ)² + z²₁₋α⸝₂ / 2, within one query of the exact answer by the noncentral t. σ is the spread of the
differences, δ the mean difference, both in the unit of the measure.
"""

import math
from typing import Final

from scipy.special import ndtri

from evaluation.significance.errors import SignificanceError

SIGNIFICANCE: Final = 0.05
POWER: Final = 0.8


def detectable(
    spread: float, queries: int, *, significance: float = SIGNIFICANCE, power: float = POWER
) -> float:
    """The smallest mean difference that is found with this power: (z₁₋α⸝₂ + z₁₋β) σ / √n.

    Raises SignificanceError for no query, a negative spread, or shares that are not between 0 and 1.
    """
    if queries < 1:
        raise SignificanceError("There is no query to compare on.")
    _check(spread)
    return sum(_quantiles(significance, power)) * spread / math.sqrt(queries)


def queries_needed(
    spread: float, difference: float, *, significance: float = SIGNIFICANCE, power: float = POWER
) -> int | None:
    """Queries to find a mean difference of this size, rounded up; None for a difference of 0, which no number finds.

    Raises SignificanceError for a negative spread, or shares that are not between 0 and 1.
    """
    _check(spread)
    alpha, beta = _quantiles(significance, power)
    if not difference:
        return None
    return math.ceil(((alpha + beta) * spread / difference) ** 2 + alpha**2 / 2.0)


def sparse(share: float, mean: float, spread: float) -> tuple[float, float]:
    """Mean and spread over all queries where a share of them changes, with this mean and spread among the changed.

    δ = πμ, σ² = π(s² + μ²) − π²μ². Raises SignificanceError for a share outside 0 to 1 or a negative spread.
    """
    if not 0 <= share <= 1:
        raise SignificanceError("The share of changed queries must lie between 0 and 1.")
    _check(spread)
    overall = share * mean
    return overall, math.sqrt(share * (spread**2 + mean**2) - overall**2)


def _check(spread: float) -> None:
    if not 0 <= spread < math.inf:
        raise SignificanceError("The spread must be a finite number from 0.")


def _quantiles(significance: float, power: float) -> tuple[float, float]:
    if not (0 < significance < 1 and 0 < power < 1):
        raise SignificanceError("Significance and power must lie between 0 and 1.")
    return float(ndtri(1.0 - significance / 2.0)), float(ndtri(power))
