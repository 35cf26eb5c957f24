"""How much of what a ranking shows has been judged. One value per query (Q,); a negative grade is a judgment."""

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.binary import ratio
from touchstone_core.metrics.query_sums import sums
from touchstone_core.metrics.types import Floats, Ints


def judged_share(run: JudgedRun, *, cutoff: int | None) -> Floats:
    """Judged documents in the top k, divided by the documents shown there; 0 if there are none."""
    return ratio(_count_judged(run, cutoff), _count_shown(run, cutoff))


def holes(run: JudgedRun, *, cutoff: int | None) -> Floats:
    """The number of unjudged documents in the top k."""
    return np.subtract(_count_shown(run, cutoff), _count_judged(run, cutoff), dtype=np.float64)


def covered_share(run: JudgedRun, discount: Floats, ranks: Ints | int) -> Floats:
    """The discounted coverage: the share of the discounts of each query's first `ranks` (Q,) without unjudged documents, 0 to 1.

    `discount` (N,) has at least as many; documents beyond its end don't count. Of a page it's exactly one minus the width of the
    interval of NDCG-max. Ranks without a document count as covered, since no judgment can change them.
    """
    up_to = np.append(0.0, np.cumsum(discount))  # (N + 1,)
    shown = np.minimum(run.retrieved, len(discount))
    deep = run.hit_rank <= len(discount)
    query, weight = run.hit_query[deep], discount[run.hit_rank[deep] - 1]
    # Sums of the same numbers in another order can differ, and what is judged whole is covered whole.
    whole = np.bincount(query, minlength=run.queries) == shown
    unjudged = np.where(whole, 0.0, up_to[shown] - sums(query, weight, run.queries))
    return np.asarray(1.0 - unjudged / up_to[ranks], dtype=np.float64)


def _count_judged(run: JudgedRun, cutoff: int | None) -> Ints:
    query = run.hit_query if cutoff is None else run.hit_query[run.hit_rank <= cutoff]
    return np.bincount(query, minlength=run.queries)


def _count_shown(run: JudgedRun, cutoff: int | None) -> Ints:
    return run.retrieved if cutoff is None else np.minimum(run.retrieved, cutoff)
