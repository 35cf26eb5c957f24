"""Judgments by the thousand: staged by COPY, and compared with what is stored. `judgment_merges` writes them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from judgments.base.sql import copy


class StagedJudgment(NamedTuple):
    """One answer of a file, as far as it is known: `query_id` is None for a query that is yet to be made.

    `query` is what the file calls it, `external_id` the ID that it has or will have.

    An empty comment is None and leaves an earlier comment as it is. A pair to be judged has neither value nor reason,
    and nobody as its rater. The fields are JSON as text. `selection` says how the pair was selected to decide between two runs.
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
    selection: str = ""


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
    "selection": 'text COLLATE "C"',
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
# Of twins the one counts that says how its pair was selected: “for what they decide” sorts behind “at random”, and that behind "".
MARK_DOUBLES = f"""
UPDATE staged_judgment s
SET first_line = again.first_line, fault = CASE WHEN again.same THEN '{REPEATED}' ELSE '{CONTRADICTED}' END
FROM (
    SELECT ordinal, row_number() OVER twins AS nth, first_value(line) OVER twins AS first_line,
           (value, reason) IS NOT DISTINCT FROM (first_value(value) OVER twins, first_value(reason) OVER twins) AS same
    FROM staged_judgment
    WINDOW twins AS (PARTITION BY external_id, document, rater ORDER BY selection DESC, ordinal)
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

RATER_WORK = f"""
SELECT count(*), coalesce(sum(greatest(0, %(overlap)s - answers)), 0) FROM (
    SELECT count(*) FILTER (WHERE s.rater <> ALL(%(uncounted)s::text[])) AS answers FROM staged_judgment s
    WHERE s.pair_id IS NULL AND {HAS_ANSWER} GROUP BY s.external_id, s.document
) fresh
"""  # noqa: S608


class RaterWork(NamedTuple):
    """The pairs of a file's judgments that the list lacks, and how many judgments of them it still asks for after an import."""

    pairs: int = 0
    judgments: int = 0


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
    new, changes, judgments, new_pairs, pairs = copy.row(COUNT)
    return new, changes, judgments - new - changes, new_pairs, pairs - new_pairs


def rater_work(*, overlap: int, uncounted: Sequence[str]) -> RaterWork:
    """Of the staged judgments. Those of the `uncounted` raters don't count."""
    return RaterWork(*map(int, copy.row(RATER_WORK, overlap=overlap, uncounted=list(uncounted))))
