"""All grades of a list and all hits of its runs, as columns, for reports on every query at once.

The database packs each column into one string, so that no Python object is made per grade or hit.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from django.db import connection

from evaluation.scores.sql.judged_runs import GradeColumns, HitColumns
from judgments.base.sql import copy
from judgments.grades.sql.consensus import floats, ints

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
