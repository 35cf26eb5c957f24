"""The run table, and the page of a run, as CSV and as JSON: every digit, and the state of the judgment list."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from evaluation.models import Evaluation, Run
from evaluation.scores.reports.run_averages import RunAverages
from evaluation.scores.reports.run_bounds import RunBounds
from evaluation.scores.reports.run_columns import (
    HOLES,
    JUDGED_QUERIES,
    TableChoice,
    count_columns,
    ladder_of,
    run_columns,
)
from evaluation.scores.reports.run_page import RunMeasure, score_columns
from evaluation.scores.reports.spread import Spread
from evaluation.scores.reports.state import State
from evaluation.scores.reports.ties import TiedScore
from touchstone_core.comparison.values import kept_shares
from touchstone_core.formats.columns import csv_rows, json_records
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.metrics.content import ContentLoss
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import LOSSES
from touchstone_core.metrics.short_pages import ShortPages


def run_table_csv(
    rows: Iterator[Evaluation], choice: TableChoice, state: State, baseline: Evaluation | None
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
    rows: Sequence[Evaluation], choice: TableChoice, state: State, baseline: Evaluation | None
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


def run_csv(
    run: Run, formula: Formula, measures: Sequence[RunMeasure], rows: Iterable[TiedScore], state: State
) -> Iterator[list[Cell]]:
    """One line for each query that is listed. Headings of values are canonical texts."""
    before = {"list": state.list_name, "formula": formula.key, "run": run.name}
    return csv_rows(score_columns(formula, measures), rows, before=before, after=state.cells)


def run_json(
    evaluation: Evaluation,
    formula: Formula,
    measures: Sequence[RunMeasure],
    averages: RunAverages,
    rows: Iterable[TiedScore],
    state: State,
    short: ShortPages,
    content: ContentLoss,
    spread: Spread | None,
    bounds: RunBounds | None,
) -> dict[str, Any]:
    """Averages of the whole run, and the queries that are listed; null is a value that is undefined or left out. `bounds` are
    those of the means, null where no page has an unjudged document or the formula has no bounds."""
    return {
        "list": state.as_json,
        "run": {"id": evaluation.run_id, "name": evaluation.run.name},
        "formula": {"text": formula.key, "words": formula.words()},
        "measures": [one.text for one in measures],
        **next(json_records([JUDGED_QUERIES, *count_columns(formula), HOLES], [evaluation])),
        "coverage": evaluation.coverage,
        "averages": {
            column.title: {
                **column.by_name,
                "queries": column.counted,
                "left_out": column.left_out and column.left_out.as_json(),
            }
            for column in averages.columns
        },
        "short_pages": short.as_json(),
        "spread": spread and spread.as_json(),
        "bounds": bounds and asdict(bounds),
        "weights": averages.weights,
        "dcg_points": {name: getattr(evaluation, f"sum_{name}") for name in ("dcg", *LOSSES)},
        "kept": kept_shares(ladder_of(evaluation)),
        "content_loss": content.as_json(),
        "tags": [
            {
                "tag": row.tag or None,
                "queries": row.queries,
                "left_out": row.left_out,
                "means": {
                    **{
                        formula.measure(ideal): one.number
                        for ideal, one in zip(IDEALS, row.ndcgs, strict=True)
                    },
                    formula.dcg_measure(): row.dcg.number,
                },
            }
            for row in averages.tags
        ],
        "queries": list(json_records(score_columns(formula, measures), rows)),
    }
