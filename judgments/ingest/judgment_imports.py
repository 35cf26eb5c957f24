"""Judgments by the thousand: staged by COPY, compared with what is stored, merged set by set."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from judgments.ingest import copy


class StagedJudgment(NamedTuple):
    """One answer of a file, as far as it is known: `query_id` and `rater_id` are None for what is yet to be made.

    An empty comment is None and leaves an earlier comment as it is. A pair to be judged has neither value nor reason,
    and nobody as its rater.
    """

    line: int
    query_id: int | None
    query: str
    document: str
    rater_id: int | None
    rater: str
    value: float | None
    reason: str
    comment: str | None
    judged_at: datetime | None
    active_ms: int | None


COLUMNS = {
    "line": "integer",
    "query_id": "bigint",
    "query": 'text COLLATE "C"',
    "document": 'text COLLATE "C"',
    "rater_id": "bigint",
    "rater": "text",
    "value": "double precision",
    "reason": "text",
    "comment": "text",
    "judged_at": "timestamptz",
    "active_ms": "integer",
    "document_id": "bigint",
    "pair_id": "bigint",
}

FIND_DOCUMENTS = """
UPDATE staged_judgment s SET document_id = d.id
FROM judgments_document d WHERE d.query_set_id = %(query_set)s AND d.external_id = s.document AND s.document_id IS NULL
"""
FIND_QUERIES = """
UPDATE staged_judgment s SET query_id = q.id
FROM judgments_query q WHERE q.query_set_id = %(query_set)s AND q.external_id = s.query AND s.query_id IS NULL
"""
FIND_PAIRS = """
UPDATE staged_judgment s SET pair_id = p.id
FROM judgments_pair p
WHERE p.judgment_list_id = %(list)s AND p.query_id = s.query_id AND p.document_id = s.document_id
"""
UNKNOWN_DOCUMENTS = "SELECT DISTINCT document FROM staged_judgment WHERE document_id IS NULL"
DOUBLES = """
SELECT line FROM (
    SELECT line, row_number() OVER (
        PARTITION BY coalesce(query_id::text, 'new ' || query), document, rater ORDER BY line) AS nth
    FROM staged_judgment
) numbered WHERE nth > 1 ORDER BY line
"""
ANSWERED = "(s.value IS NOT NULL OR s.reason <> '')"
COUNT = f"""
SELECT count(*) FILTER (WHERE {ANSWERED} AND j.id IS NULL),
       count(*) FILTER (WHERE {ANSWERED} AND j.id IS NOT NULL AND (j.value, j.reason, j.comment)
                        IS DISTINCT FROM (s.value, s.reason, coalesce(s.comment, j.comment))),
       count(*) FILTER (WHERE {ANSWERED}),
       count(*) FILTER (WHERE NOT {ANSWERED} AND s.pair_id IS NULL),
       count(*) FILTER (WHERE NOT {ANSWERED})
FROM staged_judgment s LEFT JOIN judgments_judgment j ON j.pair_id = s.pair_id AND j.rater_id = s.rater_id
"""  # noqa: S608 -- nothing but the condition above
ADD_QUERIES = """
INSERT INTO judgments_query (query_set_id, external_id, text, information_need, weight, tags)
SELECT %(query_set)s, query, query, '', 1, '{}' FROM staged_judgment WHERE query_id IS NULL
GROUP BY query ORDER BY min(line)
"""
ADD_DOCUMENTS = """
INSERT INTO judgments_document (query_set_id, external_id, title, body, url, image, fields)
SELECT %(query_set)s, document, '', '', '', '', '{}' FROM staged_judgment WHERE document_id IS NULL
GROUP BY document ORDER BY min(line)
"""
# From here on statistics that are older than the import lead the planner astray: 45 s instead of half a second.
SOME_THOUSANDS = "SELECT FROM staged_judgment OFFSET 5000 LIMIT 1"
PAIRS = "SELECT query_id, document_id FROM staged_judgment WHERE pair_id IS NULL ORDER BY line"
DROP_UNANSWERED = f"DELETE FROM staged_judgment s WHERE NOT {ANSWERED}"  # noqa: S608
PAIR_IDS = "SELECT DISTINCT pair_id FROM staged_judgment"
KEEP_EARLIER = """
INSERT INTO judgments_judgmenthistory
    (query_set_id, pair_id, rater_id, action, answered_at, replaced_at, value, reason, comment)
SELECT j.query_set_id, j.pair_id, j.rater_id, 'changed', j.updated_at, %(at)s, j.value, j.reason, j.comment
FROM staged_judgment s JOIN judgments_judgment j ON j.pair_id = s.pair_id AND j.rater_id = s.rater_id
WHERE (j.value, j.reason, j.comment) IS DISTINCT FROM (s.value, s.reason, coalesce(s.comment, j.comment))
"""
CHANGE = """
UPDATE judgments_judgment j
SET value = s.value, reason = s.reason, comment = coalesce(s.comment, j.comment), method = 'import',
    updated_at = greatest(coalesce(s.judged_at, %(at)s), j.updated_at), active_ms = s.active_ms
