"""Joins grades and hits from the database into the arrays that scoring reads; for reports on every query at once, as packed columns."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from django.db import connection

from evaluation.scores.sql.scores import QueryGrades, QueryHits
from judgments.base.sql import copy
from judgments.grades.sql.consensus import floats, ints
from touchstone_core.metrics.arrays import JudgedRun, judged_run
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.types import Floats, Ints


class GradeColumns(NamedTuple):
    """Grades (N,) by query and then by document, with the IDs of both."""

    query: Ints
    document: Ints
    value: Floats


class HitColumns(NamedTuple):
    """The rankings of one run (R,) by query, with their lengths and numbers of hits; their hits (H,) in this order. Or those of
    several runs, one after the other."""

    query: Ints
    size: Ints
    hits: Ints
    rank: Ints
    document: Ints


class GradeIndex:
    """The judged queries of a list, ready to be joined to runs. `judged` is the number of grades."""

    def __init__(self, grades: Iterable[QueryGrades] | GradeColumns, scale: ScaleInfo) -> None:
        columns = grades if isinstance(grades, GradeColumns) else _grade_columns(grades)
        self._scale = scale
        self.judged = len(columns.query)
        self._queries, judged_query = np.unique(columns.query, return_inverse=True)
        self._judged_query: Ints = judged_query.astype(np.int64)
        self._judged_grade: Floats = columns.value
        self._documents, place = np.unique(columns.document, return_inverse=True)
        # Query and document in one number, which rises as each query's documents come in the order of their IDs.
        self._keys = self._judged_query * len(self._documents) + place

    @property
    def queries(self) -> list[int]:
        """The IDs of the judged queries, in the order of the arrays."""
        queries: list[int] = self._queries.tolist()
        return queries

    def join(self, *runs: Sequence[QueryHits] | HitColumns) -> JudgedRun:
        """The run whose rankings these are. Queries without a grade in the list are left out.

        Of several runs, one that has all the judged queries once for each of them, one run after the other: an array of many
        values takes about as long as one of few.
        """
        count = len(self._queries)
        each = [hits if isinstance(hits, HitColumns) else _hit_columns(hits) for hits in runs]
        columns = HitColumns(*map(np.concatenate, zip(*each, strict=True)))
        place = np.searchsorted(self._queries, columns.query)
        in_list = place < count
        in_list[in_list] = self._queries[place[in_list]] == columns.query[in_list]
        first = np.repeat(np.arange(len(each)) * count, [len(one.query) for one in each])
        answered = np.zeros(len(each) * count, dtype=np.bool_)
        answered[(first + place)[in_list]] = True
        retrieved = np.zeros(len(each) * count, dtype=np.int64)
        retrieved[(first + place)[in_list]] = columns.size[in_list]
        of_judged = np.repeat(in_list, columns.hits)
        query = np.repeat(place, columns.hits)[of_judged]
        judgment = self._find(query, columns.document[of_judged])
        graded = judgment >= 0
        return judged_run(
            answered=answered,
            retrieved=retrieved,
            hit_query=(np.repeat(first, columns.hits)[of_judged] + query)[graded],
            hit_rank=columns.rank[of_judged][graded],
            hit_grade=self._judged_grade[judgment[graded]],
            judged_query=(np.arange(len(each))[:, np.newaxis] * count + self._judged_query).ravel(),
            judged_grade=np.tile(self._judged_grade, len(each)),
            scale=self._scale,
        )

    def _find(self, query: Ints, document: Ints) -> Ints:
        """The position of each query and document's judgment; -1 for a pair without a grade in this list."""
        if not self._keys.size:
            return np.full(len(query), -1, dtype=np.int64)
        place = np.searchsorted(self._documents, document)
        place[place == len(self._documents)] = 0
        key = query * len(self._documents) + place
        judgment = np.searchsorted(self._keys, key)
        judgment[judgment == len(self._keys)] = 0
        exists = (self._documents[place] == document) & (self._keys[judgment] == key)
        return np.where(exists, judgment, -1)


def _grade_columns(grades: Iterable[QueryGrades]) -> GradeColumns:
    by_query = sorted(grades)
    counts = [len(one.documents) for one in by_query]
    query = np.repeat(
        np.array([one.query_id for one in by_query], dtype=np.int64), np.array(counts, dtype=np.int64)
    )
    value = np.fromiter(chain.from_iterable(one.values for one in by_query), dtype=np.float64)
    return GradeColumns(query, _ints(one.documents for one in by_query), value)


def _hit_columns(hits: Sequence[QueryHits]) -> HitColumns:
    by_query = sorted(hits, key=lambda hit: hit.query_id)
    return HitColumns(
        np.array([hit.query_id for hit in by_query], dtype=np.int64),
        np.array([hit.size for hit in by_query], dtype=np.int64),
        np.array([len(hit.ranks) for hit in by_query], dtype=np.int64),
        _ints(hit.ranks for hit in by_query),
        _ints(hit.documents for hit in by_query),
    )


def _ints(parts: Iterable[Iterable[int]]) -> Ints:
    return np.fromiter(chain.from_iterable(parts), dtype=np.int64)


_GRADES: Final = """
    SELECT string_agg(int8send(query_id), ''), string_agg(int8send(document_id), ''), string_agg(float8send(value), '')
    FROM judgments_consensusgrade WHERE judgment_list_id = %(list)s AND value IS NOT NULL
"""
# One run after the other, so that only one is in memory at a time, here and in the database.
_HITS: Final = """
    SELECT run.id, hits.* FROM unnest(%(runs)s::bigint[]) AS run (id) CROSS JOIN LATERAL (
        SELECT string_agg(int8send(query_id), ''), string_agg(int8send(size), ''),
            string_agg(int8send(cardinality(hit_ranks)), ''),
            string_agg(array_to_string(hit_ranks, ' '), ' '), string_agg(array_to_string(hit_documents, ' '), ' ')
        FROM (
            SELECT query_id, size, hit_ranks, hit_documents FROM evaluation_ranking
            WHERE query_set_id = %(query_set)s AND run_id = run.id
                AND query_id IN (SELECT query_id FROM judgments_listquery WHERE judgment_list_id = %(list)s)
            ORDER BY query_id OFFSET 0
        ) ranking
    ) hits
"""


def read_grade_columns(list_id: int) -> GradeColumns:
    """The live grades of the list."""
    query, document, value = copy.row(_GRADES, list=list_id)
    queries, documents, values = ints([query or b""]), ints([document or b""]), floats([value or b""])
    order = np.lexsort((documents, queries))
    return GradeColumns(queries[order], documents[order], values[order])


def read_hit_columns(
    query_set_id: int, list_id: int, run_ids: Sequence[int]
) -> Iterator[tuple[int, HitColumns]]:
    """The hits of each of these runs for the queries of the list; of each run, though it may have none."""
    parameters: dict[str, Any] = {"query_set": query_set_id, "list": list_id, "runs": list(run_ids)}
    with connection.chunked_cursor() as cursor:
        cursor.execute(_HITS, parameters)
        while row := cursor.fetchone():
            run_id, *columns, ranks, documents = row
            query, size, hits = (ints([column or b""]) for column in columns)
            yield run_id, HitColumns(query, size, hits, _numbers(ranks), _numbers(documents))


def _numbers(text: str | None) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.fromstring(text or "", dtype=np.int64, sep=" ")
