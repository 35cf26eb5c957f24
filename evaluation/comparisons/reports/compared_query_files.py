"""The queries of a comparison as CSV and as JSON: every query that is listed, every digit, and what was computed against."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.comparisons.reports.compared_query_rows import QueryRow
from evaluation.comparisons.reports.intents import Named
from evaluation.models import Run
from evaluation.scores.reports.state import State
from touchstone_core.formats.columns import Column, csv_rows, json_records
from touchstone_core.formats.spreadsheet import Cell


@dataclass(frozen=True, slots=True)
class ListedQueries:
    """Some of the `compared` queries, in their order; `formula` and `measure` are canonical texts."""

    rows: Sequence[QueryRow]
    columns: Sequence[Column[QueryRow]]
    compared: int
    baseline: Run
    candidate: Run
    formula: str
    measure: str
    named: Named | None = None


def compared_queries_csv(listed: ListedQueries, state: State) -> Iterator[list[Cell]]:
    """A row for each query; the run is compared with the baseline."""
    before: dict[str, Cell] = {
        "list": state.list_name,
        "formula": listed.formula,
        "measure": listed.measure,
        "run": listed.candidate.name,
        "baseline": listed.baseline.name,
    }
    after = {"intent": listed.named.intent.name if listed.named else None} | state.cells
    return csv_rows(listed.columns, listed.rows, before=before, after=after)


def compared_queries_json(listed: ListedQueries, state: State, *, held_out: bool) -> dict[str, Any]:
    """The same with null for what is undefined; `queries` are those that are listed, of `compared` ones."""
    return {
        "list": state.as_json,
        "formula": listed.formula,
        "measure": listed.measure,
        "baseline": {"id": listed.baseline.pk, "name": listed.baseline.name},
        "run": {"id": listed.candidate.pk, "name": listed.candidate.name},
        "intent": listed.named.intent.name if listed.named else None,
        "on_held_out_queries": held_out,
        "compared": listed.compared,
        "queries": list(json_records(listed.columns, listed.rows)),
    }
