"""Judgments by the thousand, with fields of other tools: staged by COPY, and compared with what is stored. `judgment_merges` writes them."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from judgments.base.sql import copy

_KEEP: Final = """
INSERT INTO judgments_keptfields (query_set_id, judgment_list_id, format, query_id, document_id, fields)
{found}
ON CONFLICT (judgment_list_id, format, query_id, document_id) DO UPDATE SET fields = excluded.fields
WHERE judgments_keptfields.fields IS DISTINCT FROM excluded.fields
"""
KEEP_HEAD: Final = _KEEP.format(
    found="SELECT %(query_set)s, %(list)s, %(format)s, NULL::bigint, NULL::bigint, %(head)s::jsonb"
)
KEEP_QUERIES: Final = _KEEP.format(
    found="""
SELECT DISTINCT ON (query_id) %(query_set)s, %(list)s, %(format)s, query_id, NULL::bigint, query_fields
FROM staged_judgment WHERE query_fields IS NOT NULL ORDER BY query_id, ordinal
"""
)
KEEP_LONELY: Final = _KEEP.format(
    found="""
SELECT %(query_set)s, %(list)s, %(format)s, query.id, NULL::bigint, lonely.fields::jsonb
FROM unnest(%(names)s::text[], %(fields)s::text[]) AS lonely (name, fields)
JOIN judgments_query query ON query.query_set_id = %(query_set)s AND query.external_id = lonely.name
"""
)
KEEP_DOCUMENTS: Final = _KEEP.format(
    found="""
SELECT %(query_set)s, %(list)s, %(format)s, NULL::bigint, document.id, staged.kept
FROM staged_document staged
JOIN judgments_document document
  ON document.query_set_id = %(query_set)s AND document.external_id = staged.external_id
WHERE staged.kept IS NOT NULL
"""
)
# What the last file says of a pair is all that is kept of it.
FORGET_PAIRS: Final = """
DELETE FROM judgments_keptfields kept USING staged_judgment staged
WHERE kept.judgment_list_id = %(list)s AND kept.format = %(format)s
  AND kept.query_id = staged.query_id AND kept.document_id = staged.document_id AND staged.pair_fields IS NULL
"""
KEEP_PAIRS: Final = _KEEP.format(
    found="""
