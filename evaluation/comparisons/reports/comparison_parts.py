"""Parts of the comparison page: differences by tag and traffic, and what the pool did. From stored figures, without a query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evaluation.comparisons.reports.comparison_page import Range, range_of
from evaluation.models import Run
from touchstone_core.comparison.comparison import Figures
from touchstone_core.comparison.pool_estimate import UNFAIR
from touchstone_core.comparison.values import DASH, fixed

THIRD_WORDS: Final = {
    "head": "the most frequent queries, a third of the traffic",
    "torso": "the third in the middle",
    "tail": "the rare queries, the last third",
}


@dataclass(frozen=True, slots=True)
class SegmentCell:
    """One run in one part of the queries; `impact` is None where nobody looked at pages."""

    run: Run
    difference: Range
    impact: Figures | None


@dataclass(frozen=True, slots=True)
class SegmentRow:
    name: str
    words: str
    queries: int
    cells: list[SegmentCell]


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One run in NDCG-max. Inside the pool `loss` is what it would have lost outside, and `only` the documents that it
    alone brought; outside, `value` is what it is expected to reach, with a band where there is one."""

    run: Run
    pooled: bool
    coverage: str
    zero: str
    value: str
    band: str
    loss: str
    only: int | None


@dataclass(frozen=True, slots=True)
class PoolSummary:
    """`why` says why nothing is expected of runs outside the pool; `fed` of `runs` stored ones are in it, and `left_out` were not
    looked at; `pooled_from` is the `pool_history` when this was computed."""

    rows: list[PoolRow]
    runs: int
    fed: int
    left_out: int
    pooled_from: Figures
    outside: bool
    why: str
    mean: str
    unfair: bool


def segment_rows(runs: Sequence[Run], figures: Figures) -> list[tuple[str, list[SegmentRow]]]:
    """By kind, tag or traffic; a kind without parts is left out. `runs` are all, the baseline first."""
    by_kind: dict[str, list[SegmentRow]] = {}
    for one in figures["segments"]:
        row = SegmentRow(
            name=one["name"],
            words=THIRD_WORDS[one["name"]] if one["kind"] == "traffic" else "",
            queries=one["queries"],
            cells=[
                SegmentCell(
                    run,
                    range_of(figures_of_run["mean"], figures_of_run["interval"]),
                    figures_of_run["impact"],
                )
                for run, figures_of_run in zip(runs[1:], one["runs"], strict=True)
            ],
        )
        by_kind.setdefault(one["kind"], []).append(row)
    return list(by_kind.items())


def pool_summary(runs: Sequence[Run], figures: Figures) -> PoolSummary | None:
    """None under a formula without bounds, where nothing is known of coverage."""
    pool = figures["pool"]
    if pool is None:
        return None
    inside, audit = pool["pooled"], pool["audit"]
    rows = []
    for place, run in enumerate(runs):
        means, estimate = figures["runs"][place], pool["expected"][place]
        loss = audit["loss"][place] if audit else None
        rows.append(
            PoolRow(
                run=run,
                pooled=inside[place],
                coverage=f"{100 * figures['bounds'][place]['coverage']:.1f} %",
                zero=fixed(estimate["zero"] if estimate else means["shares"][0]),
                value=fixed(estimate["value"]) if estimate else DASH,
                band=DASH
                if not estimate or estimate["low"] is None
                else f"{fixed(estimate['low'])} to {fixed(estimate['high'])}",
                loss=DASH if loss is None else fixed(loss),
                only=audit["only"][place] if audit else None,
            )
        )
    return PoolSummary(
        rows,
        runs=pool["runs"],
        fed=pool["fed"],
        left_out=pool["left_out"],
        pooled_from=figures["pooled_from"],
        outside=not all(inside),
        why=pool["why"],
        mean=fixed(audit["mean"]) if audit else "",
        unfair=bool(audit and audit["mean"] > UNFAIR),
    )
