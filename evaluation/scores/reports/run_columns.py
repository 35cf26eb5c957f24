"""The columns of the run table: all that there are, and those that a page shows."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from evaluation.models import Evaluation
from evaluation.scores.reports.run_averages import PREFIX, WORDS
from touchstone_core.comparison.values import (
    LOSS_WORDS,
    Segment,
    Value,
    count,
    coverage,
    difference,
    if_known,
    segments,
    value,
    words,
)
from touchstone_core.formats.columns import Column
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.policies import SKIP
from touchstone_core.metrics.rounding import RoundedMeasure

COUNTS = {
    "answered": ("answered", "Judged queries for which the run has documents"),
    "missing": ("missing", "Judged queries that the run does not have; {missing}"),
    "empty": ("empty", "Judged queries with an empty ranking; they count as 0"),
    "unjudged_queries": ("unjudged", "Queries of the run without a grade in this list; they are left out"),
    "zero_ideal": ("zero ideal", "Judged queries without a document of any gain; their NDCG {zero}"),
    "ties": ("ties", "Judged queries with equal scores inside the cutoff; their IDs decide the order there"),
    "counted": ("counted", "Queries that the averages are over: the formula leaves the others out"),
}
JUDGED_QUERIES: Final[Column[Evaluation]] = Column(
    "judged queries", value="judged_queries", json=("counts", "judged_queries")
)
COVERAGE: Final[Column[Evaluation]] = Column(
    "coverage",
    value="coverage",
    show_row=lambda one: coverage(one.coverage, known=one.is_known),
    key="coverage",
)
HOLES: Final[Column[Evaluation]] = Column("holes", value="holes", json=("counts", "holes"))
CELLS: Final = "evaluation/scores/cells"
NO_BEST: Final[Mapping[str, float | None]] = MappingProxyType({})
CHANGE: Final = "change-"
RUN: Final = "run"
LOSSES: Final = "losses"
ON_REQUEST: Final = frozenset(
    {
        "answered",
        "unjudged",
        "coverage",
        "commit",
        "link",
        "notes",
        "uploaded",
        "by",
        f"{CHANGE}max",
        f"{CHANGE}dcg",
    }
)
"""Columns that the table has only for those who choose them."""


class TableChoice(NamedTuple):
    """What the table shows: a formula and further measures, and which average of them."""

    formula: Formula
    measures: tuple[RoundedMeasure, ...] = ()
    average: str = "mean"


def run_columns(
    choice: TableChoice,
    best: Mapping[str, float | None] = NO_BEST,
    baseline: Evaluation | None = None,
    comparison: Callable[[int, str], str] = lambda run_id, measure: "",
) -> list[Column[Evaluation]]:
    """Every column, in its order on the page and in files; `best` is the greatest value of all runs, by key.

    With a `baseline` there are differences from it, of the measures by which runs can be ranked. `comparison` gives the address
    that such a difference leads to.
    """
    formula, cutoff, prefix = choice.formula, choice.formula.cutoff, PREFIX[choice.average]
    column = partial(_value_column, best)
    return [
        Column("run", "", "run__name", label="Run", key="run", numeric=False, template=f"{CELLS}/run.html"),
        Column(value="run_id", json=("id",)),
        *_ndcg_columns(choice, best),
        *(_change_columns(choice, baseline, comparison) if baseline else ()),
        # IDCG-max is one number for all runs, so that DCG has the tint of its share of it.
        column(formula.dcg_measure(), f"{prefix}dcg", f"{prefix}ndcg_max", "dcg", label=f"DCG@{cutoff}"),
        LADDER,
        column(formula.judged_measure(), f"{prefix}judged_at_k", key="judged", label=f"judged@{cutoff}"),
        COVERAGE,
        *_measure_columns(choice, best),
        JUDGED_QUERIES,
        *count_columns(formula),
        HOLES,
        *(Column(f"sum_{part}", value=f"sum_{part}", json=("dcg_points", part)) for part in LOSS_WORDS),
        *ORIGIN,
    ]


def _ndcg_columns(choice: TableChoice, best: Mapping[str, float | None]) -> Iterator[Column[Evaluation]]:
    ndcg, average = f"NDCG@{choice.formula.cutoff}", choice.average
    group = ndcg if average == "mean" else f"{WORDS[average]} of {ndcg}"
    for ideal in IDEALS:
        field = f"{PREFIX[average]}ndcg_{ideal}"
        text, about = choice.formula.measure(ideal), {"label": ideal, "group": group, "term": f"NDCG-{ideal}"}
        yield _value_column(best, text, field, field, ideal, **about)


def _measure_columns(choice: TableChoice, best: Mapping[str, float | None]) -> Iterator[Column[Evaluation]]:
    """The values of the further measures, then over how many queries each is averaged."""
    group = "Further measures" if choice.average == "mean" else WORDS[choice.average]
    for place, measure in enumerate(choice.measures):
        yield _value_column(best, str(measure), f"measure_{place}", group=group)
    for place, measure in enumerate(choice.measures):
        name = f"queries of {measure}" if SKIP in dict(measure.measure.parameters).values() else ""
        yield Column(name, value=f"counted_{place}", json=("measure_queries", str(measure)))


def _change_columns(
    choice: TableChoice, baseline: Evaluation, comparison: Callable[[int, str], str]
) -> Iterator[Column[Evaluation]]:
    formula, prefix = choice.formula, PREFIX[choice.average]
    change = partial(_change_column, baseline, comparison)
    for ideal in ("global", "max"):
        yield change(formula.measure(ideal), f"{prefix}ndcg_{ideal}", ideal, ideal)
    yield change(formula.dcg_measure(), f"{prefix}dcg", "dcg", f"DCG@{formula.cutoff}")
    for place, measure in enumerate(choice.measures):
        yield change(str(measure), f"measure_{place}", str(measure), str(measure))


def _value_column(
    best: Mapping[str, float | None], text: str, field: str, share: str = "", key: str = "", **others: Any
) -> Column[Evaluation]:
    """A measure; the column `share` says which part of the greatest possible value it is."""

    def show(row: Evaluation) -> Value:
        number = getattr(row, field)
        is_best = number is not None and best.get(key) == number
        shown = value(number, share=getattr(row, share) if share else None, best=is_best)
        return if_known(shown, row.is_known or not share)

    return Column(text, "", field, show_row=show, key=key or text, json=("values", text), **others)


def _change_column(
    baseline: Evaluation, comparison: Callable[[int, str], str], text: str, field: str, key: str, label: str
) -> Column[Evaluation]:
    before: float | None = getattr(baseline, field)

    def from_baseline(row: Evaluation) -> float | None:
        now: float | None = getattr(row, field)
        return None if row.pk == baseline.pk or now is None or before is None else now - before

    return Column(
        f"{text} minus baseline",
        f"{text}: the difference from the baseline, {baseline.run}",
        from_baseline,
        difference,
        label=f"Δ {label}",
        group="Against baseline",
        key=f"{CHANGE}{key}",
        field=field,
        json=("minus_baseline", text),
        link=lambda row: "" if from_baseline(row) is None else comparison(row.run_id, key),
        term="baseline of a query set",
    )


def count_columns(formula: Formula) -> list[Column[Evaluation]]:
    """Counts of queries by kind, with their meaning under the policies of this formula."""
    missing = "they are left out" if formula.missing == SKIP else "they count as 0"
    zero = "is left out" if formula.zero == SKIP else f"counts as {formula.zero}"
    return [
        Column(
            name,
            meaning.format(missing=missing, zero=zero),
            field,
            count,
            group="Queries",
            key=field.removesuffix("_queries"),
            json=("counts", field.removesuffix("_queries")),
            term="unjudged query" if field == "unjudged_queries" else "",
        )
        for field, (name, meaning) in COUNTS.items()
    ]


def page_columns(
    columns: Iterable[Column[Evaluation]], rows: Sequence[Evaluation]
) -> list[Column[Evaluation]]:
    """Leaves out counts that say nothing because they're 0, or all."""
    return [column for column in columns if _says_something(column.key, rows)]


