"""What a comparison depends on besides the scores: kept in its record, so that it can be repeated."""

from dataclasses import dataclass

from evaluation.significance import bayes, differences, intervals, permutation, risk, robust


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The seed and the number of each kind of draws; limits in the unit of the measure.

    `tolerance` makes ties, `clear` a change that is counted as such, `rope` no practical difference; `alpha` is that of
    URisk, `level` that of all intervals, `worst` the number of losses listed, `rank_tests` asks for them.
    """

    seed: int
    draws: int = permutation.DRAWS
    bayes_draws: int = bayes.DRAWS
    resamples: int = robust.RESAMPLES
    tolerance: float = differences.TOLERANCE
    clear: float = differences.CLEAR
    rope: float = bayes.ROPE
    alpha: float = risk.ALPHA
    level: float = intervals.LEVEL
    worst: int = robust.WORST
    rank_tests: bool = False
