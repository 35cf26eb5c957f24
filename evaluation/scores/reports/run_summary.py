"""The head of a run's page: means, counts, ladder, and warnings at upload."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.models import Evaluation
from evaluation.scores.reports.run_bounds import RunBounds
from evaluation.scores.reports.run_columns import count_columns, ladder_of, page_columns
from evaluation.scores.reports.run_page import RunMeasure
from touchstone_core.comparison.values import (
    Value,
    count,
    if_known,
    nothing_judged_words,
    percent_text,
    value,
)
from touchstone_core.formats.problems import Findings, Report
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.left_out import no_gain_words

EXAMPLES = 3
"""Of each kind of warning."""
SHARES = {
    "local": "of the best order of its page",
    "recall": "of the best of what it retrieved",
    "global": "of the best of what is judged",
    "max": "of the scale’s best, all the way",
}


@dataclass(frozen=True, slots=True)
class Tile:
    name: str
    value: Value
    note: str
    title: str = ""
    range: str = ""


def run_summary(
    evaluation: Evaluation, formula: Formula, measures: Sequence[RunMeasure], bounds: RunBounds | None
) -> dict[str, Any]:
    """Costs no query. `bounds` are those of the four means, where they are known."""
    k = formula.cutoff
    # A run that did not come from a file has no report.
    warnings = Report.from_json(evaluation.run.report).warnings if evaluation.run.report else Findings()
    tiles = [
        Tile(
            f"NDCG-{ideal}@{k}",
            if_known(value(getattr(evaluation, f"ndcg_{ideal}")), evaluation.is_known),
            SHARES[ideal],
            formula.measure(ideal),
            bounds.words(ideal) if bounds else "",
        )
        for ideal in IDEALS
    ]
    dcg = if_known(value(evaluation.dcg), evaluation.is_known)
    tiles.append(Tile(f"DCG@{k}", dcg, _over(evaluation, formula), formula.dcg_measure()))
    judged_at_k = value(evaluation.judged_at_k)
    tiles.append(Tile(f"judged@{k}", judged_at_k, _coverage(evaluation, formula), formula.judged_measure()))
    tiles += [
        Tile(one.text, value(one.evaluation.mean), _queries(one.evaluation.counted), one.text)
        for one in measures
    ]
    known_coverage = evaluation.coverage if evaluation.is_known else None
    return {
        "tiles": tiles,
        "ladder": ladder_of(evaluation),
        "judged_queries": evaluation.judged_queries,
        "left_out": evaluation.judged_queries - evaluation.counted,
        "missing_left_out": formula.skips_missing and evaluation.missing > 0,
        "holes": evaluation.holes,
        "coverage": percent_text(known_coverage) if known_coverage is not None else None,
        "is_provisional": evaluation.is_provisional,
        "bounds": bounds,
        "ties": evaluation.ties,
        "nothing_judged": "" if evaluation.is_known else nothing_judged_words(k),
        "no_gain": no_gain_words(formula.zero_ndcg) if evaluation.is_without_gain else "",
        "counts": [
            (column, count(column.read(evaluation)))
            for column in page_columns(count_columns(formula), [evaluation])
        ],
        "warnings": warnings.causes(EXAMPLES),
        "warning_count": warnings.total,
    }


def _coverage(evaluation: Evaluation, formula: Formula) -> str:
    """What keeps judged@k below 1: holes, and queries without documents."""
    holes = "1 hole" if evaluation.holes == 1 else f"{evaluation.holes:,} holes"
    nothing = evaluation.empty or (evaluation.missing and not formula.skips_missing)
    return f"{holes}; {'empty' if formula.skips_missing else 'missing'} counts as 0" if nothing else holes


def _over(evaluation: Evaluation, formula: Formula) -> str:
    left_out = evaluation.missing if formula.skips_missing else 0
    return _queries(evaluation.judged_queries - left_out)


def _queries(number: int) -> str:
    return f"mean over {number:,} quer{'y' if number == 1 else 'ies'}"
