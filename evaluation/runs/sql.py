"""Rankings into the database by COPY: one row for each query of a run."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db import connection

_COPY = """
    COPY evaluation_ranking
        (query_set_id, query_id, run_id, size, documents, scores, tied, first_tie,
         hit_ranks, hit_documents, pairs_revision)
    FROM STDIN (FORMAT BINARY)
"""
_TYPES = ["int8", "int8", "int8", "int4", "bytea", "bytea", "bool", "int4", "int4[]", "int8[]", "int8"]


class RankingRow(NamedTuple):
    """A row of evaluation_ranking before its hits are known (see evaluation.scores.sql.hits).

    `first_tie` is None where no tie matters, which is so wherever the rank column decided the order.
    """

    query_set_id: int
    query_id: int
    run_id: int
    size: int
    documents: bytes
    scores: bytes | None
    tied: bool
    first_tie: int | None


def copy_rankings(rows: Iterable[RankingRow]) -> None:
    """Streams the rows in one COPY; the caller's transaction makes it all or nothing."""
    with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
        copy.set_types(_TYPES)
        for row in rows:
            copy.write_row((*row, [], [], 0))
