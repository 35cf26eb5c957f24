"""How much of what a ranking shows has been judged. One value per query (Q,); a negative grade is a judgment."""

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.binary import ratio
from touchstone_core.metrics.types import Floats, Ints


def judged(run: JudgedRun, *, cutoff: int | None) -> Floats:
    """Judged documents in the top k, divided by the documents there; 0 where there are none."""
    return ratio(_judged(run, cutoff), _shown(run, cutoff))


def holes(run: JudgedRun, *, cutoff: int | None) -> Floats:
    """The number of unjudged documents in the top k."""
    return np.subtract(_shown(run, cutoff), _judged(run, cutoff), dtype=np.float64)


def _judged(run: JudgedRun, cutoff: int | None) -> Ints:
    query = run.hit_query if cutoff is None else run.hit_query[run.hit_rank <= cutoff]
    return np.bincount(query, minlength=run.queries)


def _shown(run: JudgedRun, cutoff: int | None) -> Ints:
    return run.retrieved if cutoff is None else np.minimum(run.retrieved, cutoff)
