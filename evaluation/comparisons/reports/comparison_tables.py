"""The tables of the comparison page, by the columns that files and the command have, too."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from operator import attrgetter
from typing import Any, Final

from evaluation.comparisons.reports.comparison_page import (
    BesideBaseline,
    ComparisonPage,
    Interval,
    Range,
    RunRow,
    range_of,
)
from evaluation.scores.reports.run_columns import LADDER
from touchstone_core.comparison.comparison_cells import (
    BETTER,
    DECISIONS,
    DIFFERENCE,
    EFFECT_SIZE,
    OUTCOMES,
    PAGE_CHANGES,
    POWER,
    RISK,
    STEPS,
    P,
    at,
    means_columns,
    p_value,
)
from touchstone_core.comparison.coverage import Coverage
from touchstone_core.comparison.values import Value, p_text, percent, signed, value, words
from touchstone_core.comparison.verdict import Figures
from touchstone_core.formats.columns import Column, PageTable, of, page_table
from touchstone_core.metrics.formula import Formula
from touchstone_core.significance.planning import SIGNIFICANCE

CELLS: Final = "evaluation/comparisons/cells"
COUNT: Final = f"{CELLS}/compared_count.html"
RANGE: Final = f"{CELLS}/range.html"
NOT_RANKED: Final = {"won": "higher", "tied": "the same", "lost": "lower"}
COVERAGE: Final = "share of the page’s discount weight that is judged"
ANYTHING: Final = "least value on average if documents may exist that none of these runs retrieved; the greatest value stays"
ANYTHING_BETWEEN: Final = (
    "bounds of the mean difference if documents may exist that none of these runs retrieved"
)
P_MEANING: Final = f"{P.meaning}; where queries were added between looks, the always-valid p-value"
SAME: Final = (
    "probability that the mean difference lies within ±0.005, of a single look, not adjusted for other runs"
)
NO_WORSE: Final = (
    "the least δ of which these queries show, at 5 %, that the run isn’t worse by more; a rare loss that none of them shows "
    "can’t be seen"
)
THE_SAME: Final = "the least δ of which two one-sided tests show, at 5 %, that the runs differ by no more"
_RUN: Final[Column[RunRow]] = Column("Run", numeric=False, template=f"{CELLS}/compared_run.html")


WEIGHTED: Final[tuple[Column[BesideBaseline], ...]] = (
    Column(
        "difference",
        "with a 95 % interval of its own, not adjusted",
        show_row=lambda beside: range_of(
            beside.record["weighted"]["mean"], beside.record["weighted"]["interval"], adjusted=False
        ),
        template=RANGE,
    ),
    Column("p", "not adjusted", lambda beside: beside.record["weighted"]["permutation"]["value"], p_value),
    Column(
        "effective queries",
        "as many queries of the same weight would say as much",
        lambda beside: beside.record["weighted"]["effective"],
        lambda effective: Value(effective, f"{effective:.0f}"),
    ),
)


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
        "robust": page_table([_RUN, *_of_beside(_robust(ranks=page.ranks))], page.candidates),
        "effect": page_table([_RUN, *_of_beside(_effect(ranks=page.ranks))], page.candidates),
    }
    if page.candidates[0].beside and page.candidates[0].beside.record["weighted"]:
        tables["weighted"] = page_table([_RUN, *_of_beside(WEIGHTED)], page.candidates)
    if pairs := page.figures["pairs"]:
        tables["pairs"] = page_table(_pairs(page, pairs), page.rows)
    if page.baseline.interval:
        tables["changed"] = page_table([_RUN, *_of_evidence(PAGE_CHANGES)], page.candidates)
        tables["bounds"] = page_table(_bounds(page, formula), page.rows)
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
        Column(P.name, P_MEANING, label=P.label, show_row=_p, template=f"{CELLS}/p.html"),
        *of(attrgetter("record"), [BETTER]),
    ]
    yield from _of_beside(
        replace(column, group=group) for column in beside if page.ranks or column is not beside[2]
    )
    names = {column.name: column.name for column in OUTCOMES} if page.ranks else NOT_RANKED
    outcomes = [
        replace(column, name=names[column.name], group="Queries", template=COUNT) for column in OUTCOMES
    ]
    yield from _of_beside(of(attrgetter("record"), outcomes))


def _p(beside: BesideBaseline) -> dict[str, str]:
    """The p-value that decides, and what stands behind it."""
    permutation, rule = beside.record["permutation"], beside.verdict.rule
    if permutation["value"] is None:
        behind = "always-valid" if rule.always_valid else ""
    else:
        behind = f"not adjusted: {p_text(permutation['value'])}; {permutation['method']}"
    return {"p": p_text(rule.p), "behind": behind}


def _steps() -> Iterator[Column[BesideBaseline]]:
    group = "Change from the baseline, and what each step gained"
    for place, column in enumerate(STEPS):
        yield Column(column.name, label=column.label, group=group, show_row=_range(place), template=RANGE)


def _range(place: int) -> Callable[[BesideBaseline], Range]:
    def read(beside: BesideBaseline) -> Range:
        step = beside.splits[place]
        return range_of(step["mean"], step["interval"])

    return read


def _robust(*, ranks: bool) -> Iterator[Column[BesideBaseline]]:
    own = "with a 95 % interval of its own, not adjusted"
    yield Column("median", own, show_row=_own_range("median"), template=RANGE)
    trimmed = f"without the 10 % of the queries at either end; {own}"
    yield Column("trimmed mean", trimmed, show_row=_own_range("trimmed"), template=RANGE)
    yield Column("P(same)", SAME, lambda beside: at("posterior", "within")(beside.record), percent)
    if ranks:
        better, worse = (f"queries {word} by more than 0.05" for word in ("better", "worse"))
        yield Column("improved", better, lambda beside: beside.record["outcomes"]["better"], percent)
        yield Column("worsened", worse, lambda beside: beside.record["outcomes"]["worse"], percent)


def _own_range(name: str) -> Callable[[BesideBaseline], Range]:
    def read(beside: BesideBaseline) -> Range:
        robust = beside.record["robust"]
        return range_of(robust[name], robust[f"{name}_interval"], adjusted=False)

    return read


def _effect(*, ranks: bool) -> Iterator[Column[BesideBaseline]]:
    yield from of(attrgetter("record"), [EFFECT_SIZE, *(RISK if ranks else ()), *POWER])
    if ranks:
        yield Column("no worse than", NO_WORSE, lambda beside: _margin(beside, both=False), value)
    yield Column("the same within ±", THE_SAME, lambda beside: _margin(beside, both=True), value)


def _margin(beside: BesideBaseline, *, both: bool) -> float | None:
    """The least δ of which it can be said, at 5 %: no worse than the baseline by more than δ; `both`: the same within ±δ."""
    ends = at("one_sided")(beside.record)
    if ends is None:
        return None
    return float(max(-ends["low"], ends["high"]) if both else max(0.0, -ends["low"]))


def _pairs(page: ComparisonPage, pairs: Figures) -> Iterator[Column[RunRow]]:
    """Row minus column, with the p-value that is adjusted for all pairs."""
    unbacked = _unbacked_pairs(page)
    cells: dict[tuple[int, int], tuple[float, float | None]] = {}
    keys = [row.run.pk for row in page.rows]
    for pair in pairs["pairs"]:
        first, second = keys[pair["first"]], keys[pair["second"]]
        cells[second, first] = pair["difference"], pair["p"]
        cells[first, second] = -pair["difference"], pair["p"]
    yield _RUN
    for row in page.rows:
        yield Column(row.run.name, show_row=_pair(cells, row.run.pk, unbacked), template=f"{CELLS}/pair.html")


def _unbacked_pairs(page: ComparisonPage) -> set[frozenset[int]]:
    """Pairs that aren't called different, since one is judged less than the other, or documents for what they decide."""
    return {
        frozenset((one.run.pk, other.run.pk))
        for (first, one), (second, other) in combinations(enumerate(page.rows), 2)
        if Coverage.of(page.figures["coverage"], first, second).rests_on_zeros
    }


def _pair(
    cells: Mapping[tuple[int, int], tuple[float, float | None]], column: int, unbacked: set[frozenset[int]]
) -> Callable[[RunRow], dict[str, Any] | None]:
    def read(row: RunRow) -> dict[str, Any] | None:
        if (row.run.pk, column) not in cells:
            return None
        mean, p = cells[row.run.pk, column]
        return {
            "difference": signed(mean),
            "p": p_text(p),
            "significant": p is not None and p <= SIGNIFICANCE and {row.run.pk, column} not in unbacked,
        }

    return read


def _bounds(page: ComparisonPage, formula: Formula) -> Iterator[Column[RunRow]]:
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
