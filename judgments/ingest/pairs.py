"""Adding pairs, and keeping as many open slots as judgments are needed. Cost grows with the pairs concerned only."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

CREATE_INCOMING = """
DROP TABLE IF EXISTS touchstone_incoming_pair;
CREATE TEMPORARY TABLE touchstone_incoming_pair (
    ordinal bigint GENERATED ALWAYS AS IDENTITY, query_id bigint NOT NULL, document_id bigint NOT NULL
) ON COMMIT DROP
"""

COUNT_FOREIGN = """
SELECT count(*) FROM touchstone_incoming_pair incoming
LEFT JOIN judgments_query query ON query.id = incoming.query_id AND query.query_set_id = %(query_set)s
LEFT JOIN judgments_document document ON document.id = incoming.document_id AND document.query_set_id = %(query_set)s
WHERE query.id IS NULL OR document.id IS NULL
"""

ADD_QUERIES = """
INSERT INTO judgments_listquery (query_set_id, judgment_list_id, query_id, position,
                                 revision, pairs_revision, pair_count, graded_count, judgment_count)
SELECT %(query_set)s, %(list)s, fresh.query_id,
       (SELECT coalesce(max(position), 0) FROM judgments_listquery WHERE judgment_list_id = %(list)s)
           + row_number() OVER (ORDER BY fresh.first),
       0, 0, 0, 0, 0
FROM (SELECT query_id, min(ordinal) AS first FROM touchstone_incoming_pair GROUP BY query_id) fresh
WHERE NOT EXISTS (
    SELECT FROM judgments_listquery known WHERE known.judgment_list_id = %(list)s AND known.query_id = fresh.query_id
)
"""

# One statement, so that pairs, slots and counts come from the same set of new pairs.
ADD_PAIRS = """
WITH added AS (
    INSERT INTO judgments_pair (query_set_id, judgment_list_id, query_id, document_id)
    SELECT %(query_set)s, %(list)s, incoming.query_id, incoming.document_id
    FROM touchstone_incoming_pair incoming
    JOIN judgments_listquery list_query
      ON list_query.judgment_list_id = %(list)s AND list_query.query_id = incoming.query_id
    ORDER BY list_query.position, incoming.ordinal
    ON CONFLICT (judgment_list_id, query_id, document_id) DO NOTHING
    RETURNING id, query_id
), slots AS (
    INSERT INTO judgments_slot (query_set_id, judgment_list_id, pair_id, query_position, ordinal, state, lease_until)
    SELECT %(query_set)s, %(list)s, added.id, list_query.position, ordinal, 'open', to_timestamp(0)
    FROM added
    JOIN judgments_listquery list_query
      ON list_query.judgment_list_id = %(list)s AND list_query.query_id = added.query_id
    CROSS JOIN generate_series(1, %(overlap)s) ordinal
), counted AS (
    UPDATE judgments_listquery list_query
    SET pair_count = list_query.pair_count + fresh.pairs,
        revision = list_query.revision + 1,
        pairs_revision = list_query.pairs_revision + 1
    FROM (SELECT query_id, count(*) AS pairs FROM added GROUP BY query_id) fresh
    WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id = fresh.query_id
)
SELECT count(*) FROM added
"""

# Slots that a rater holds count first, and only free ones are removed.
SETTLE = """
WITH concerned AS (
    SELECT pair.id, list_query.position, wanted.judgments, slots.*
    FROM judgments_pair pair
    JOIN judgments_listquery list_query USING (judgment_list_id, query_id)
    CROSS JOIN LATERAL (
        SELECT count(*) AS judgments FROM judgments_judgment judgment WHERE judgment.pair_id = pair.id
    ) wanted
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE state = 'open' AND lease_until < %(at)s) AS free,
               count(*) FILTER (WHERE state = 'open') AS open,
               coalesce(max(ordinal), 0) AS last
        FROM judgments_slot slot WHERE slot.pair_id = pair.id
    ) slots
    WHERE pair.judgment_list_id = %(list)s AND (%(pairs)s::bigint[] IS NULL OR pair.id = ANY(%(pairs)s::bigint[]))
), changes AS (
    SELECT *, greatest(0, %(overlap)s - judgments) - open AS missing FROM concerned
), removed AS (
    DELETE FROM judgments_slot USING (
        SELECT slot.id, row_number() OVER (PARTITION BY slot.pair_id ORDER BY slot.ordinal DESC) AS nth, changes.missing
        FROM changes
        JOIN judgments_slot slot ON slot.pair_id = changes.id
        WHERE changes.missing < 0 AND slot.state = 'open' AND slot.lease_until < %(at)s
    ) surplus
    WHERE judgments_slot.id = surplus.id AND surplus.nth <= -surplus.missing
      AND judgments_slot.state = 'open' AND judgments_slot.lease_until < %(at)s
)
INSERT INTO judgments_slot (query_set_id, judgment_list_id, pair_id, query_position, ordinal, state, lease_until)
SELECT %(query_set)s, %(list)s, changes.id, changes.position, changes.last + nth, 'open', to_timestamp(0)
FROM changes CROSS JOIN LATERAL generate_series(1, changes.missing) nth
WHERE changes.missing > 0
"""

RECOUNT = """
UPDATE judgments_listquery list_query SET judgment_count = counted.judgments
FROM (
    SELECT pair.query_id, count(judgment.id) AS judgments
    FROM judgments_pair pair
    LEFT JOIN judgments_judgment judgment ON judgment.pair_id = pair.id
    WHERE pair.judgment_list_id = %(list)s AND (
        %(pairs)s::bigint[] IS NULL
        OR pair.query_id IN (SELECT query_id FROM judgments_pair WHERE id = ANY(%(pairs)s::bigint[]))
    )
    GROUP BY pair.query_id
) counted
WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id = counted.query_id
  AND list_query.judgment_count <> counted.judgments
