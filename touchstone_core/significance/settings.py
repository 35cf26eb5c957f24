"""The settings of a comparison, stored in its record so that you can repeat it."""

import math
from dataclasses import dataclass

from touchstone_core.significance import differences, intervals, permutation, posterior, risk, robust
from touchstone_core.significance.draws import SEED
from touchstone_core.significance.errors import SignificanceError


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The seed, the number of each kind of draws, and limits in the unit of the measure.

    Differences within `tolerance` are ties, those above `clear` clear, and means within `rope` have no practical meaning.
    `alpha` is that of URisk, `level` that of all intervals; decisions have the error 1 − level. `worst` is the number of losses
    listed. Raises SignificanceError for a level that is not between 0 and 1, and a negative `clear` or `worst`. Functions that
    use the other settings check them.
    """

    seed: int = SEED
    draws: int = permutation.DRAWS
    resamples: int = robust.RESAMPLES
    tolerance: float = differences.TOLERANCE
    clear: float = differences.CLEAR
    rope: float = posterior.ROPE
    alpha: float = risk.ALPHA
    level: float = intervals.LEVEL
    worst: int = robust.WORST

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise SignificanceError("The level of an interval must lie between 0 and 1.")
        if not 0 <= self.clear < math.inf:
            raise SignificanceError("What counts as a clear change must be a finite number from 0.")
        if self.worst < 0:
            raise SignificanceError("The number of worst queries must be a whole number from 0.")
