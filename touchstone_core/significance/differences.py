"""Paired differences over the same queries, with counts of wins, losses and ties."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.types import Floats

# Sums of the same numbers in another order differ in the last digits, but that is no win.
TOLERANCE: Final = 1e-9
DECIMALS: Final = 9
# A greater change of one query is clear, in the unit of the measure.
CLEAR: Final = 0.05

Scores: TypeAlias = ArrayLike | Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How many queries a run wins, loses and ties. `better` and `worse` are the shares that change by more than `clear`.

    `rank_biserial` also weighs how large wins and losses are, by their ranks: 1 if there are only wins, −1 if there are only
    losses, None without either.
    """

    wins: int
    losses: int
    ties: int
    clear: float
    better: float
    worse: float
    rank_biserial: float | None

    @property
    def changed(self) -> int:
        """How many queries are no tie."""
        return self.wins + self.losses


def scores_of(values: Scores, *, name: str = "scores") -> Floats:
    """Returns the scores of one run (Q,); raises SignificanceError without a query, or if a score is not a number."""
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SignificanceError(f"The {name} must be one number for each query.") from error
    if scores.ndim != 1:
        raise SignificanceError(f"The {name} must be one number for each query.")
    if not scores.size:
        raise SignificanceError("There is no query to compare on.")
    if not np.isfinite(scores).all():
        at = int(np.argmin(np.isfinite(scores))) + 1
        raise SignificanceError(
            f"Number {at} of the {name} is missing or not finite; a query without an answer counts 0."
        )
    return scores


def differences(baseline: Scores, run: Scores, *, tolerance: float = TOLERANCE) -> Floats:
    """run − baseline (Q,); differences within the tolerance become exactly 0, a tie in every test.

    Raises SignificanceError for scores that `scores_of` refuses, for different numbers of queries, and for a tolerance that
    is negative or not finite.
    """
    before, after = scores_of(baseline, name="baseline’s scores"), scores_of(run, name="run’s scores")
    if before.shape != after.shape:
        raise SignificanceError(
            f"The baseline has {before.size} scores and the run {after.size}; they must be of the same queries."
        )
    if not 0 <= tolerance < np.inf:
        raise SignificanceError("The tolerance must be a finite number from 0.")
    difference = after - before
    return np.where(np.abs(difference) <= tolerance, 0.0, difference)


def outcomes(difference: Floats, *, clear: float = CLEAR) -> Outcomes:
    """Counts differences (Q,) from `differences`, where a tie is exactly 0. A change of exactly `clear` is not clear."""
    # .75 − .70 is a little more than .05 in binary digits.
    edge = clear + TOLERANCE
    return Outcomes(
        wins=int((difference > 0).sum()),
        losses=int((difference < 0).sum()),
        ties=int((difference == 0).sum()),
        clear=clear,
        better=float((difference > edge).mean()),
        worse=float((difference < -edge).mean()),
        rank_biserial=rank_biserial(difference),
    )


def rank_biserial(difference: Floats) -> float | None:
    """The matched-pairs rank-biserial correlation (Kerby 2014): (ranks of wins − ranks of losses) / all ranks.

    Queries that changed are ranked by the size of their change, and equal changes share their mean rank.
    """
    changes = difference[difference != 0]
    if not changes.size:
        return None
    sizes = np.abs(changes).round(DECIMALS)
    _, place, equal = np.unique(sizes, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(equal) - (equal - 1) / 2)[place]
    return float(np.sign(changes) @ ranks / ranks.sum())
