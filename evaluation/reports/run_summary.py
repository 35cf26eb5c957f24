"""The head of a run's page: means, counts, ladder, and what was said of the file."""

from dataclasses import dataclass

from evaluation.metrics.formula import IDEALS, Formula
from evaluation.models import Evaluation
from evaluation.reports.run_table import COUNTS, ladder_of, shown_counts
from evaluation.reports.values import Segment, Value, value
from judgments.formats.problems import Report

QUESTIONS = {
    "local": "did it order what it showed?",
    "recall": "could re-ranking have fixed it?",
    "global": "what is the best these judgments allow?",
    "max": "is there enough good content at all?",
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
    counts: list[Count]
    warnings: list[str]


def run_summary(evaluation: Evaluation, formula: Formula) -> RunSummary:
    """Costs no query."""
    k = formula.cutoff
    tiles = [
        Tile(
            f"NDCG-{ideal}@{k}",
            value(getattr(evaluation, f"ndcg_{ideal}")),
            QUESTIONS[ideal],
            formula.measure(ideal),
        )
        for ideal in IDEALS
    ]
    tiles.append(Tile(f"DCG@{k}", value(evaluation.dcg), "mean over judged queries", formula.dcg_measure()))
    tiles.append(
        Tile(f"judged@{k}", value(evaluation.judged_at_k), f"{evaluation.holes:,} holes", f"Judged@{k}")
    )
    return RunSummary(
        tiles=tiles,
        ladder=ladder_of(evaluation),
        judged_queries=evaluation.judged_queries,
        counts=[
            Count(COUNTS[field][0], getattr(evaluation, field), COUNTS[field][1])
            for field in shown_counts([evaluation])
        ],
        warnings=_warnings(evaluation.run.report),
    )


def _warnings(report: dict[str, object]) -> list[str]:
    """What the reader of the file warned of; none for a run that came without a report."""
    return list(Report.from_json(report).warnings.sentences()) if report else []
