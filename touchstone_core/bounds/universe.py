"""The unjudged documents that bounds take into account: all that any of the runs retrieved, at any rank.

Only their number matters, and only up to three pages: those on two pages, and a page of others.
R runs, Q queries, N ranks.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.types import Floats, Ints, Mask

PAGES: Final = 3
"""More than so many pages of unjudged documents do not change any bound of a run, or of a difference."""


def unjudged_of(run: JudgedRun) -> Ints:
    """(Q,) how many unjudged documents the run retrieved."""
    return np.asarray(run.retrieved - np.bincount(run.hit_query, minlength=run.queries), dtype=np.int64)


def most_unjudged(runs: Sequence[JudgedRun], document: Ints, gain: Floats) -> Ints:
    """(Q,) at least as many as all runs retrieved together. Those on the pages are counted once, those below the cutoff as if
    they were different in each run.

    `document` and `gain` (R, Q, N) are the pages of the runs, as in `PooledPages`.
    """
    unjudged = (document >= 0) & np.isnan(gain)
    below = np.array([unjudged_of(run) for run in runs]) - unjudged.sum(axis=2)
    return np.asarray(_different(document, unjudged) + below.sum(axis=0), dtype=np.int64)


def all_unjudged(
    runs: Sequence[JudgedRun], queries: Ints, rankings: Sequence[Sequence[Sequence[str]]]
) -> list[int]:
    """How many different unjudged documents the runs retrieved for each of these queries (indices in the runs' arrays).
    `rankings` are complete, by run and by query."""
    documents: list[set[str]] = [set() for _ in rankings[0]]
    for run, of_run in zip(runs, rankings, strict=True):
        starts = np.searchsorted(run.hit_query, [queries, queries + 1]).tolist()
        for names, ranking, start, end in zip(documents, of_run, *starts, strict=True):
            judged = set((run.hit_rank[start:end] - 1).tolist())
            names.update(name for rank, name in enumerate(ranking) if rank not in judged)
    return [len(names) for names in documents]


def _different(document: Ints, mask: Mask) -> Ints:
    """(Q,) how many different documents are in the mask (R, Q, N)."""
    queries = document.shape[1]
    present = np.zeros((queries, int(document.max(initial=0)) + 1), dtype=np.bool_)
    _, query, _ = np.nonzero(mask)
    present[query, document[mask]] = True
    return np.asarray(present.sum(axis=1))
