"""Queries and documents from records to rows: staged by COPY, compared and merged by external ID."""

import json
from collections.abc import Collection, Iterable

from judgments.base.sql import copy
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord

Counts = tuple[int, int, int]
"""New, changed, unchanged."""

QUERY_COLUMNS = {
    "ordinal": "integer",
    "external_id": 'text COLLATE "C"',
    "text": "text",
    "information_need": "text",
    "weight": "double precision",
    "tags": "varchar(60)[]",
    "by_text": "boolean",
}
DOCUMENT_COLUMNS = {
    "ordinal": "integer",
    "external_id": 'text COLLATE "C"',
    "title": "text",
    "body": "text",
    "url": "text",
    "image": "text",
    "fields": "jsonb",
    "kept": "jsonb",
}

OPTIONAL_OF_QUERIES = ("information_need", "weight", "tags")
OPTIONAL_OF_DOCUMENTS = ("title", "body", "url", "image", "fields")
"""Columns that a file may leave out: what is stored stays then. `fields` are all further ones."""

# A text that several queries share names none of them.
NAME_BY_TEXT = """
UPDATE staged_query s SET external_id = q.external_id
FROM (
    SELECT text, min(external_id) AS external_id FROM judgments_query
    WHERE query_set_id = %(query_set)s AND text IN (SELECT text FROM staged_query WHERE by_text)
    GROUP BY text HAVING count(*) = 1
) q
WHERE s.by_text AND s.text = q.text
  AND NOT EXISTS (SELECT FROM staged_query other WHERE other.external_id = q.external_id)
"""
KEEP_QUERIES = """
UPDATE staged_query s SET
    information_need = CASE WHEN %(information_need)s THEN s.information_need ELSE q.information_need END,
    weight = CASE WHEN %(weight)s THEN s.weight ELSE q.weight END,
    tags = CASE WHEN %(tags)s THEN s.tags ELSE q.tags END
FROM judgments_query q WHERE q.query_set_id = %(query_set)s AND q.external_id = s.external_id
"""
COUNT_QUERIES = """
SELECT count(*) FILTER (WHERE q.id IS NULL),
       count(*) FILTER (WHERE q.id IS NOT NULL AND (q.text, q.information_need, q.weight, q.tags)
                        IS DISTINCT FROM (s.text, s.information_need, s.weight, s.tags)),
       count(*)
FROM staged_query s
LEFT JOIN judgments_query q ON q.query_set_id = %(query_set)s AND q.external_id = s.external_id
"""
MERGE_QUERIES = """
INSERT INTO judgments_query AS q (query_set_id, external_id, text, information_need, weight, tags)
SELECT %(query_set)s, external_id, text, information_need, weight, tags FROM staged_query ORDER BY ordinal
ON CONFLICT (query_set_id, external_id) DO UPDATE
SET text = excluded.text, information_need = excluded.information_need, weight = excluded.weight, tags = excluded.tags
WHERE (q.text, q.information_need, q.weight, q.tags)
      IS DISTINCT FROM (excluded.text, excluded.information_need, excluded.weight, excluded.tags)
"""
KEEP_DOCUMENTS = """
UPDATE staged_document s SET
    title = CASE WHEN %(title)s THEN s.title ELSE d.title END,
    body = CASE WHEN %(body)s THEN s.body ELSE d.body END,
    url = CASE WHEN %(url)s THEN s.url ELSE d.url END,
    image = CASE WHEN %(image)s THEN s.image ELSE d.image END,
    fields = CASE WHEN %(fields)s THEN s.fields ELSE d.fields END
FROM judgments_document d WHERE d.query_set_id = %(query_set)s AND d.external_id = s.external_id
"""
COUNT_DOCUMENTS = """
SELECT count(*) FILTER (WHERE d.id IS NULL),
       count(*) FILTER (WHERE d.id IS NOT NULL AND (d.title, d.body, d.url, d.image, d.fields)
                        IS DISTINCT FROM (s.title, s.body, s.url, s.image, s.fields)),
       count(*)
FROM staged_document s
LEFT JOIN judgments_document d ON d.query_set_id = %(query_set)s AND d.external_id = s.external_id
"""
MERGE_DOCUMENTS = """
INSERT INTO judgments_document AS d (query_set_id, external_id, title, body, url, image, fields)
SELECT %(query_set)s, external_id, title, body, url, image, fields FROM staged_document ORDER BY ordinal
ON CONFLICT (query_set_id, external_id) DO UPDATE
SET title = excluded.title, body = excluded.body, url = excluded.url, image = excluded.image, fields = excluded.fields
WHERE (d.title, d.body, d.url, d.image, d.fields)
      IS DISTINCT FROM (excluded.title, excluded.body, excluded.url, excluded.image, excluded.fields)
"""


def stage_queries(records: Iterable[QueryRecord]) -> None:
    """Stages the records alone, before anything that is stored is looked at."""
    copy.stage(
        "staged_query",
        QUERY_COLUMNS,
        (
            (at, one.query_id, one.query, one.information_need, one.weight, list(one.tags), one.by_text)
            for at, one in enumerate(records)
        ),
    )


def compare_queries(query_set_id: int, columns: Collection[str]) -> Counts:
    """Completes the staged rows, and says what merging them would do. What is not in `columns` stays as stored.

    Queries `by_text` are the stored ones of the same text.
    """
    if "query_id" not in columns:
        copy.run(NAME_BY_TEXT, query_set=query_set_id)
    optional = {name: name in columns for name in OPTIONAL_OF_QUERIES}
    if not all(optional.values()):
        copy.run(KEEP_QUERIES, query_set=query_set_id, **optional)
    return _counts(COUNT_QUERIES, query_set_id)


def staged_query_ids(first: int) -> list[str]:
    """Those that the first of the compared queries will have, in the order of the records."""
    rows = copy.rows("SELECT external_id FROM staged_query ORDER BY ordinal LIMIT %(first)s", first=first)
    return [id for (id,) in rows]


def merge_queries(query_set_id: int) -> None:
    """Writes the queries that were staged in this transaction."""
    copy.run(MERGE_QUERIES, query_set=query_set_id)


def stage_documents(records: Iterable[DocumentRecord]) -> None:
    """As `stage_queries`."""
    copy.stage(
        "staged_document",
        DOCUMENT_COLUMNS,
        (
            (
                *(at, one.document_id, one.title, one.body, one.url, one.image),
                json.dumps(one.fields),
                json.dumps(one.layout) if one.layout else None,
            )
            for at, one in enumerate(records)
        ),
    )


def compare_documents(query_set_id: int, columns: Collection[str]) -> Counts:
    """As `compare_queries`; `fields` in `columns` stands for all further columns of the file."""
    optional = {name: name in columns for name in OPTIONAL_OF_DOCUMENTS}
    if not all(optional.values()):
        copy.run(KEEP_DOCUMENTS, query_set=query_set_id, **optional)
    return _counts(COUNT_DOCUMENTS, query_set_id)


def merge_documents(query_set_id: int) -> None:
    """Writes the documents that were staged in this transaction."""
    copy.run(MERGE_DOCUMENTS, query_set=query_set_id)


def _counts(statement: str, query_set_id: int) -> Counts:
    new, changes, total = copy.row(statement, query_set=query_set_id)
    return new, changes, total - new - changes