FROM staged_judgment s
WHERE j.pair_id = s.pair_id AND j.rater_id = s.rater_id
  AND (j.value, j.reason, j.comment) IS DISTINCT FROM (s.value, s.reason, coalesce(s.comment, j.comment))
"""
# A judgment beyond the overlap is kept and marked, as on the rating screen.
ADD = """
INSERT INTO judgments_judgment (query_set_id, judgment_list_id, pair_id, rater_id, value, reason, comment, extra,
                                created_at, updated_at, active_ms, method, device, guidelines_version)
SELECT %(query_set)s, %(list)s, s.pair_id, s.rater_id, s.value, s.reason, coalesce(s.comment, ''),
       row_number() OVER (PARTITION BY s.pair_id ORDER BY s.line) + coalesce(stored.judgments, 0) > %(overlap)s,
       coalesce(s.judged_at, %(at)s), coalesce(s.judged_at, %(at)s), s.active_ms, 'import', '', %(guidelines)s
FROM staged_judgment s
LEFT JOIN (
    SELECT j.pair_id, count(*) AS judgments FROM judgments_judgment j
    WHERE j.pair_id IN (SELECT pair_id FROM staged_judgment) GROUP BY j.pair_id
) stored ON stored.pair_id = s.pair_id
WHERE NOT EXISTS (SELECT FROM judgments_judgment j WHERE j.pair_id = s.pair_id AND j.rater_id = s.rater_id)
ORDER BY s.line
"""
# A slot that the rater held for a pair that the file judges is used up.
USE_HELD_SLOTS = """
UPDATE judgments_slot slot SET state = 'done'
FROM staged_judgment s WHERE slot.pair_id = s.pair_id AND slot.rater_id = s.rater_id AND slot.state = 'open'
"""
COUNT_OWN = """
INSERT INTO judgments_raterqueue (judgment_list_id, rater_id, seed, query_position, judgment_count, guidelines_seen)
SELECT %(list)s, rater.id, hashtextextended('queue ' || %(list)s, rater.id), 0, count(*), 0
FROM judgments_rater rater
JOIN judgments_judgment j ON j.rater_id = rater.id AND j.judgment_list_id = %(list)s
WHERE rater.user_id IS NOT NULL AND rater.id IN (SELECT rater_id FROM staged_judgment)
GROUP BY rater.id
ON CONFLICT (judgment_list_id, rater_id) DO UPDATE SET judgment_count = excluded.judgment_count
"""


def stage(query_set_id: int, list_id: int, judgments: Iterable[StagedJudgment]) -> None:
    """Stages answers and finds their documents and pairs, as far as they exist."""
    copy.stage("staged_judgment", COLUMNS, ((*judgment, None, None) for judgment in judgments))
    copy.run(FIND_DOCUMENTS, query_set=query_set_id)
    copy.run(FIND_PAIRS, list=list_id)
    copy.run("ANALYZE staged_judgment")


def unknown_documents() -> set[str]:
    return {document for (document,) in copy.rows(UNKNOWN_DOCUMENTS)}


def doubles() -> list[int]:
    """Lines that judge the same pair by the same rater as an earlier line."""
    return [line for (line,) in copy.rows(DOUBLES)]


def count() -> tuple[int, int, int, int, int]:
    """New, changed and unchanged judgments among the staged ones; new and known pairs among those to be judged."""
    new, changed, judgments, new_pairs, pairs = copy.rows(COUNT)[0]
    return new, changed, judgments - new - changed, new_pairs, pairs - new_pairs


def add_missing(query_set_id: int) -> None:
    """Makes the queries and documents that the file names and the query set lacks."""
    copy.run(ADD_QUERIES, query_set=query_set_id)
    copy.run(ADD_DOCUMENTS, query_set=query_set_id)
    copy.run(FIND_QUERIES, query_set=query_set_id)
    copy.run(FIND_DOCUMENTS, query_set=query_set_id)


def new_pairs() -> list[tuple[int, int]]:
    """Query and document keys. A list: a lazy read would wait for ever inside the COPY that takes it."""
    return [(query, document) for query, document in copy.rows(PAIRS)]


def merge(*, query_set_id: int, list_id: int, overlap: int, guidelines: int, at: datetime) -> list[int]:
    """Writes the staged judgments, whose pairs exist by now; the keys of their pairs."""
    copy.run(DROP_UNANSWERED)
    many = len(copy.rows(SOME_THOUSANDS)) > 0
    if many:
        copy.run("ANALYZE judgments_pair, judgments_slot, judgments_listquery")
    copy.run(FIND_PAIRS, list=list_id)
    copy.run("ANALYZE staged_judgment")
    copy.run(KEEP_EARLIER, at=at)
    copy.run(CHANGE, at=at)
    copy.run(ADD, query_set=query_set_id, list=list_id, overlap=overlap, guidelines=guidelines, at=at)
    if many:
        copy.run("ANALYZE judgments_judgment")
    copy.run(USE_HELD_SLOTS)
    copy.run(COUNT_OWN, list=list_id)
    return [pair for (pair,) in copy.rows(PAIR_IDS)]
