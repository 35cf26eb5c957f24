"""The queries of a comparison as CSV and as JSON: every query that is listed, every digit, and what was computed against."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.comparisons.reports.intents import IntentQueries
from evaluation.comparisons.reports.query_rows import QueryRow
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
    intent_queries: IntentQueries | None = None


def compared_queries_csv(queries: ListedQueries, state: State) -> Iterator[list[Cell]]:
    """A row for each query; the run is compared with the baseline."""
    before: dict[str, Cell] = {
        "list": state.list_name,
        "formula": queries.formula,
        "measure": queries.measure,
        "run": queries.candidate.name,
        "baseline": queries.baseline.name,
    }
    after = {"intent": queries.intent_queries.intent.name if queries.intent_queries else None} | state.cells
    return csv_rows(queries.columns, queries.rows, before=before, after=after)


def compared_queries_json(queries: ListedQueries, state: State, *, held_out: bool) -> dict[str, Any]:
    """The same with null for what is undefined; `queries` are those that are listed, of `compared` ones."""
    return {
        "list": state.as_json,
        "formula": queries.formula,
        "measure": queries.measure,
        "baseline": {"id": queries.baseline.pk, "name": queries.baseline.name},
        "run": {"id": queries.candidate.pk, "name": queries.candidate.name},
        "intent": queries.intent_queries.intent.name if queries.intent_queries else None,
        "on_held_out_queries": held_out,
        "compared": queries.compared,
        "queries": list(json_records(queries.columns, queries.rows)),
    }
