"""What people can choose for a run file, and what every reader returns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from touchstone_core.formats import cells
from touchstone_core.formats.problems import Report
from touchstone_core.formats.runs.rankings import Duplicates, Order, Rows

Trailing = Literal["refuse", "skip"]
Several = Literal["refuse", "split"]
Naming = Literal["", "id", "text"]

MOST_RUNS = 100


class OtherShapeError(Exception):
    """A JSON document lacks a key part of its format. The message names the part."""


@dataclass(frozen=True, slots=True)
class Options:
    """`format` is a format's name, or empty if the content tells.

    `several`: refuse a TREC file with several tags, or read one run per tag. `queries`: whether the file names queries by
    external ID or by text. Empty: as the format does. `columns` maps query, document, rank and score to headers of a table.
    `header_line` is the line that names the columns of a table; 0: find it.
    `trailing`: refuse words after the tag of a TREC row, or leave them out with a warning (trec_eval does so silently).
    """

    format: str = ""
    order: Order = "score"
    duplicates: Duplicates = "refuse"
    several: Several = "refuse"
    queries: Naming = ""
    columns: Mapping[str, str] | None = None
    trailing: Trailing = "refuse"
    header_line: int = 0


@dataclass(slots=True)
class RunRows:
    """Rows by run and query. A run without a name has the empty name.

    `format` is only set for tables, where it depends on the delimiter.
    """

    runs: dict[str, dict[str, Rows]]
    notes: str = ""
    by_text: bool = False
    format: str = ""


def refuse_query(line: int | None, value: str, report: Report, *, by_text: bool) -> bool:
    """Reports a query that isn't an ID, or isn't a text if texts name the queries. Returns whether it did."""
    fault = cells.query_fault(value) if by_text else cells.id_fault(value)
    if fault:
        report.error(line, "query", value, fault, kind="not a text" if by_text else "not an ID")
    return bool(fault)
