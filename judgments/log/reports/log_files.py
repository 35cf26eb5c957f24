"""The log as a file: CSV for a spreadsheet, JSON lines for programs. Written line by line to save memory."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

from judgments.log.reports.log import Entry
from touchstone_core.formats.spreadsheet import Cell, csv_lines

FORMATS: Final = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
COLUMNS: Final = ("at", "who", "did", "subject", "list", "before", "after", "note")


def log_lines(entries: Iterable[Entry], format: str) -> Iterator[str]:
    """`before` and `after` are JSON in both formats: the differences by field."""
    if format == "csv":
        yield from csv_lines(chain([COLUMNS], map(_cells, entries)))
        return
    for entry in entries:
        yield json.dumps(_record(entry), ensure_ascii=False) + "\n"


def _record(entry: Entry) -> dict[str, Any]:
    return {
        "at": entry.at.isoformat(),
        "who": entry.who,
        "did": entry.verb,
        "subject": entry.subject,
        "list": entry.judgment_list.name if entry.judgment_list else None,
        "before": entry.before,
        "after": entry.after,
        "note": entry.note,
    }


def _cells(entry: Entry) -> list[Cell]:
    record = _record(entry)
    for name in ("before", "after"):
        record[name] = json.dumps(record[name], ensure_ascii=False) if record[name] else ""
    return [record[name] for name in COLUMNS]
