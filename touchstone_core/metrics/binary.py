"""The measures of binary relevance, as trec_eval defines them: a document is relevant if its grade reaches the threshold.

Every function gives one value per query (Q,). If `rel` is None, the scale's threshold counts; if `cutoff` is None, the
whole ranking. R is the number of relevant documents of a query, retrieved or not.
"""

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.query_sums import positions, sums
from touchstone_core.metrics.types import Floats, Ints, Mask


def precision(run: JudgedRun, *, cutoff: int, rel: float | None) -> Floats:
    """Relevant documents in the top k, divided by k even if the ranking is shorter."""
    return count_relevant_hits(run, cutoff, rel) / cutoff


def recall(run: JudgedRun, *, cutoff: int, rel: float | None) -> Floats:
    """Relevant documents in the top k, divided by R."""
    return ratio(count_relevant_hits(run, cutoff, rel), count_relevant(run, rel))


def success(run: JudgedRun, *, cutoff: int, rel: float | None) -> Floats:
    """1 if a relevant document is in the top k."""
    return np.minimum(count_relevant_hits(run, cutoff, rel), 1.0)


def average_precision(run: JudgedRun, *, cutoff: int | None, rel: float | None) -> Floats:
    """Adds up the precisions at the ranks of the relevant documents and divides by R, not by min(R, k)."""
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
    """The query and the rank of the relevant documents within the cutoff, sorted by query and rank."""
    relevant: Mask = run.hit_grade >= threshold(run, rel)
    if cutoff is not None:
        relevant &= run.hit_rank <= cutoff
    return run.hit_query[relevant], run.hit_rank[relevant]


def count_relevant_hits(run: JudgedRun, cutoff: int | None, rel: float | None) -> Ints:
    """How many relevant documents each query has within the cutoff."""
    return np.bincount(relevant_hits(run, cutoff, rel)[0], minlength=run.queries)


def ratio(part: Floats | Ints, whole: Ints) -> Floats:
    """part / whole; 0 where the whole, and so the part, is 0."""
    return part / np.maximum(whole, 1)