SELECT DISTINCT ON (query_id, document_id) %(query_set)s, %(list)s, %(format)s, query_id, document_id, pair_fields
FROM staged_judgment WHERE pair_fields IS NOT NULL ORDER BY query_id, document_id, ordinal
"""
)

# Of the queries and pairs that there are already: what is new comes with judgments, which are counted themselves.
_OTHERWISE: Final = """
WHERE NOT EXISTS (
    SELECT FROM judgments_keptfields kept
    WHERE kept.judgment_list_id = %(list)s AND kept.format = %(format)s AND {same} AND kept.fields = found.fields
)
"""
CHANGED_HEAD: Final = f"""
SELECT count(*) FROM (
    SELECT %(head)s::jsonb AS fields WHERE EXISTS (SELECT FROM staged_judgment WHERE pair_id IS NOT NULL)
) found
{_OTHERWISE.format(same="kept.query_id IS NULL AND kept.document_id IS NULL")}
"""  # noqa: S608 -- nothing but the condition above
CHANGED_QUERIES: Final = f"""
SELECT count(*) FROM (
    SELECT DISTINCT ON (query_id) query_id, query_fields AS fields
    FROM staged_judgment WHERE query_fields IS NOT NULL AND query_id IS NOT NULL ORDER BY query_id, ordinal
) found {_OTHERWISE.format(same="kept.query_id = found.query_id AND kept.document_id IS NULL")}
"""  # noqa: S608
CHANGED_LONELY: Final = f"""
SELECT count(*) FROM (
    SELECT query.id AS query_id, lonely.fields::jsonb AS fields
    FROM unnest(%(names)s::text[], %(fields)s::text[]) AS lonely (name, fields)
    JOIN judgments_query query ON query.query_set_id = %(query_set)s AND query.external_id = lonely.name
) found {_OTHERWISE.format(same="kept.query_id = found.query_id AND kept.document_id IS NULL")}
"""  # noqa: S608
CHANGED_DOCUMENTS: Final = f"""
SELECT count(*) FROM (
    SELECT document.id AS document_id, staged.kept AS fields
    FROM staged_document staged
    JOIN judgments_document document
      ON document.query_set_id = %(query_set)s AND document.external_id = staged.external_id
    WHERE staged.kept IS NOT NULL AND document.id <= coalesce(%(last)s, document.id)
) found {_OTHERWISE.format(same="kept.query_id IS NULL AND kept.document_id = found.document_id")}
"""  # noqa: S608
CHANGED_PAIRS: Final = f"""
SELECT count(*) FROM (
    SELECT DISTINCT ON (query_id, document_id) query_id, document_id, pair_fields AS fields
    FROM staged_judgment WHERE pair_fields IS NOT NULL AND pair_id IS NOT NULL
    ORDER BY query_id, document_id, ordinal
) found {_OTHERWISE.format(same="kept.query_id = found.query_id AND kept.document_id = found.document_id")}
"""  # noqa: S608
FORGOTTEN_PAIRS: Final = """
SELECT count(*) FROM judgments_keptfields kept JOIN (
    SELECT query_id, document_id FROM staged_judgment WHERE pair_id IS NOT NULL
    GROUP BY query_id, document_id HAVING bool_and(pair_fields IS NULL)
) staged USING (query_id, document_id)
WHERE kept.judgment_list_id = %(list)s AND kept.format = %(format)s
"""


def count_changes(
    query_set_id: int,
    list_id: int,
    format: str,
    *,
    head: Mapping[str, Any],
    lonely: Mapping[str, str],
    documents: bool,
    last_document: int | None = None,
) -> int:
    """How many rows `keep` would change of queries, documents and pairs that there are already.

    Documents behind the `last_document` are new, too, once they are imported.
    """
    target: dict[str, Any] = {"query_set": query_set_id, "list": list_id, "format": format}
    names = {"names": list(lonely), "fields": list(lonely.values())}
    statements: list[tuple[str, dict[str, Any]]] = [
        (CHANGED_QUERIES, {}),
        (CHANGED_PAIRS, {}),
        (FORGOTTEN_PAIRS, {}),
    ]
    statements += [(CHANGED_HEAD, {"head": json.dumps(head)})] if head else []
    statements += [(CHANGED_LONELY, names)] if lonely else []
    statements += [(CHANGED_DOCUMENTS, {"last": last_document})] if documents else []
    return sum(copy.rows(statement, **target, **more)[0][0] for statement, more in statements)


def keep(
    query_set_id: int,
    list_id: int,
    format: str,
    *,
    head: Mapping[str, Any],
    lonely: Mapping[str, str],
    documents: bool,
) -> None:
    """Keeps what was staged in this transaction, once all queries and documents of the file have a row.

    `lonely` are fields of queries without a document, as JSON, by the IDs of the queries. With `documents` those that
    were staged last are of the same file.
    """
    target: dict[str, Any] = {"query_set": query_set_id, "list": list_id, "format": format}
    if head:
        copy.run(KEEP_HEAD, **target, head=json.dumps(head))
    copy.run(KEEP_QUERIES, **target)
    if lonely:
        copy.run(KEEP_LONELY, **target, names=list(lonely), fields=list(lonely.values()))
    if documents:
        copy.run(KEEP_DOCUMENTS, **target)
    copy.run(FORGET_PAIRS, **target)
    copy.run(KEEP_PAIRS, **target)


class StagedJudgment(NamedTuple):
    """One answer of a file, as far as it is known: `query_id` is None for a query that is yet to be made.

    `query` is what the file calls it, `external_id` the ID that it has or will have.

    An empty comment is None and leaves an earlier comment as it is. A pair to be judged has neither value nor reason,
    and nobody as its rater. The fields at the end are JSON as text.
    """

    line: int | None
    query_id: int | None
    query: str
    external_id: str
    query_text: str
    document: str
    rater: str
    value: float | None
    reason: str
    comment: str | None
    judged_at: datetime | None
    active_ms: int | None
    information_need: str | None = None
    query_fields: str | None = None
    pair_fields: str | None = None


COLUMNS = {
    "ordinal": "integer",
    "line": "integer",
    "query_id": "bigint",
    "query": 'text COLLATE "C"',
    "external_id": 'text COLLATE "C"',
    "query_text": "text",
    "document": 'text COLLATE "C"',
    "rater": 'text COLLATE "C"',
    "value": "double precision",
    "reason": "text",
    "comment": "text",
    "judged_at": "timestamptz",
    "active_ms": "integer",
    "information_need": "text",
    "query_fields": "jsonb",
    "pair_fields": "jsonb",
}
EMPTY_COLUMNS = {"fault": "text", "first_line": "integer"}
REPEATED, CONTRADICTED, UNKNOWN_DOCUMENT = "repeated", "contradicted", "unknown document"

# One pass that writes each row once: an update of a million rows writes them all again, and leaves the old ones behind.
RESOLVE = f"""
CREATE TEMP TABLE staged_judgment ON COMMIT DROP AS
SELECT s.*, d.id AS document_id, p.id AS pair_id, {", ".join(f"NULL::{kind} AS {name}" for name, kind in EMPTY_COLUMNS.items())}
FROM staged_line s
LEFT JOIN judgments_document d ON d.query_set_id = %(query_set)s AND d.external_id = s.document
LEFT JOIN judgments_pair p ON p.judgment_list_id = %(list)s AND p.query_id = s.query_id AND p.document_id = d.id
"""  # noqa: S608 -- nothing but the columns above
FIND_DOCUMENTS = """
UPDATE staged_judgment s SET document_id = d.id
FROM judgments_document d WHERE d.query_set_id = %(query_set)s AND d.external_id = s.document AND s.document_id IS NULL
"""
MARK_DOUBLES = f"""
UPDATE staged_judgment s
SET first_line = again.first_line, fault = CASE WHEN again.same THEN '{REPEATED}' ELSE '{CONTRADICTED}' END
FROM (
    SELECT ordinal, row_number() OVER twins AS nth, first_value(line) OVER twins AS first_line,
           (value, reason) IS NOT DISTINCT FROM (first_value(value) OVER twins, first_value(reason) OVER twins) AS same
    FROM staged_judgment
    WINDOW twins AS (PARTITION BY external_id, document, rater ORDER BY ordinal)
) again
WHERE again.nth > 1 AND s.ordinal = again.ordinal
"""  # noqa: S608 -- nothing but the names above
MARK_UNKNOWN = f"""
UPDATE staged_judgment SET fault = '{UNKNOWN_DOCUMENT}' WHERE document_id IS NULL AND fault IS NULL
"""  # noqa: S608
# For sorts and hashes of a million lines; until the end of the transaction.
MORE_MEMORY = "SET LOCAL work_mem = '64MB'"
COUNT_FAULTS = "SELECT fault, count(*) FROM staged_judgment WHERE fault IS NOT NULL GROUP BY fault"
FIRST_FAULTS = """
SELECT line, query, document, rater, fault, first_line FROM (
    SELECT *, row_number() OVER (PARTITION BY fault ORDER BY ordinal) AS nth
    FROM staged_judgment WHERE fault IS NOT NULL
) numbered WHERE nth <= %(most)s ORDER BY ordinal
"""
DROP_FAULTS = "DELETE FROM staged_judgment WHERE fault IS NOT NULL"
RATERS = "SELECT DISTINCT rater FROM staged_judgment WHERE rater <> ''"
# The keys of raters stand beside the judgments: giving each its own would write a million rows anew.
STAGE_RATERS = """
CREATE TEMP TABLE staged_rater ON COMMIT DROP AS
SELECT name COLLATE "C" AS name, id FROM unnest(%(names)s::text[], %(ids)s::bigint[]) AS known(name, id)
"""
FIRST = "SELECT query, document, value, reason, rater, comment FROM staged_judgment ORDER BY ordinal LIMIT %(most)s"
HAS_ANSWER = "(s.value IS NOT NULL OR s.reason <> '')"
# An answer given in practice stays, as on the rating screen.
DIFFERS = """
(j.gold <> 'practice'
 AND (j.value, j.reason, j.comment) IS DISTINCT FROM (s.value, s.reason, coalesce(s.comment, j.comment)))
