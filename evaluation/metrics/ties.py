"""DCG over all orders of documents with equal scores: expected, least and greatest, without listing the orders."""

from dataclasses import dataclass

import numpy as np

from evaluation.metrics.errors import MetricsError
from evaluation.metrics.formula import Formula
from evaluation.metrics.gain import gains
from evaluation.metrics.scale import ScaleInfo
from evaluation.metrics.types import Floats


@dataclass(frozen=True, slots=True)
class TieSpread:
    """DCG if ties were broken at random, at the worst and at the best. All equal where no tie matters.

    Divided by the ideal global or max, which no order changes, they are those of nDCG; the ideals local and
    recall change with the order where a tie crosses the cutoff or the recall depth.
    """

    expected: float
    least: float
    greatest: float


def tie_spread(scores: Floats, grades: Floats, formula: Formula, scale: ScaleInfo) -> TieSpread:
    """The spread of one ranking (n,), given in any order; a grade of NaN is unjudged and gains nothing.

    McSherry & Najork, ECIR 2008: a tied document has the mean gain of its block at each rank of the block.
    """
    if scores.shape != grades.shape:
        raise MetricsError(f"There are {len(scores)} scores for {len(grades)} documents.")
    if np.isnan(scores).any():
        raise MetricsError("A retrieval score is not a number, so the ranking has no order.")
    gain = np.zeros(len(scores))
    judged = ~np.isnan(grades)
    gain[judged] = gains(grades[judged], formula.gain, scale)
    _, block, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    mean = np.bincount(block, gain, len(sizes)) / sizes
    return TieSpread(
        expected=_dcg(np.repeat(mean, sizes), formula),
        least=_dcg(gain[np.lexsort((gain, block))], formula),
        greatest=_dcg(gain[np.lexsort((-gain, block))], formula),
    )


def _dcg(gain: Floats, formula: Formula) -> float:
    shown = gain[: formula.cutoff]
    return float(shown @ formula.discounts()[: len(shown)])