"""


def bring_in(pairs: Iterable[tuple[int, int]]) -> None:
    """Streams (query, document) keys into a temporary table of this transaction."""
    with connection.cursor() as cursor:
        for statement in CREATE_INCOMING.split(";"):
            cursor.execute(statement)
        with cursor.copy(
            "COPY touchstone_incoming_pair (query_id, document_id) FROM STDIN (FORMAT binary)"
        ) as copy:
            copy.set_types(["int8", "int8"])
            for pair in pairs:
                copy.write_row(pair)
        cursor.execute("ANALYZE touchstone_incoming_pair")


def count_foreign(query_set_id: int) -> int:
    """How many of the pairs brought in have a query or a document of another query set, or none at all."""
    return _one(COUNT_FOREIGN, {"query_set": query_set_id})


def add_incoming(*, query_set_id: int, list_id: int, overlap: int) -> int:
    """Makes pairs, slots and rows of queries of what was brought in; the number of pairs that are new."""
    values = {"query_set": query_set_id, "list": list_id, "overlap": overlap}
    with connection.cursor() as cursor:
        cursor.execute(ADD_QUERIES, values)
    added = _one(ADD_PAIRS, values)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE touchstone_incoming_pair")
    return added


def settle_slots(
    *, query_set_id: int, list_id: int, overlap: int, at: datetime, pair_ids: Sequence[int] | None
) -> None:
    """Gives each pair max(0, overlap - judgments) open slots; a slot that a rater holds at `at` is never removed."""
    values: dict[str, Any] = {
        "query_set": query_set_id,
        "list": list_id,
        "overlap": overlap,
        "at": at,
        "pairs": _keys(pair_ids),
    }
    with connection.cursor() as cursor:
        cursor.execute(SETTLE, values)


def recount_judgments(*, list_id: int, pair_ids: Sequence[int] | None) -> None:
    """Counts the judgments of the queries of these pairs anew, where many came at once."""
    with connection.cursor() as cursor:
        cursor.execute(RECOUNT, {"list": list_id, "pairs": _keys(pair_ids)})


def _keys(pair_ids: Sequence[int] | None) -> list[int] | None:
    return None if pair_ids is None else list(pair_ids)


def _one(statement: str, values: dict[str, int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
    return int(row[0]) if row else 0