def _says_something(key: str, rows: Sequence[Evaluation]) -> bool:
    if key in ("zero_ideal", "ties"):
        return any(getattr(row, key) for row in rows)
    return key != "counted" or any(row.counted != row.judged_queries for row in rows)


def choosable(columns: Iterable[Column[Evaluation]]) -> list[tuple[str, Column[Evaluation]]]:
    """The columns that people choose from, each with the word that an address has for it."""
    return [(column.key or LOSSES, column) for column in columns if column.on_page and column.key != RUN]


def chosen_columns(
    columns: Sequence[Column[Evaluation]], rows: Sequence[Evaluation], chosen: Collection[str]
) -> list[Column[Evaluation]]:
    """The columns of the page: those that were chosen, or without a choice those that say something about these rows.

    Words that are no columns, as in an old link, choose nothing.
    """
    known = {column.key or LOSSES for column in columns}.intersection(chosen)
    if known:
        return [column for column in columns if (column.key or LOSSES) in {RUN, *known}]
    return [column for column in page_columns(columns, rows) if _is_shown_by_default(column.key, rows)]


def _is_shown_by_default(key: str, rows: Sequence[Evaluation]) -> bool:
    if key in ("missing", "empty"):
        return any(getattr(row, key) for row in rows)
    if key == "tags":
        return any(row.run.tags for row in rows)
    return key not in ON_REQUEST


def ladder_of(evaluation: Evaluation) -> list[Segment]:
    """Shares of the total: the sums over the judged queries."""
    return segments(
        evaluation.sum_dcg,
        evaluation.sum_order,
        evaluation.sum_depth,
        evaluation.sum_recall,
        evaluation.sum_content,
    )


LADDER: Final[Column[Any]] = Column(
    label="shares of the total, %",
    group="Where points are lost",
    show_row=ladder_of,
    numeric=False,
    template=f"{CELLS}/ladder.html",
)
ORIGIN: Final[Sequence[Column[Evaluation]]] = (
    Column("tags", "Tags of the run", "run__tags", key="tags", numeric=False, template=f"{CELLS}/tags.html"),
    Column(
        "commit",
        "Commit or version of the system that made the run",
        "run__commit",
        words,
        key="commit",
        numeric=False,
    ),
    Column(
        "link", "A page about the run", "run__link", key="link", numeric=False, template=f"{CELLS}/link.html"
    ),
    Column(
        "notes",
        "Notes about the run",
        "run__notes",
        key="notes",
        numeric=False,
        template=f"{CELLS}/notes.html",
    ),
    Column(
        "uploaded",
        "When the run was uploaded",
        lambda row: row.run.created_at.isoformat(),
        key="uploaded",
        field="run__created_at",
        numeric=False,
        template=f"{CELLS}/uploaded.html",
    ),
    Column(
        label="by",
        meaning="Who uploaded the run",
        show_row=lambda row: words(row.run.uploaded_by.display_name if row.run.uploaded_by else ""),
        key="by",
        field="run__uploaded_by__username",
        numeric=False,
    ),
)
SELECTED: Final[Column[Evaluation]] = Column(
    label="✓",
    meaning="Select runs to compare, tag or delete them",
    numeric=False,
    template=f"{CELLS}/select.html",
)
