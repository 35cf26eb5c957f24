"""The run table as CSV and as JSON: every run, every digit, and the state of the judgment list."""

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.models import Evaluation
from evaluation.scores.reports.run_table import TableChoice, run_columns
from evaluation.scores.reports.state import State
from touchstone_core.formats.columns import csv_rows, json_records
from touchstone_core.formats.spreadsheet import Cell


def run_table_csv(
    rows: Iterator[Evaluation], choice: TableChoice, state: State, baseline: Evaluation | None = None
) -> Iterator[list[Cell]]:
    """One line for each run in the order given; the columns of values are headed by canonical texts."""
    before = {"list": state.list_name, "formula": choice.formula.key}
    after = {"baseline": baseline.run.name} if baseline else {}
    return csv_rows(
        run_columns(choice, baseline=baseline),
        rows,
        before=before,
        after=after | {"average": choice.average, **state.cells},
    )


def run_table_json(
    rows: Sequence[Evaluation], choice: TableChoice, state: State, baseline: Evaluation | None = None
) -> dict[str, Any]:
    """Full precision; values by canonical text, and null where there is none."""
    return {
        "list": state.as_json,
        "formula": {"text": choice.formula.key, "words": choice.formula.words()},
        "average": choice.average,
        "measures": [str(measure) for measure in choice.measures],
        "baseline": baseline and baseline.run.name,
        "runs": [
            {"measure_queries": {}} | record
            for record in json_records(run_columns(choice, baseline=baseline), rows)
        ],
    }
