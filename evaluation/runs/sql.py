"""Rankings into the database by COPY and out again: one row for each query of a run."""

from collections.abc import Generator, Iterable
from contextlib import closing
from typing import Final, NamedTuple

from django.db import connection

from evaluation.base.sql import unpack_documents, unpack_scores
from evaluation.models import Run
from judgments.base.sql import copy as statements
from touchstone_core.formats.runs.run_writers import RankingRecord

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


_RANKINGS: Final = """
    SELECT query.external_id, ranking.documents, ranking.scores
    FROM evaluation_ranking ranking JOIN judgments_query query ON query.id = ranking.query_id
    WHERE ranking.query_set_id = %(query_set)s AND ranking.run_id = %(run)s ORDER BY query.id
"""


def stream_rankings(run: Run) -> Generator[RankingRecord, None, None]:
    """A ranking after the other, in the order in which the queries came. One statement; see `stream` of `copy`."""
    types = ["text", "bytea", "bytea"]
    with closing(statements.stream(_RANKINGS, types, query_set=run.query_set_id, run=run.pk)) as rows:
        for query, documents, scores in rows:
            yield RankingRecord(
                query, unpack_documents(documents), None if scores is None else unpack_scores(scores)
            )
