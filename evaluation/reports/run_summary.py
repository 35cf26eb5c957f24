"""The head of a run's page: means, counts, ladder, and what was said of the file."""

from dataclasses import dataclass
from itertools import islice

from evaluation.metrics.formula import IDEALS, Formula
from evaluation.models import Evaluation
from evaluation.reports.run_table import COUNTS, ladder_of, shown_counts
from evaluation.reports.values import Segment, Value, value
from judgments.formats.problems import Findings, Report

SHOWN_WARNINGS = 20
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


@dataclass(frozen=True, slots=True)
class Count:
    label: str
    number: int
    title: str


@dataclass(frozen=True, slots=True)
class RunSummary:
    tiles: list[Tile]
    ladder: list[Segment]
    judged_queries: int
    holes: int
    counts: list[Count]
    warnings: list[str]
    warning_count: int


def run_summary(evaluation: Evaluation, formula: Formula) -> RunSummary:
    """Costs no query."""
    k = formula.cutoff
    # A run that did not come from a file has no report.
    warnings = Report.from_json(evaluation.run.report).warnings if evaluation.run.report else Findings()
    tiles = [
        Tile(
            f"NDCG-{ideal}@{k}",
            value(getattr(evaluation, f"ndcg_{ideal}")),
            SHARES[ideal],
            formula.measure(ideal),
        )
        for ideal in IDEALS
    ]
    tiles.append(Tile(f"DCG@{k}", value(evaluation.dcg), "mean over judged queries", formula.dcg_measure()))
    tiles.append(Tile(f"judged@{k}", value(evaluation.judged_at_k), _coverage(evaluation), f"Judged@{k}"))
    return RunSummary(
        tiles=tiles,
        ladder=ladder_of(evaluation),
        judged_queries=evaluation.judged_queries,
        holes=evaluation.holes,
        counts=[
            Count(COUNTS[field][0], getattr(evaluation, field), COUNTS[field][1])
            for field in shown_counts([evaluation])
        ],
        warnings=list(islice(warnings.sentences(), SHOWN_WARNINGS)),
        warning_count=warnings.total,
    )


def _coverage(evaluation: Evaluation) -> str:
    """What keeps judged@k below 1: holes, and queries that show nothing."""
    holes = "1 hole" if evaluation.holes == 1 else f"{evaluation.holes:,} holes"
    return f"{holes}; missing counts as 0" if evaluation.missing or evaluation.empty else holes
