"""What a comparison depends on besides the scores: kept in its record, so that it can be repeated."""

import math
from dataclasses import dataclass

from touchstone_core.significance import differences, intervals, permutation, posterior, risk, robust
from touchstone_core.significance.draws import SEED
from touchstone_core.significance.errors import SignificanceError


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The seed and the number of each kind of draws; limits in the unit of the measure.

    `tolerance` makes ties, `clear` a change that is counted as such, `rope` no practical difference; `alpha` is that of
    URisk, `level` that of all intervals and, taken from 1, of all decisions, `worst` the number of losses listed.
    Raises SignificanceError for a level that is not between 0 and 1, a negative `clear` or `worst`; the functions that
    take the others refuse what they cannot use.
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
