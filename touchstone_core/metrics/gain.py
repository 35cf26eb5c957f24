"""Gain: what a grade is worth. The gain of a negative grade is always 0."""

from typing import Final

import numpy as np

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.types import Floats

GAINS: Final = ("linear", "exp", "table")

# The sum of 2^g over a ranking would overflow with greater grades.
GREATEST_EXPONENT: Final = 900.0


def gains(grades: Floats, gain: str, scale: ScaleInfo) -> Floats:
    """The gain of each grade; raises MetricsError for a grade above the scale's top.

    A mean grade may be between two levels of a table, and then its gain is interpolated. A grade below the lowest level
    has the gain of that level.
    """
    check_gain(gain, scale)
    scale.check(grades)
    return np.where(grades < 0, 0.0, _gains_from_zero(grades, gain, scale))


def top_gain(gain: str, scale: ScaleInfo) -> float:
    """The greatest gain that the scale allows: that of its top grade, or the greatest in its table."""
    check_gain(gain, scale)
    if gain == "table":
        return float(_table(scale)[1].max())
    return float(gains(np.array([scale.top_grade]), gain, scale)[0])


def check_gain(gain: str, scale: ScaleInfo) -> None:
    """Raises MetricsError for an unknown gain, or one that this scale cannot have."""
    if gain not in GAINS:
        raise MetricsError(f"The gain can’t be {gain!r}. Use one of {', '.join(GAINS)}.")
    if gain == "table" and scale.gains is None:
        raise MetricsError(
            "The gain 'table' needs a scale whose levels have gains, and this scale’s have none."
        )
    if gain == "exp" and scale.top_grade > GREATEST_EXPONENT:
        raise MetricsError(
            f"Exponential gain needs a top grade of at most {GREATEST_EXPONENT:g}; this scale’s is {scale.top_grade:g}."
        )


def _gains_from_zero(grades: Floats, gain: str, scale: ScaleInfo) -> Floats:
    if gain == "exp":
        return np.exp2(grades) - 1.0  # Burges et al. 2005
    return np.interp(grades, *_table(scale)) if gain == "table" else grades


def _table(scale: ScaleInfo) -> tuple[Floats, Floats]:
    """The levels' grades, ascending, and their gains."""
    levels = np.array(sorted((scale.gains or {}).items()), dtype=np.float64)
    return levels[:, 0], levels[:, 1]
