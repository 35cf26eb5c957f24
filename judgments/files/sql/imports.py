"""Queries and documents from records to rows: staged by COPY, compared and merged by external ID."""

import json
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final, NamedTuple

from judgments.base.sql import copy
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord

Counts = tuple[int, int, int]
"""New, changed, unchanged."""


class Kind(NamedTuple):
    """What a file is of: rows of the table judgments_`name`.

    They are staged with the columns and types of `staged`, `required` and `optional` ones are compared and merged. A file may
    lack the optional ones: what is stored stays then. `row` makes a staged row of a place and a record.
    """

    name: str
    plural: str
    staged: dict[str, str]
    row: Callable[[int, Any], tuple[Any, ...]]
    required: tuple[str, ...]
    optional: tuple[str, ...]

    def statement(self, template: str) -> str:
        """The statement for these rows."""
        merged = (*self.required, *self.optional)
        return template.format(
            kind=self.name,
            merged=", ".join(merged),
            stored=", ".join(f"stored.{name}" for name in merged),
            file=", ".join(f"file.{name}" for name in merged),
            excluded=", ".join(f"excluded.{name}" for name in merged),
            kept=", ".join(
                f"{name} = CASE WHEN %({name})s THEN file.{name} ELSE stored.{name} END"
                for name in self.optional
            ),
        )


def _query_row(place: int, one: QueryRecord) -> tuple[Any, ...]:
    return place, one.query_id, one.query, one.information_need, one.weight, list(one.tags), one.by_text


def _document_row(place: int, one: DocumentRecord) -> tuple[Any, ...]:
    layout = json.dumps(one.layout) if one.layout else None
    texts = one.title, one.body, one.url, one.image
    return place, one.document_id, *texts, json.dumps(one.fields), layout


QUERIES: Final = Kind(
    "query",
    "queries",
    staged={
        "ordinal": "integer",
        "external_id": 'text COLLATE "C"',
        "text": "text",
        "information_need": "text",
        "weight": "double precision",
        "tags": "varchar(60)[]",
        "by_text": "boolean",
    },
    row=_query_row,
    required=("text",),
    optional=("information_need", "weight", "tags"),
)
DOCUMENTS: Final = Kind(
    "document",
    "documents",
    staged={
        "ordinal": "integer",
        "external_id": 'text COLLATE "C"',
        "title": "text",
        "body": "text",
        "url": "text",
        "image": "text",
        "fields": "jsonb",
        "kept": "jsonb",
    },
    row=_document_row,
    required=(),
    optional=("title", "body", "url", "image", "fields"),  # `fields`: all further columns of a file
)

# A text that several queries share names none of them.
NAME_BY_TEXT: Final = """
UPDATE staged_query s SET external_id = q.external_id
FROM (
    SELECT text, min(external_id) AS external_id FROM judgments_query
    WHERE query_set_id = %(query_set)s AND text IN (SELECT text FROM staged_query WHERE by_text)
    GROUP BY text HAVING count(*) = 1
) q
WHERE s.by_text AND s.text = q.text
  AND NOT EXISTS (SELECT FROM staged_query other WHERE other.external_id = q.external_id)
"""
_KEEP: Final = """
UPDATE staged_{kind} file SET {kept}
FROM judgments_{kind} stored WHERE stored.query_set_id = %(query_set)s AND stored.external_id = file.external_id
"""
_COUNT: Final = """
SELECT count(*) FILTER (WHERE stored.id IS NULL),
       count(*) FILTER (WHERE stored.id IS NOT NULL AND ({stored}) IS DISTINCT FROM ({file})),
       count(*)
FROM staged_{kind} file
LEFT JOIN judgments_{kind} stored ON stored.query_set_id = %(query_set)s AND stored.external_id = file.external_id
"""
_MERGE: Final = """
INSERT INTO judgments_{kind} AS stored (query_set_id, external_id, {merged})
SELECT %(query_set)s, external_id, {merged} FROM staged_{kind} ORDER BY ordinal
ON CONFLICT (query_set_id, external_id) DO UPDATE SET ({merged}) = ROW ({excluded})
WHERE ({stored}) IS DISTINCT FROM ({excluded})
"""


def stage(kind: Kind, records: Iterable[Any]) -> None:
    """Stages the records alone, before anything that is stored is looked at."""
    rows = (kind.row(place, one) for place, one in enumerate(records))
    copy.stage(f"staged_{kind.name}", kind.staged, rows)


def compare(kind: Kind, query_set_id: int, columns: Collection[str]) -> Counts:
    """Completes the staged rows, and says what merging them would do. What is not in `columns` stays as stored.

    Queries `by_text` are the stored ones of the same text.
    """
    if kind is QUERIES and "query_id" not in columns:
        copy.run(NAME_BY_TEXT, query_set=query_set_id)
    optional = {name: name in columns for name in kind.optional}
    if not all(optional.values()):
        copy.run(kind.statement(_KEEP), query_set=query_set_id, **optional)
    new, changes, total = copy.row(kind.statement(_COUNT), query_set=query_set_id)
    return new, changes, total - new - changes


def staged_query_ids(first: int) -> list[str]:
    """Those that the first of the compared queries will have, in the order of the records."""
    rows = copy.rows("SELECT external_id FROM staged_query ORDER BY ordinal LIMIT %(first)s", first=first)
    return [id for (id,) in rows]


def merge(kind: Kind, query_set_id: int) -> None:
    """Writes the rows that were staged in this transaction."""
    copy.run(kind.statement(_MERGE), query_set=query_set_id)
