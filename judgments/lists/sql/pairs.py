"""Adds pairs and sets their order. Cost grows with the affected pairs only."""

from collections.abc import Iterable, Sequence

from django.db import connection

from judgments.base.sql import copy

CREATE_INCOMING = """
DROP TABLE IF EXISTS touchstone_incoming_pair;
CREATE TEMPORARY TABLE touchstone_incoming_pair (
    ordinal bigint GENERATED ALWAYS AS IDENTITY, query_id bigint NOT NULL, document_id bigint NOT NULL,
    part smallint NOT NULL DEFAULT 0
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
                                 revision, pairs_revision, pair_count, graded_count, judgment_count, open_count,
                                 priority)
SELECT %(query_set)s, %(list)s, fresh.query_id,
       (SELECT coalesce(max(position), 0) FROM judgments_listquery WHERE judgment_list_id = %(list)s)
           + row_number() OVER (ORDER BY fresh.first),
       0, 0, 0, 0, 0, 0, 0
FROM (SELECT query_id, min(ordinal) AS first FROM touchstone_incoming_pair GROUP BY query_id) fresh
WHERE NOT EXISTS (
    SELECT FROM judgments_listquery known WHERE known.judgment_list_id = %(list)s AND known.query_id = fresh.query_id
)
"""

CREATE_ADDED = """
DROP TABLE IF EXISTS touchstone_added_pair;
CREATE TEMPORARY TABLE touchstone_added_pair (pair_id bigint NOT NULL, query_id bigint NOT NULL) ON COMMIT DROP
"""

# One statement, so that new pairs get exactly their slots. The keys of the pairs of a part have no others between them.
ADD_PAIRS = """
WITH added AS (
    INSERT INTO judgments_pair (query_set_id, judgment_list_id, query_id, document_id, priority)
    SELECT %(query_set)s, %(list)s, incoming.query_id, incoming.document_id, %(priority)s
    FROM touchstone_incoming_pair incoming
    JOIN judgments_listquery list_query
      ON list_query.judgment_list_id = %(list)s AND list_query.query_id = incoming.query_id
    ORDER BY incoming.part DESC, list_query.position, incoming.ordinal
    ON CONFLICT (judgment_list_id, query_id, document_id) DO NOTHING
    RETURNING id, query_id
), slots AS (
    INSERT INTO judgments_slot (query_set_id, judgment_list_id, pair_id, query_position, priority, ordinal, state,
                                lease_until)
    SELECT %(query_set)s, %(list)s, added.id, list_query.position - (list_query.priority::bigint << 32),
           %(priority)s, ordinal, 'open', to_timestamp(0)
    FROM added
    JOIN judgments_listquery list_query
      ON list_query.judgment_list_id = %(list)s AND list_query.query_id = added.query_id
    CROSS JOIN generate_series(1, %(overlap)s) ordinal
)
INSERT INTO touchstone_added_pair SELECT id, query_id FROM added
"""

COUNT_ADDED = """
UPDATE judgments_listquery list_query
SET pair_count = list_query.pair_count + fresh.pairs,
    open_count = list_query.open_count + fresh.pairs * %(overlap)s,
    revision = list_query.revision + 1,
    pairs_revision = list_query.pairs_revision + 1
FROM (SELECT query_id, count(*) AS pairs FROM touchstone_added_pair GROUP BY query_id) fresh
WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id = fresh.query_id
"""

QUERIES_INCOMING = "SELECT DISTINCT query_id FROM touchstone_incoming_pair"

# Queries are ordered by the highest priority of their pairs; open slots and draws follow their query.
ORDER_QUERIES = (
    """
UPDATE judgments_listquery list_query SET priority = highest.priority
FROM (
    SELECT query_id, max(priority) AS priority FROM judgments_pair
    WHERE judgment_list_id = %(list)s AND query_id = ANY(%(queries)s::bigint[])
    GROUP BY query_id
) highest
WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id = highest.query_id
  AND list_query.priority <> highest.priority
""",
    *(
        f"""
UPDATE {table} waiting SET query_position = list_query.position - (list_query.priority::bigint << 32)
FROM judgments_pair pair JOIN judgments_listquery list_query USING (judgment_list_id, query_id)
WHERE pair.judgment_list_id = %(list)s AND pair.query_id = ANY(%(queries)s::bigint[])
  AND waiting.pair_id = pair.id AND {waiting}
  AND waiting.query_position <> list_query.position - (list_query.priority::bigint << 32)
"""  # noqa: S608 -- nothing but the names below
        for table, waiting in (
            ("judgments_slot", "waiting.state = 'open'"),
            ("judgments_golddraw", "NOT waiting.answered"),
            ("judgments_repeatdraw", "NOT waiting.answered"),
        )
    ),
)


def bring_in(pairs: Iterable[tuple[int, int]]) -> None:
    """Streams (query, document) keys into a temporary table of this transaction."""
    with connection.cursor() as cursor:
        for statement in CREATE_INCOMING.split(";"):
            cursor.execute(statement)
        with cursor.copy(
            "COPY touchstone_incoming_pair (query_id, document_id) FROM STDIN (FORMAT binary)"
        ) as stream:
            stream.set_types(["int8", "int8"])
            for pair in pairs:
                stream.write_row(pair)
        cursor.execute("ANALYZE touchstone_incoming_pair")


def count_foreign(query_set_id: int) -> int:
    """How many incoming pairs have a query or document that isn't in the query set."""
    return int(copy.value(COUNT_FOREIGN, query_set=query_set_id))


def incoming_queries() -> list[int]:
    """The queries of the incoming pairs."""
    return [row[0] for row in copy.rows(QUERIES_INCOMING)]


def add_incoming(*, query_set_id: int, list_id: int, overlap: int, priority: int) -> int:
    """Creates pairs, slots and rows of queries from the incoming pairs; returns how many pairs are new.

    Call `count_added` last: it locks the rows of queries, which every rater needs.
    """
    values = {"query_set": query_set_id, "list": list_id, "overlap": overlap, "priority": priority}
    copy.run(ADD_QUERIES, **values)
    for statement in CREATE_ADDED.split(";"):
        copy.run(statement)
    count = copy.run(ADD_PAIRS, **values)
    copy.run("DROP TABLE touchstone_incoming_pair")
    return count


def keys_added() -> list[int]:
    """The keys of the first and the last pair of `add_incoming`; nothing if it added none."""
    first, last = copy.row("SELECT min(pair_id), max(pair_id) FROM touchstone_added_pair")
    return [] if first is None else [first, last]


def count_added(*, list_id: int, overlap: int) -> None:
    """Adds the pairs of `add_incoming` to their queries' counts."""
    copy.run(COUNT_ADDED, list=list_id, overlap=overlap)


def order_queries(*, list_id: int, query_ids: Sequence[int]) -> None:
    """Updates the positions of these queries in the order of judging."""
    for statement in ORDER_QUERIES:
        copy.run(statement, list=list_id, queries=list(query_ids))