"""
COUNT = f"""
SELECT count(*) FILTER (WHERE {HAS_ANSWER} AND j.id IS NULL),
       count(*) FILTER (WHERE {HAS_ANSWER} AND j.id IS NOT NULL AND {DIFFERS}),
       count(*) FILTER (WHERE {HAS_ANSWER}),
       count(*) FILTER (WHERE NOT {HAS_ANSWER} AND s.pair_id IS NULL),
       count(*) FILTER (WHERE NOT {HAS_ANSWER})
FROM staged_judgment s LEFT JOIN staged_rater rater ON rater.name = s.rater
LEFT JOIN judgments_judgment j ON j.pair_id = s.pair_id AND j.rater_id = rater.id
"""  # noqa: S608 -- nothing but the conditions above


class Fault(NamedTuple):
    """A staged line that must not be merged; `first_line` is where a repeated one stands first."""

    line: int | None
    query: str
    document: str
    rater: str
    kind: str
    first_line: int | None


def stage(query_set_id: int, list_id: int, judgments: Iterable[StagedJudgment]) -> None:
    """Streams answers into the staging table and finds their documents and pairs, as far as they exist."""
    copy.run(MORE_MEMORY)
    rows = ((ordinal, *judgment) for ordinal, judgment in enumerate(judgments))
    copy.stage("staged_line", COLUMNS, rows)
    copy.drop("staged_judgment")
    copy.run(RESOLVE, query_set=query_set_id, list=list_id)
    copy.drop("staged_line")
    copy.run("ANALYZE staged_judgment")


def take_out_faults(*, unknown_documents: bool, most: int) -> tuple[dict[str, int], list[Fault]]:
    """Takes lines that judge a pair again by the same rater out of the stage, and those of unknown documents.

    How many there were of each kind, and the first `most` of each.
    """
    copy.run(MARK_DOUBLES)
    if unknown_documents:
        copy.run(MARK_UNKNOWN)
    counts = {str(kind): int(count) for kind, count in copy.rows(COUNT_FAULTS)}
    if not counts:
        return {}, []
    first = [Fault(*row) for row in copy.rows(FIRST_FAULTS, most=most)]
    copy.run(DROP_FAULTS)
    return counts, first


def rater_keys() -> set[str]:
    """Who gave the staged judgments."""
    return {key for (key,) in copy.rows(RATERS)}


def find_raters(raters: Mapping[str, int]) -> None:
    """Says who the raters of the staged judgments are, as far as they are known; before `count`."""
    copy.drop("staged_rater")
    copy.run(STAGE_RATERS, names=list(raters), ids=list(raters.values()))
    copy.run("ANALYZE staged_rater")


def first(most: int) -> list[tuple[str, str, float | None, str, str, str | None]]:
    """Query, document, value, reason, rater and comment of the first staged lines."""
    return [(*row,) for row in copy.rows(FIRST, most=most)]


def count() -> tuple[int, int, int, int, int]:
    """New, changed and unchanged judgments among the staged ones; new and known pairs among those to be judged."""
    new, changes, judgments, new_pairs, pairs = copy.rows(COUNT)[0]
    return new, changes, judgments - new - changes, new_pairs, pairs - new_pairs
