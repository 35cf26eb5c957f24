"""The run table as CSV and as JSON: every run, every digit, and what the numbers were computed against."""

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.models import Evaluation
from evaluation.scores.reports.run_table import Shown, run_columns
from evaluation.scores.reports.state import State
from touchstone_core.formats.columns import csv_rows, json_records
from touchstone_core.formats.spreadsheet import Cell


def run_table_csv(rows: Iterator[Evaluation], shown: Shown, state: State) -> Iterator[list[Cell]]:
    """One line for each run in the order given; the columns of values are headed by canonical texts."""
    before = {"list": state.list_name, "formula": shown.formula.key}
    return csv_rows(run_columns(shown), rows, before=before, after={"average": shown.average, **state.cells})


def run_table_json(rows: Sequence[Evaluation], shown: Shown, state: State) -> dict[str, Any]:
    """Full precision; values by canonical text, and null where there is none."""
    return {
        "list": state.as_json,
        "formula": {"text": shown.formula.key, "words": shown.formula.words()},
        "average": shown.average,
        "measures": [str(wanted) for wanted in shown.measures],
        "runs": [{"measure_queries": {}} | record for record in json_records(run_columns(shown), rows)],
    }
