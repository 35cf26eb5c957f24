"""The run table as CSV and as JSON: every run, every digit, and what the numbers were computed against."""

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.models import Evaluation
from evaluation.scores.reports.averages import PREFIX
from evaluation.scores.reports.run_table import COUNTS, HOLES, Shown
from evaluation.scores.reports.state import State
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.metrics.formula import IDEALS

SUMS = ("sum_dcg", "sum_order", "sum_depth", "sum_recall", "sum_content")
_COUNTED = ("judged_queries", *COUNTS)


def run_table_csv(rows: Iterator[Evaluation], shown: Shown, state: State) -> Iterator[list[Cell]]:
    """One line for each run in the order given; the columns of values are headed by canonical texts."""
    values = _value_fields(shown)
    counted = _counted_fields(shown)
    counts = [COUNTS[field][0] if field in COUNTS else "judged queries" for field in _COUNTED]
    fields = [*values.values(), *counted.values(), *_COUNTED, HOLES.field, *SUMS]
    header = [*values, *counted, *counts, HOLES.label, *SUMS]
    yield ["list", "formula", "run", *header, "average", *state.csv_header]
    for evaluation in rows:
        numbers = vars(evaluation)
        lead = [state.list_name, shown.formula.key, evaluation.run.name]
        yield [*lead, *(numbers[field] for field in fields), shown.average, *state.csv_cells]


def run_table_json(rows: Sequence[Evaluation], shown: Shown, state: State) -> dict[str, Any]:
    """Full precision; values by canonical text, and null where there is none."""
    return {
        "list": state.as_json,
        "formula": {"text": shown.formula.key, "words": shown.formula.words()},
        "average": shown.average,
        "measures": [str(wanted) for wanted in shown.measures],
        "runs": [_json_row(evaluation, shown) for evaluation in rows],
    }


def _json_row(evaluation: Evaluation, shown: Shown) -> dict[str, Any]:
    numbers = vars(evaluation)
    return {
        "run": evaluation.run.name,
        "id": evaluation.run_id,
        "values": {text: numbers[field] for text, field in _value_fields(shown).items()},
        "measure_queries": {
            str(wanted): numbers[f"counted_{place}"] for place, wanted in enumerate(shown.measures)
        },
        "counts": {field.removesuffix("_queries"): numbers[field] for field in (*COUNTS, HOLES.field)}
        | {"judged_queries": evaluation.judged_queries},
        "dcg_points": {field.removeprefix("sum_"): numbers[field] for field in SUMS},
    }


def _value_fields(shown: Shown) -> dict[str, str]:
    """The fields that hold the averages, by canonical text."""
    formula, prefix = shown.formula, PREFIX[shown.average]
    fields = {formula.measure(ideal): f"{prefix}ndcg_{ideal}" for ideal in IDEALS}
    fields |= {formula.dcg_measure(): f"{prefix}dcg", formula.judged_measure(): f"{prefix}judged_at_k"}
    for place, wanted in enumerate(shown.measures):
        fields.setdefault(str(wanted), f"measure_{place}")  # it may be one of these once more
    return fields


def _counted_fields(shown: Shown) -> dict[str, str]:
    """How many queries an average is over, for the measures whose own policy may leave some out."""
    return {
        f"queries of {wanted}": f"counted_{place}"
        for place, wanted in enumerate(shown.measures)
        if "skip" in dict(wanted.measure.parameters).values()
    }
