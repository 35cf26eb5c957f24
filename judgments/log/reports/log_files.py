"""The log as a file: CSV for a spreadsheet, JSON lines for programs. Written line by line to save memory."""

import json
from collections.abc import Generator, Iterable
from typing import Final

from judgments.log.reports.log import Entry, Scope
from touchstone_core.formats.columns import Column, csv_rows, json_records
from touchstone_core.formats.spreadsheet import csv_lines

FORMATS: Final = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
COLUMNS: Final[tuple[Column[Entry], ...]] = (
    Column("at", "", lambda entry: entry.at.isoformat()),
    Column("who", "", "who"),
    Column("token", "", "token"),
    Column("did", "", "verb"),
    Column("subject", "", "subject"),
    Column("list", "", lambda entry: entry.judgment_list.name if entry.judgment_list else None),
    Column("before", "", "before"),
    Column("after", "", "after"),
    Column("note", "", "note"),
)
QUERY_SET: Final[Column[Entry]] = Column(
    "query_set", "", lambda entry: entry.query_set.name if entry.query_set else None
)
"""Of the site's log, whose entries are of many query sets. One that was deleted has no name here."""


def columns_of(scope: Scope) -> tuple[Column[Entry], ...]:
    return COLUMNS if scope.query_set else (*COLUMNS, QUERY_SET)


def log_lines(scope: Scope, entries: Iterable[Entry], format: str) -> Generator[str, None, None]:
    """`before` and `after` are JSON in both formats: the differences by field."""
    columns = columns_of(scope)
    if format == "csv":
        yield from csv_lines(csv_rows(columns, entries))
        return
    for record in json_records(columns, entries):
        yield json.dumps(record, ensure_ascii=False) + "\n"
