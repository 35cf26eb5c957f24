"""Parts of the comparison page: differences by tag and traffic, and what the pool did. From stored figures, without a query."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from evaluation.comparisons.reports.comparison_page import Range, range_of
from evaluation.models import Run
from touchstone_core.comparison.comparison import Figures
from touchstone_core.comparison.comparison_cells import ON_AVERAGE, at
from touchstone_core.comparison.pool_estimate import UNFAIR
from touchstone_core.comparison.values import DASH, count, fixed, percent_text, words
from touchstone_core.formats.columns import Column, of, page_table

THIRD_WORDS: Final = {
    "head": "the most frequent queries, a third of the traffic",
    "torso": "the third in the middle",
    "tail": "the rare queries, the last third",
}


BEYOND: Final = "too unlike the pool"
CELLS: Final = "evaluation/comparisons/cells"
SEGMENT_QUERIES: Final[Column[Figures]] = Column("queries", "", itemgetter("queries"), count)
SEGMENT_AVERAGES: Final[list[Column[Figures]]] = of(
    at("impact"), [replace(column, group="") for column in ON_AVERAGE]
)
SEGMENT_PAGES: Final[tuple[Column[Figures], ...]] = (
    Column("Run", "", show_row=lambda row: words(row["run"].name), numeric=False),
    Column(
        "changed",
        "queries whose page changed",
        key="changed",
        show_row=lambda row: count(row["impact"]["changed"]),
        template=f"{CELLS}/segment_count.html",
    ),
    *SEGMENT_AVERAGES,
    Column(
        "open",
        "queries that missing grades can turn",
        key="open",
        show_row=lambda row: count(row["impact"]["open"]),
        template=f"{CELLS}/segment_count.html",
    ),
)


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One run in NDCG-max. Inside the pool `loss` is what it would have lost outside, and `only` the documents that it
    alone brought; outside, `value` is what it is expected to reach, with a band where there is one, or BEYOND it."""

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
    """`why` says why nothing is expected of runs outside the pool; `fed` of `runs` stored ones are in it, the first of them by
    `names`, and `left_out` were not looked at. `beyond`: of some rows the pool tells too little for a band; `pooled_from` is the
    `pool_history` when this was computed."""

    rows: list[PoolRow]
    runs: int
    fed: int
    names: list[str]
    beyond: bool
    left_out: int

    pooled_from: Figures
    outside: bool
    why: str
    mean: str
    unfair: bool

    @property
    def unnamed(self) -> int:
        return self.fed - len(self.names)


def segment_tables(runs: Sequence[Run], figures: Figures) -> list[dict[str, Any]]:
    """By kind, tag or traffic: the differences of each run, and how far its pages changed, None where nobody looked. A kind
    without parts is left out. `runs` are all, the baseline first."""
    return [
        _segment_table(runs, kind, list(of_kind))
        for kind, of_kind in groupby(figures["segments"], itemgetter("kind"))
    ]


def _segment_table(runs: Sequence[Run], kind: str, segments: Sequence[Figures]) -> dict[str, Any]:
    pages = [
        {
            "name": one["name"],
            "queries": one["queries"],
            "run": run,
            "tag": one["name"] if kind == "tag" else None,
            "impact": of_run["impact"],
        }
        for one in segments
        for run, of_run in zip(runs[1:], one["runs"], strict=True)
    ]
    name: Column[Figures] = Column(
        "Tag" if kind == "tag" else "Traffic", numeric=False, template=f"{CELLS}/segment.html"
    )
    return {
        "kind": kind,
        "differences": page_table([name, SEGMENT_QUERIES, *_segment_columns(runs)], segments),
        "pages": page_table([name, *SEGMENT_PAGES], pages) if pages[0]["impact"] else None,
    }


def _segment_columns(runs: Sequence[Run]) -> Iterator[Column[Figures]]:
    for place, run in enumerate(runs[1:]):
        yield Column(run.name, group=" ", show_row=_segment_range(place), template=f"{CELLS}/range.html")


def _segment_range(place: int) -> Callable[[Figures], Range]:
    def read(one: Figures) -> Range:
        of_run = one["runs"][place]
        return range_of(of_run["mean"], of_run["interval"], adjusted=not of_run["unequal"])

    return read


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
                coverage=percent_text(figures["bounds"][place]["coverage"]),
                zero=fixed(estimate["zero"] if estimate else means["shares"][0]),
                value=fixed(estimate["value"]) if estimate else DASH,
                band=_band(estimate),
                loss=DASH if loss is None else fixed(loss),
                only=audit["only"][place] if audit else None,
            )
        )
    return PoolSummary(
        rows,
        runs=pool["runs"],
        fed=pool["fed"],
        names=pool["names"],
        beyond=any(row.band == BEYOND for row in rows),
        left_out=pool["left_out"],
        pooled_from=figures["pooled_from"],
        outside=not all(inside),
        why=pool["why"],
        mean=fixed(audit["mean"]) if audit else "",
        unfair=bool(audit and audit["mean"] > UNFAIR),
    )


def _band(estimate: Figures | None) -> str:
    if not estimate or estimate["low"] is None:
        return BEYOND if estimate and estimate["beyond"] else DASH
    return f"{fixed(estimate['low'])} to {fixed(estimate['high'])}"
