"""The queries of a run as CSV and as JSON: every query that is listed, every digit, and what was computed against."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from evaluation.models import Evaluation, Run
from evaluation.scores.reports.measures import Measured
from evaluation.scores.reports.run_averages import RunAverages
from evaluation.scores.reports.run_page import LEFT_OUT
from evaluation.scores.reports.run_table import COUNTS
from evaluation.scores.reports.state import State
from evaluation.scores.reports.ties import TiedScore, tie_cells, tie_json, tie_titles
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import LOSSES
from touchstone_core.metrics.short_pages import ShortPages

_PAGE = ("retrieved", "shown", "judged")


def run_csv(
    run: Run, formula: Formula, measures: Sequence[Measured], found: Iterable[TiedScore], state: State
) -> Iterator[list[Cell]]:
    """One line for each query that is listed. Headings of values are canonical texts."""
    values = _values(formula, measures)
    steps = (*(f"ideal_{ideal}" for ideal in IDEALS), *(f"lost_{loss}" for loss in LOSSES))
    yield [
        *("list", "formula", "run", "query id", "query", "tags", "weight"),
        *values,
        *(f"ideal {ideal}" for ideal in IDEALS),
        *(f"lost {loss}" for loss in LOSSES),
        *(formula.judged_measure(), formula.holes_measure(), *_PAGE, LEFT_OUT),
        *tie_titles(formula),
        *state.csv_header,
    ]
    names = (state.list_name, formula.key, run.name)
    for score, ties in found:
        numbers, query = vars(score), score.query
        yield [
            *names,
            *(query.external_id, query.text, tags_cell(query.tags), query.weight),
            *(numbers[field] for field in (*values.values(), *steps, "judged_at_k", "holes", *_PAGE)),
            "yes" if score.ndcg_global is None else "",
            *tie_cells(ties),
            *state.csv_cells,
        ]


def run_json(
    evaluation: Evaluation,
    formula: Formula,
    measures: Sequence[Measured],
    averages: RunAverages,
    found: Iterable[TiedScore],
    state: State,
    short: ShortPages,
) -> dict[str, Any]:
    """Averages of the whole run, and the queries that are listed; null is a value that is undefined or left out."""
    counts = {field.removesuffix("_queries"): getattr(evaluation, field) for field in COUNTS}
    return {
        "list": state.as_json,
        "run": {"id": evaluation.run_id, "name": evaluation.run.name},
        "formula": {"text": formula.key, "words": formula.words()},
        "measures": [one.text for one in measures],
        "counts": {"judged_queries": evaluation.judged_queries, **counts, "holes": evaluation.holes},
        "averages": {
            column.title: {
                **column.by_name,
                "queries": column.counted,
                "left_out": column.left_out and column.left_out.as_json(),
            }
            for column in averages.columns
        },
        "short_pages": short.as_json(),
        "weights": averages.weights,
        "dcg_points": {name: getattr(evaluation, f"sum_{name}") for name in ("dcg", *LOSSES)},
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
        "queries": [_query(score, formula, measures) for score in found],
    }


def _query(tied: TiedScore, formula: Formula, measures: Sequence[Measured]) -> dict[str, Any]:
    score, ties = tied
    numbers = vars(score)
    values = {text: numbers[field] for text, field in _values(formula, measures).items()}
    return {
        "id": score.query.external_id,
        "text": score.query.text,
        "tags": score.query.tags,
        "weight": score.query.weight,
        "values": values | {formula.judged_measure(): numbers["judged_at_k"]},
        "ideals": {ideal: numbers[f"ideal_{ideal}"] for ideal in IDEALS},
        "lost": {loss: numbers[f"lost_{loss}"] for loss in LOSSES},
        "holes": numbers["holes"],
        **{name: numbers[name] for name in _PAGE},
        "left_out": score.ndcg_global is None,
        "ties": tie_json(ties, formula),
    }


def tags_cell(tags: Sequence[str]) -> str:
    """As the import of queries reads them."""
    return json.dumps(tags) if any(set(";,[") & set(tag) for tag in tags) else "; ".join(tags)


def _values(formula: Formula, measures: Sequence[Measured]) -> dict[str, str]:
    """The fields that hold a query's values, by canonical text; a further measure may be one of the formula's."""
    values = {formula.measure(ideal): f"ndcg_{ideal}" for ideal in IDEALS}
    values[formula.dcg_measure()] = "dcg"
    for place, one in enumerate(measures):
        values.setdefault(one.text, f"measure_{place}")
    return values
