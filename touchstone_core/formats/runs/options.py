"""The choices that a run file leaves to the person who gives it, and what every reader hands on."""

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
    """A JSON document lacks what makes it one of its format, which the message names."""


@dataclass(frozen=True, slots=True)
class Options:
    """`format` is the name of one (see `runs`), or empty: the content tells.

    `several`: a TREC file with several tags is refused, or read as one run for each. `queries`: whether the file names
    queries by external id or by text; empty: as the format does. `columns` maps query, document, rank and score to
    headers of a table. `trailing`: words behind the tag of a TREC row are refused, or left out with a warning, as
    trec_eval does silently.
    """

    format: str = ""
    order: Order = "score"
    duplicates: Duplicates = "refuse"
    several: Several = "refuse"
    queries: Naming = ""
    columns: Mapping[str, str] | None = None
    trailing: Trailing = "refuse"


@dataclass(slots=True)
class RunRows:
    """What a reader found: rows by run and query. A run without a name of its own has the empty name.

    `format` is empty but for a table, where it says what cut the columns.
    """

    runs: dict[str, dict[str, Rows]]
    notes: str = ""
    by_text: bool = False
    format: str = ""


def refuse_query(line: int | None, value: str, report: Report, *, by_text: bool) -> bool:
    """Reports a query that is no id, or no text where texts name the queries. Says whether it did."""
    fault = (cells.text_fault(value) if value else "a text") if by_text else cells.id_fault(value)
    if fault:
        report.error(line, "query", value, fault, kind="not a text" if by_text else "not an id")
    return bool(fault)
