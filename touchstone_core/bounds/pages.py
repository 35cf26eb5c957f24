"""What a run shows within the cutoff, and what is judged of it. Q queries, N ranks."""

from dataclasses import dataclass

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.gain import gains, top_gain
from touchstone_core.metrics.types import Floats, Ints, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """The first N ranks of every query, rank by rank."""

    discount: Floats  # (N,)
    gain: Floats  # (Q, N), 0 where nothing is shown and where nothing is judged
    unjudged: Mask  # (Q, N) a document without a grade
    deeper: Ints  # (Q,) unjudged documents beyond the cutoff and within the recall depth
    top: float  # the greatest gain that the scale allows

    @property
    def dcg(self) -> Floats:
        """(Q,) the DCG if unjudged documents gain nothing."""
        return np.asarray(self.gain @ self.discount, dtype=np.float64)


def pages(run: JudgedRun, formula: Formula) -> Pages:
    """The pages of a run, (Q, N) floats. Unjudged documents keep their ranks, whatever the formula's policy."""
    shape = (run.queries, formula.cutoff)
    page = run.hit_rank <= formula.cutoff
    at = (run.hit_query[page], run.hit_rank[page] - 1)
    gain = np.zeros(shape)
    gain[at] = gains(run.hit_grade[page], formula.gain, run.scale)
    unjudged = np.arange(formula.cutoff) < run.retrieved[:, None]
    unjudged[at] = False
    return Pages(
        discount=formula.discounts(),
        gain=gain,
        unjudged=unjudged,
        deeper=_deeper(run, formula),
        top=top_gain(formula.gain, run.scale),
    )


def _deeper(run: JudgedRun, formula: Formula) -> Ints:
    depth = run.retrieved if formula.depth is None else np.minimum(run.retrieved, formula.depth)
    beyond = (run.hit_rank > formula.cutoff) & (run.hit_rank <= depth[run.hit_query])
    judged = np.bincount(run.hit_query[beyond], minlength=run.queries)
    return np.asarray(np.maximum(depth - formula.cutoff, 0) - judged, dtype=np.int64)
