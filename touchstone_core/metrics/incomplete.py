"""The measures for incomplete judgments: bpref and infAP, as trec_eval computes them.

Every function gives one value per query (Q,). If `rel` is None, the scale's threshold counts.
"""

from typing import Final

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.binary import count_relevant, ratio, threshold
from touchstone_core.metrics.query_sums import positions
from touchstone_core.metrics.types import Floats, Ints, Mask

EPSILON: Final = 1e-5  # as in trec_eval; it avoids 0 / 0 above the first judged document


def bpref(run: JudgedRun, *, rel: float | None) -> Floats:
    """Buckley & Voorhees 2004, as corrected in trec_eval 8: only the order of judged documents counts."""
    least = threshold(run, rel)
    relevant = run.hit_grade >= least
    above = _count_above(run, (run.hit_grade >= 0) & ~relevant)[relevant]
    query = run.hit_query[relevant]
    total = count_relevant(run, rel)
    nonrelevant = np.bincount(
        run.judged_query[(run.judged_grade >= 0) & (run.judged_grade < least)], minlength=run.queries
    )
    bound = np.maximum(np.minimum(nonrelevant, total), 1)[query]  # never 0 where anything is above
    terms = 1.0 - np.minimum(above, total[query]) / bound
    return ratio(np.bincount(query, terms, run.queries), total)


def inferred_ap(run: JudgedRun, *, rel: float | None) -> Floats:
    """Yilmaz & Aslam 2006: the expected average precision if the whole pool were judged.

    A negative grade means that a document is in the pool, but not judged. Documents without a grade are not in the pool.
    """
    relevant = run.hit_grade >= threshold(run, rel)
    judged = run.hit_grade >= 0
    rank = run.hit_rank[relevant]
    pool = positions(run.hit_query)[relevant]
    relevant_above = _count_above(run, relevant)[relevant]
    judged_above = _count_above(run, judged)[relevant]
    share = (relevant_above + EPSILON) / (judged_above + 2.0 * EPSILON)
    # (k − 1)/k of the ranks are above, pool/(k − 1) of them in the pool. k − 1 cancels, and at rank 1 all is 0.
    inferred = 1.0 / rank + pool / rank * share
    return ratio(np.bincount(run.hit_query[relevant], inferred, run.queries), count_relevant(run, rel))


def _count_above(run: JudgedRun, mask: Mask) -> Ints:
    """How many hits of the mask are above each hit in its ranking (H,)."""
    before: Ints = np.cumsum(mask) - mask
    return before - before[np.arange(len(before)) - positions(run.hit_query)]
