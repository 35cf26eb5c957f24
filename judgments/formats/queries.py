"""Query files: `query_id, query[, information_need][, weight][, tags]` as CSV, TSV or JSON lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgments.formats import cells
from judgments.formats.checks import Checks
from judgments.formats.problems import Report
from judgments.formats.tables import Column, Parsed, Row, open_table
from judgments.formats.text import Text

COLUMNS = (
    Column("query_id", ("query_id", "qid", "id", "topic_id", "topic", "query_number"), required=True),
    Column("query", ("query", "query_text", "text", "title", "search_text", "keywords", "q"), required=True),
    Column("information_need", ("information_need", "need", "intent", "description", "narrative")),
    Column("weight", ("weight", "traffic", "frequency", "count")),
    Column("tags", ("tags", "tag", "labels"), lists=True),
)
LIMITS = {"query": cells.LONGEST_QUERY, "information_need": cells.LONGEST_NEED}


@dataclass(frozen=True, slots=True)
class QueryRecord:
    line: int
    query_id: str
    query: str
    information_need: str = ""
    weight: float = 1.0
    tags: tuple[str, ...] = ()


def read_queries(
    text: Text,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    headers: Sequence[str] | None = None,
) -> Parsed[QueryRecord]:
    """Raises FormatError where the file as a whole is not a table with the required columns.

    `headers` are those of a table whose first line is a row.
    """
    report = Report()
    table = open_table(text, COLUMNS, report, columns=columns, format=format, headers=headers)
    checks = Checks(report, table.used)
    records = [record for row in table.rows if (record := _record(row, checks))]
    return Parsed(records, report, table.format, table.headers, table.used)


def _record(row: Row, checks: Checks) -> QueryRecord | None:
    good = [
        checks.identifier(row, "query_id"),
        checks.once(row, "query_id"),
        checks.filled(row, "query"),
        checks.texts(row, "query", "information_need"),
        checks.texts(row, "tags"),
        checks.short(row, "query_id", LIMITS),
        checks.amount(row, "weight"),
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
    )
