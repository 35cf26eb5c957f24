"""How much of what a ranking shows has been judged. One value per query (Q,); a negative grade is a judgment."""

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.binary import ratio
from touchstone_core.metrics.types import Floats, Ints


def judged_share(run: JudgedRun, *, cutoff: int | None) -> Floats:
    """Judged documents in the top k, divided by the documents shown there; 0 if there are none."""
    return ratio(_count_judged(run, cutoff), _count_shown(run, cutoff))


def holes(run: JudgedRun, *, cutoff: int | None) -> Floats:
    """The number of unjudged documents in the top k."""
    return np.subtract(_count_shown(run, cutoff), _count_judged(run, cutoff), dtype=np.float64)


def _count_judged(run: JudgedRun, cutoff: int | None) -> Ints:
    query = run.hit_query if cutoff is None else run.hit_query[run.hit_rank <= cutoff]
    return np.bincount(query, minlength=run.queries)


def _count_shown(run: JudgedRun, cutoff: int | None) -> Ints:
    return run.retrieved if cutoff is None else np.minimum(run.retrieved, cutoff)
