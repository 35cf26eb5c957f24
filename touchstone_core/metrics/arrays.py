"""A run joined to a judgment list: what every measure reads."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.scale import ScaleInfo as ScaleInfo
from touchstone_core.metrics.types import Floats, Ints, Mask


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRun:
    """The judged queries of a list, and the judged documents that a run retrieved for them.

    Q queries, H hits (judged documents that the run retrieved; every other rank is unjudged), J judgments.
    Hits are sorted by query and rank, judgments by query. Build it with `judged_run` or `join`, which check it.
    """

    answered: Mask  # (Q,) False: the judged query is missing from the run
    retrieved: Ints  # (Q,) length of the ranking, 0 when missing or empty
    hit_query: Ints  # (H,) index of the query, never falling
    hit_rank: Ints  # (H,) from 1, rising inside a query
    hit_grade: Floats  # (H,)
    judged_query: Ints  # (J,) index of the query, never falling
    judged_grade: Floats  # (J,)
    scale: ScaleInfo

    @property
    def queries(self) -> int:
        """Q, the number of judged queries."""
        return len(self.answered)


def judged_run(
    *,
    answered: ArrayLike,
    retrieved: ArrayLike,
    hit_query: ArrayLike,
    hit_rank: ArrayLike,
    hit_grade: ArrayLike,
    judged_query: ArrayLike,
    judged_grade: ArrayLike,
    scale: ScaleInfo,
) -> JudgedRun:
    """Returns a JudgedRun of these arrays; raises MetricsError, which says what is wrong with them."""
    run = JudgedRun(
        answered=np.asarray(answered, dtype=np.bool_),
        retrieved=np.asarray(retrieved, dtype=np.int64),
        hit_query=np.asarray(hit_query, dtype=np.int64),
        hit_rank=np.asarray(hit_rank, dtype=np.int64),
        hit_grade=np.asarray(hit_grade, dtype=np.float64),
        judged_query=np.asarray(judged_query, dtype=np.int64),
        judged_grade=np.asarray(judged_grade, dtype=np.float64),
        scale=scale,
    )
    for fits, sentence in _demands(run):
        if not fits:
            raise MetricsError(sentence)
    scale.check(run.hit_grade)
    scale.check(run.judged_grade)
    return run


def join(
    judgments: Mapping[str, Mapping[str, float]], rankings: Mapping[str, Sequence[str]], scale: ScaleInfo
) -> tuple[tuple[str, ...], JudgedRun]:
    """Returns the judged queries, in the order of `judgments`, and the JudgedRun. Rankings are ordered, best first.

    Leaves out queries without a judgment. Raises MetricsError if a ranking holds a document twice.
    """
    queries = tuple(query for query, grades in judgments.items() if grades)
    hit_query, hit_rank, hit_grade = _hits(queries, judgments, rankings)
    return queries, judged_run(
        answered=[query in rankings for query in queries],
        retrieved=[len(rankings.get(query, ())) for query in queries],
        hit_query=hit_query,
        hit_rank=hit_rank,
        hit_grade=hit_grade,
        judged_query=[index for index, query in enumerate(queries) for _ in judgments[query]],
        judged_grade=[grade for query in queries for grade in judgments[query].values()],
        scale=scale,
    )


def condense(run: JudgedRun) -> JudgedRun:
    """Removes unjudged documents and those with a negative grade, and closes up the ranks (trec_eval -J)."""
    judged = run.hit_grade >= 0
    query = run.hit_query[judged]
    counts = np.bincount(query, minlength=run.queries)
    rank = np.arange(1, len(query) + 1) - np.repeat(np.cumsum(counts) - counts, counts)
    return replace(run, retrieved=counts, hit_query=query, hit_rank=rank, hit_grade=run.hit_grade[judged])


def without_hits(run: JudgedRun) -> JudgedRun:
    """What is left once all values are known: hits take most of its memory, and many runs are read in one command."""
    return replace(
        run,
        hit_query=run.hit_query[:0].copy(),
        hit_rank=run.hit_rank[:0].copy(),
        hit_grade=run.hit_grade[:0].copy(),
    )


def _hits(
    queries: Sequence[str],
    judgments: Mapping[str, Mapping[str, float]],
    rankings: Mapping[str, Sequence[str]],
) -> tuple[list[int], list[int], list[float]]:
    """The query, the rank and the grade of every hit."""
    indices: list[int] = []
    ranks: list[int] = []
    hit_grades: list[float] = []
    for index, query in enumerate(queries):
        grades, ranking = judgments[query], rankings.get(query, ())
        if len(set(ranking)) < len(ranking):
            raise MetricsError(f"The ranking of query '{query}' holds a document twice.")
        for rank, document in enumerate(ranking, 1):
            if document in grades:
                indices.append(index)
                ranks.append(rank)
                hit_grades.append(grades[document])
    return indices, ranks, hit_grades


def _demands(run: JudgedRun) -> Iterator[tuple[bool, str]]:
    """Pairs of a condition and its error message. Later conditions rely on earlier ones."""
    yield run.answered.ndim == 1, "The queries must be a flat array."
    yield run.retrieved.shape == run.answered.shape, "Every query needs the length of its ranking."
    yield (
        run.hit_query.shape == run.hit_rank.shape == run.hit_grade.shape,
        "Every hit needs query, rank and grade.",
    )
    yield run.judged_query.shape == run.judged_grade.shape, "Every judgment needs a query and a grade."
    yield (
        _are_query_indices(run.hit_query, run.queries),
        "The hits must be sorted by query, and their queries must exist.",
    )
    yield (
        _are_query_indices(run.judged_query, run.queries),
        "The judgments must be sorted by query, and their queries must exist.",
    )
    yield bool((run.retrieved >= 0).all()), "The length of a ranking cannot be negative."
    yield (
        not run.retrieved[~run.answered].any(),
        "A query that is missing from the run cannot have a ranking.",
    )
    same_query = run.hit_query[1:] == run.hit_query[:-1]
    yield (
        bool((np.diff(run.hit_rank)[same_query] > 0).all()),
        "The hits of a query must be sorted by rank, each rank once.",
    )
    inside = (run.hit_rank >= 1) & (run.hit_rank <= run.retrieved[run.hit_query])
    yield bool(inside.all()), "A hit is outside its ranking."
    hits, judged = (np.bincount(index, minlength=run.queries) for index in (run.hit_query, run.judged_query))
    yield bool((hits <= judged).all()), "A query has more hits than judgments."


def _are_query_indices(index: Ints, queries: int) -> bool:
    if not index.size:
        return True
    return bool(index[0] >= 0 and index[-1] < queries and (np.diff(index) >= 0).all())
