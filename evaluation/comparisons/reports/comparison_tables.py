"""The tables of the comparison page, by the columns that files and the command have, too."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

from evaluation.comparisons.reports.comparison_page import (
    BesideBaseline,
    ComparisonPage,
    Interval,
    Range,
    RunRow,
)
from evaluation.scores.reports.run_table import LADDER
from touchstone_core.comparison.comparison_cells import (
    BETTER,
    DECISIONS,
    DIFFERENCE,
    OUTCOMES,
    PAGE_CHANGES,
    STEPS,
    P,
    means_columns,
)
from touchstone_core.comparison.values import words
from touchstone_core.comparison.verdict import Figures
from touchstone_core.formats.columns import Column, PageTable, of, page_table
from touchstone_core.metrics.formula import Formula

CELLS: Final = "evaluation/comparisons/cells"
COUNT: Final = f"{CELLS}/compared_count.html"
RANGE: Final = f"{CELLS}/range.html"
NOT_RANKED: Final = {"won": "higher", "tied": "the same", "lost": "lower"}
COVERAGE: Final = "share of the page's discount weight that is judged"
ANYTHING: Final = "least value on average if documents may exist that none of these runs retrieved; the greatest value stays"
ANYTHING_BETWEEN: Final = (
    "bounds of the mean difference if documents may exist that none of these runs retrieved"
)
_RUN: Final[Column[RunRow]] = Column("Run", numeric=False, template=f"{CELLS}/compared_run.html")


def itself(row: Any) -> Any:
    return row


def comparison_tables(
    page: ComparisonPage, formula: Formula, measures: Sequence[str]
) -> dict[str, PageTable]:
    """`measures` are the canonical texts of further measures, in the order in which they were asked for."""
    tables = {
        "values": page_table(_values(page, formula, measures), page.rows),
        "steps": page_table(
            [_RUN, replace(LADDER, show_row=attrgetter("ladder")), *_of_beside(_steps())], page.rows
        ),
    }
    if page.baseline.interval:
        tables["changed"] = page_table([_RUN, *_of_evidence(PAGE_CHANGES)], page.candidates)
        tables["settled"] = page_table(_settled(page, formula), page.rows)
    return tables


def _of_beside(columns: Iterable[Column[BesideBaseline]]) -> list[Column[RunRow]]:
    """Nothing of the baseline."""
    return of(attrgetter("beside"), columns)


def _of_evidence(columns: Iterable[Column[Figures]]) -> list[Column[RunRow]]:
    """A count leads to the queries that are counted."""
    linked = (replace(column, template=COUNT) if column.key else column for column in columns)
    return _of_beside(of(attrgetter("evidence"), linked))


def _values(page: ComparisonPage, formula: Formula, measures: Sequence[str]) -> Iterator[Column[RunRow]]:
    group = f"{page.heading}: run minus baseline"
    yield replace(_RUN, template=f"{CELLS}/compared_run_link.html")
    yield from of(attrgetter("means"), means_columns(formula, measures))
    # These follow the rule of the page, which knows of looks.
    beside: list[Column[Any]] = [
        replace(DIFFERENCE, show_row=attrgetter("difference"), template=RANGE),
        replace(P, show_row=itself, template=f"{CELLS}/p.html"),
        Column(BETTER.name, BETTER.meaning, show_row=lambda beside: words(beside.better)),
    ]
    yield from _of_beside(
        replace(column, group=group) for column in beside if page.ranks or column is not beside[2]
    )
    names = {column.name: column.name for column in OUTCOMES} if page.ranks else NOT_RANKED
    outcomes = [
        replace(column, name=names[column.name], group="Queries", template=COUNT) for column in OUTCOMES
    ]
    yield from _of_beside(of(attrgetter("record"), outcomes))


def _steps() -> Iterator[Column[BesideBaseline]]:
    group = "Change of NDCG-max from the baseline, and what each step gained"
    for at, column in enumerate(STEPS):
        yield Column(column.name, label=column.label, group=group, show_row=_range(at), template=RANGE)


def _range(at: int) -> Callable[[BesideBaseline], Range]:
    return lambda beside: beside.parts[at].range


def _settled(page: ComparisonPage, formula: Formula) -> Iterator[Column[RunRow]]:
    ideal = page.ideal_of_bounds
    own = f"NDCG-{ideal}@{formula.cutoff}, whatever grades are missing"
    yield _RUN
    bounds: list[Column[Interval]] = [
        Column("coverage", COVERAGE, show_row=itself, group=own, template=f"{CELLS}/coverage.html"),
        Column("at least", "least value on average", "low", words, group=own),
        Column("at most", "greatest value on average", "high", words, group=own),
        Column("at least, if anything may exist", ANYTHING, "any_low", words, group=own),
    ]
    yield from of(attrgetter("interval"), bounds if ideal == "global" else bounds[:-1])
    yield from _of_evidence(DECISIONS)
    difference = f"Difference of NDCG-{page.ideal_of_difference}"
    both: list[Column[BesideBaseline]] = [
        Column("between", "bounds of the mean difference", "bounds", words, group=difference),
        Column("if anything may exist", ANYTHING_BETWEEN, "bounds_any", words, group=difference),
    ]
    yield from _of_beside(both if page.ideal_of_difference == "global" else both[:1])
