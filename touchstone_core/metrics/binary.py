"""The measures of binary relevance, as trec_eval defines them: a grade from the threshold on is relevant.

Every function gives one value per query (Q,). `rel` None is the scale's threshold, `cutoff` None the whole
ranking. R is the number of relevant documents of a query, retrieved or not.
"""

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.query_sums import positions, sums
from touchstone_core.metrics.types import Floats, Ints, Mask


def precision(run: JudgedRun, *, cutoff: int, rel: float | None) -> Floats:
    """Relevant documents in the top k, divided by k however short the ranking is."""
    return found(run, cutoff, rel) / cutoff


def recall(run: JudgedRun, *, cutoff: int, rel: float | None) -> Floats:
    """Relevant documents in the top k, divided by R."""
    return ratio(found(run, cutoff, rel), count_relevant(run, rel))


def success(run: JudgedRun, *, cutoff: int, rel: float | None) -> Floats:
    """1 where a relevant document is in the top k."""
    return np.minimum(found(run, cutoff, rel), 1.0)


def average_precision(run: JudgedRun, *, cutoff: int | None, rel: float | None) -> Floats:
    """The sum of the precisions at the ranks of the relevant documents, divided by R (not by min(R, k))."""
    query, rank = relevant_hits(run, cutoff, rel)
    precisions = (positions(query) + 1) / rank
    return ratio(np.bincount(query, precisions, run.queries), count_relevant(run, rel))


def reciprocal_rank(run: JudgedRun, *, cutoff: int | None, rel: float | None) -> Floats:
    """1 / the rank of the first relevant document."""
    query, rank = relevant_hits(run, cutoff, rel)
    first = positions(query) == 0
    return sums(query[first], 1.0 / rank[first], run.queries)


def r_precision(run: JudgedRun, *, rel: float | None) -> Floats:
    """Relevant documents in the top R, divided by R."""
    query, rank = relevant_hits(run, None, rel)
    relevant = count_relevant(run, rel)
    return ratio(np.bincount(query[rank <= relevant[query]], minlength=run.queries), relevant)


def threshold(run: JudgedRun, rel: float | None) -> float:
    """The least relevant grade."""
    return run.scale.threshold if rel is None else rel


def count_relevant(run: JudgedRun, rel: float | None) -> Ints:
    """R of each query."""
    return np.bincount(run.judged_query[run.judged_grade >= threshold(run, rel)], minlength=run.queries)


def relevant_hits(run: JudgedRun, cutoff: int | None, rel: float | None) -> tuple[Ints, Ints]:
    """Query and rank of the relevant documents to the cutoff, by query and rank."""
    relevant: Mask = run.hit_grade >= threshold(run, rel)
    if cutoff is not None:
        relevant &= run.hit_rank <= cutoff
    return run.hit_query[relevant], run.hit_rank[relevant]


def found(run: JudgedRun, cutoff: int | None, rel: float | None) -> Ints:
    """How many relevant documents each query has to the cutoff."""
    return np.bincount(relevant_hits(run, cutoff, rel)[0], minlength=run.queries)


def ratio(part: Floats | Ints, whole: Ints) -> Floats:
    """part / whole; 0 where the whole is 0, and so the part."""
    return part / np.maximum(whole, 1)
