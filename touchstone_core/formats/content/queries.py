"""Query files: `[query_id, ]query[, information_need][, weight][, tags]` as CSV, TSV or JSON lines, or a query per line.

A query without an ID gets one made from its text. Equal texts get equal IDs."""

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from touchstone_core.formats import cells
from touchstone_core.formats.checks import Checks
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.tables import Column, RecordList, Row, open_table
from touchstone_core.formats.text import Text

COLUMNS = (
    Column("query_id", ("query_id", "qid", "id", "topic_id", "topic", "query_number")),
    Column("query", ("query", "query_text", "text", "title", "search_text", "keywords", "q"), required=True),
    Column("information_need", ("information_need", "need", "intent", "description", "narrative")),
    Column("weight", ("weight", "traffic", "frequency", "count"), number=True),
    Column("tags", ("tags", "tag", "labels"), lists=True),
)
LIMITS = {"query": cells.LONGEST_QUERY, "information_need": cells.LONGEST_NEED}
_LONGEST_SLUG: Final = 40


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """`by_text`: the file has no IDs. `query_id` is then `id_of_text`, in case no stored query has this text."""

    line: int
    query_id: str
    query: str
    information_need: str = ""
    weight: float = 1.0
    tags: tuple[str, ...] = ()
    by_text: bool = False


def id_of_text(text: str) -> str:
    """The first words and 8 digits that distinguish similar texts. Every format allows letters, digits and hyphens.

    `Red shoes, size 9` becomes `red-shoes-size-9-` and the first 8 hexadecimal digits of the SHA-256 of its UTF-8.
    """
    letters = (sign if unicodedata.category(sign)[0] in "LMN" else " " for sign in text.casefold())
    words = "-".join("".join(letters).split())[:_LONGEST_SLUG].strip("-")
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]
    return f"{words}-{digest}" if words else digest


def read_queries(
    text: Text,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    headers: Sequence[str] | None = None,
) -> RecordList[QueryRecord]:
    """Raises FormatError if the file isn't a table with the required columns.

    `headers` are for a table without a header line.
    """
    report = Report()
    table = open_table(text, COLUMNS, report, columns=columns, format=format, headers=headers)
    return RecordList(_records(table.rows, report), report, table.format, table.headers, table.columns)


def read_lines(text: Text) -> RecordList[QueryRecord]:
    """One query per line, except empty lines and comments (`# `). Raises FormatError if there are none."""
    report = Report(headers={"query": "query"})
    lines = ((line, content.strip()) for line, content in enumerate(text.lines(), start=1))
    rows = (Row(line, {"query": query}, {}) for line, query in lines if query and not query.startswith("# "))
    records = _records(rows, report)
    if not records and report.ok:
        raise FormatError(f"{text.name} holds no queries.")
    return RecordList(records, report, "", [], dict(report.headers))


def _records(rows: Iterable[Row], report: Report) -> list[QueryRecord]:
    checks = Checks(report)
    return [record for row in rows if (record := _record(row, checks))]


def _record(row: Row, checks: Checks) -> QueryRecord | None:
    by_text = "query_id" not in checks.report.headers
    if by_text:
        row.cells["query_id"] = id_of_text(row.cells["query"])
    good = [
        checks.identifier(row, "query_id"),
        checks.not_empty(row, "query"),
        checks.once(row, "query" if by_text else "query_id"),
        checks.texts(row, "query", "information_need"),
        checks.texts(row, "tags"),
        checks.short(row, "query_id", LIMITS),
        checks.amount(row, "weight", moderate=True),
    ]
    tags = cells.tags(row.cells.get("tags", ""))
    if tags is None:
        checks.refuse(row, "tags", "tags separated by ; or , or a JSON list of strings", kind="not tags")
    if tags is None or not all(good):
        return None
    return QueryRecord(
        row.line,
        row.cells["query_id"],
        row.cells["query"],
        row.cells.get("information_need", ""),
        checks.value(row, "weight", 1.0),
        tags,
        by_text,
    )
