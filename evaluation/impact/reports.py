"""What changed between runs before anybody judges: over every query that one of them answers, without a list or a grade."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from django.db.models import Exists, OuterRef
from django.urls import reverse

from evaluation.base.errors import EvaluationError
from evaluation.base.reports import query_columns
from evaluation.comparisons.reports.comparison_parts import THIRD_WORDS
from evaluation.comparisons.reports.intents import IntentQueries, intended_column, intent_json, intent_page
from evaluation.comparisons.reports.query_rows import change_value
from evaluation.comparisons.sql import read_pages
from evaluation.models import Ranking, Run
from judgments.models import JudgmentList, ListQuery, Query, QuerySet, User
from touchstone_core.comparison.comparison_cells import PAGE_CHANGES
from touchstone_core.comparison.segments import parts
from touchstone_core.comparison.values import Value, count, value, words
from touchstone_core.comparison.verdict import Figures, impact_words
from touchstone_core.formats.columns import Column, PageTable, csv_rows, json_records, of, page_table
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.impact.intent import IntentCounts, count_intent
from touchstone_core.impact.pages import CHANGES, Change, Impact, impact
from touchstone_core.impact.rbo import persistence
from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.moves import number_documents
from touchstone_core.metrics.types import Floats, Ints
from touchstone_core.words import counted

DISCOUNT: Final = "log2"
NOWHERE: Final[Mapping[int, int]] = MappingProxyType({})
MOST_PAGES: Final = 100_000
MOST_DOCUMENTS: Final = 2_000_000
"""So many documents on the pages of so many queries take about a second and a half of processor time, and 200 MB."""


class TooManyPagesError(EvaluationError):
    """More queries times runs, or documents on their pages, than a request should read."""

    def __init__(self, queries: int, runs: int, cutoff: int) -> None:
        super().__init__(
            f"{counted(queries, 'query', 'queries')} × {runs} runs are {queries * runs:,} pages with up to "
            f"{queries * runs * cutoff:,} documents. At most {MOST_PAGES:,} pages with {MOST_DOCUMENTS:,} documents are "
            f"compared at once: choose fewer runs or a smaller cutoff."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Impacts:
    """Runs, the baseline first, by the first `cutoff` documents of Q queries; a query that a run does not answer is an
    empty page. `impacts` are of each run but the first."""

    runs: tuple[Run, ...]
    cutoff: int
    queries: Ints  # (Q,) IDs, ascending
    weights: Floats  # (Q,)
    tags: list[list[str]]
    answered: list[int]
    impacts: tuple[Impact, ...]

    @property
    def persistence(self) -> float:
        """The p of RBO."""
        return persistence(self.cutoff)

    def order(self, place: int) -> Ints:
        """(Q,) the queries by the ceiling of a run, the greatest first; equal ones by their IDs."""
        return np.argsort(-self.impacts[place - 1].ceiling, kind="stable")


@dataclass(frozen=True, slots=True)
class ImpactRow:
    """One run beside the baseline."""

    run: Run
    figures: Figures
    words: str


@dataclass(frozen=True, slots=True)
class PartRow:
    """A tag, or a third of the traffic, with what changed there in one run."""

    name: str
    words: str
    queries: int
    run: Run
    figures: Figures


@dataclass(frozen=True, slots=True)
class QueryImpact:
    """One query of one run beside the baseline; `address` of both rankings, empty where no list of the reader has grades
    and the query."""

    query: Query
    change: str
    first: bool
    overlap: float
    rbo: float
    ceiling: float
    address: str = ""


def impacts(query_set: QuerySet, runs: Sequence[Run], cutoff: int) -> Impacts | None:
    """None where no run answers anything. Two statements, none for runs that are too large by themselves.

    Raises TooManyPagesError.
    """
    _refuse(max(run.query_count for run in runs), len(runs), cutoff)
    answers = Ranking.objects.filter(query_set=query_set, query=OuterRef("pk"), run__in=runs)
    queries = Query.objects.filter(Exists(answers), query_set=query_set).order_by("pk")
    rows = list(queries.values_list("pk", "weight", "tags"))
    if not rows:
        return None
    _refuse(len(rows), len(runs), cutoff)
    keys, weights, tags = (list(column) for column in zip(*rows, strict=True))
    document = number_documents(read_pages(query_set.pk, [run.pk for run in runs], keys, cutoff), cutoff)
    discount = discounts(DISCOUNT, cutoff)
    return Impacts(
        runs=tuple(runs),
        cutoff=cutoff,
        queries=np.array(keys),
        weights=np.array(weights),
        tags=tags,
        answered=[int(answered) for answered in (document[:, :, 0] >= 0).sum(axis=1)],
        impacts=tuple(impact(document[0], candidate, discount) for candidate in document[1:]),
    )


def _refuse(queries: int, runs: int, cutoff: int) -> None:
    if queries * runs > MOST_PAGES or queries * runs * cutoff > MOST_DOCUMENTS:
        raise TooManyPagesError(queries, runs, cutoff)


def impact_rows(impacts: Impacts) -> list[ImpactRow]:
    every = [one.impact() for one in impacts.impacts]
    return [
        ImpactRow(run, figures, impact_words(figures, len(impacts.queries)))
        for run, figures in zip(impacts.runs[1:], every, strict=True)
    ]


def missing_answers(impacts: Impacts) -> list[str]:
    """A sentence for each run that leaves queries out."""
    every = len(impacts.queries)
    return [
        f"{run} answers {answered:,} of {counted(every, 'query', 'queries')}; the others count as empty pages."
        for run, answered in zip(impacts.runs, impacts.answered, strict=True)
        if answered < every
    ]


def part_rows(impacts: Impacts) -> list[tuple[str, list[PartRow]]]:
    """By kind, tag or traffic; a kind without parts is left out."""
    rows: dict[str, list[PartRow]] = {}
    tags = zip(impacts.queries.tolist(), impacts.tags, strict=True)
    for kind, name, mask in parts(impacts.queries, impacts.weights, tags):
        words = THIRD_WORDS[name] if kind == "traffic" else ""
        rows.setdefault(kind, []).extend(
            PartRow(name, words, int(mask.sum()), run, one.of(mask).impact())
            for run, one in zip(impacts.runs[1:], impacts.impacts, strict=True)
        )
    return list(rows.items())


def query_impacts(
    impacts: Impacts,
    place: int,
    places: Sequence[int],
    queries: Mapping[int, Query],
    lists: Mapping[int, int] = NOWHERE,
) -> list[QueryImpact]:
    """Of the run at `place`, the queries at `places`; `lists` is where the rankings of a query are seen."""
    change = impacts.impacts[place - 1]
    pair = f"{impacts.runs[0].pk}-{impacts.runs[place].pk}"
    return [
        QueryImpact(
            query,
            CHANGES[Change(int(change.change[at]))],
            bool(change.first[at]),
            float(change.overlap[at]),
            float(change.rbo[at]),
            float(change.ceiling[at]),
            ""
            if (list_key := lists.get(query.pk)) is None
            else reverse(
                "compared-query", args=[list_key, query.pk], query={"runs": pair, "k": impacts.cutoff}
            ),
        )
        for at in places
        if (query := queries.get(int(impacts.queries[at])))  # else it was deleted a moment ago
    ]


def queries_at(impacts: Impacts, places: Sequence[int]) -> dict[int, Query]:
    """The queries at some places, by ID. One statement."""
    keys = impacts.queries[list(places)].tolist()
    return Query.objects.only("text", "external_id", "tags", "weight").in_bulk(keys)


def lists_with(user: User, query_set: QuerySet, queries: Sequence[int]) -> dict[int, int]:
    """By query, the first list that has it, of those with grades: elsewhere no page of two rankings is there. One statement."""
    with_grades = ListQuery.objects.filter(judgment_list=OuterRef("pk"), graded_count__gt=0)
    lists = JudgmentList.objects.visible_to(user).filter(Exists(with_grades), query_set=query_set)
    rows = ListQuery.objects.filter(query__in=queries, judgment_list__in=lists)
    return dict(rows.order_by("-judgment_list_id").values_list("query", "judgment_list"))


def impact_intent(intent_queries: IntentQueries, impacts: Impacts) -> dict[str, Any]:
    """By changed pages alone."""
    return intent_page(intent_queries, impacts.runs, impact_counts(intent_queries, impacts), ranks=True)


def impact_counts(intent_queries: IntentQueries, impacts: Impacts) -> list[IntentCounts]:
    """Of each run but the first."""
    mask = intent_queries.of(impacts.queries)
    return [count_intent(mask, changed=one.change != Change.NONE) for one in impacts.impacts]


QUERY_CELL: Final = "evaluation/impact/cells/impact_query.html"
FIRST: Final = "another document at rank 1"
CEILING: Final = "the most that NDCG-max of the query could move, whatever grades"


def run_columns(queries: int) -> list[Column[ImpactRow]]:
    """Of the table of runs; `queries` are compared."""
    return [
        Column("Run", numeric=False, template="evaluation/impact/cells/impact_run.html"),
        Column("queries", show_row=lambda row: count(queries)),
        *of(attrgetter("figures"), PAGE_CHANGES),
    ]


def part_tables(parts: Iterable[tuple[str, list[PartRow]]]) -> list[tuple[str, PageTable]]:
    """By kind, tag or traffic."""
    changes = [replace(column, group="") for column in PAGE_CHANGES]
    columns: list[Column[PartRow]] = [
        Column("Run", "", "run__name", words, numeric=False),
        Column("queries", "", "queries", count),
        *of(attrgetter("figures"), changes),
    ]

    def name(kind: str) -> Column[PartRow]:
        return Column(kind.capitalize(), numeric=False, template="evaluation/impact/cells/part.html")

    return [(kind, page_table([name(kind), *columns], rows)) for kind, rows in parts]


def impact_columns(intent_queries: IntentQueries | None = None) -> Iterator[Column[QueryImpact]]:
    """Of the table of queries, in the order on the page and in files."""
    yield from query_columns(QUERY_CELL)
    yield Column("weight", "", "query__weight")
    yield Column("change", "", "change", change_value, numeric=False)
    yield Column("changed at rank 1", FIRST, "first", _first, "at rank 1", numeric=False)
    yield Column("overlap", "", "overlap", value, term="overlap of pages")
    yield Column("RBO", "", "rbo", value)
    yield Column("NDCG-max ceiling", CEILING, "ceiling", value)
    yield Column("intent", "", lambda row: intent_queries.intent.name if intent_queries else None, json=None)
    yield intended_column(intent_queries)


def _first(first: bool) -> Value:
    return change_value("changed" if first else CHANGES[Change.NONE])


def impact_csv(
    impacts: Impacts, place: int, queries: Mapping[int, Query], intent_queries: IntentQueries | None
) -> Iterator[list[Cell]]:
    """A row for each query, the greatest ceiling first; whether it is intended is empty without an intent."""
    before: dict[str, Cell] = {
        "run": impacts.runs[place].name,
        "baseline": impacts.runs[0].name,
        "cutoff": impacts.cutoff,
        "discount": DISCOUNT,
        "p of RBO": impacts.persistence,
    }
    return csv_rows(impact_columns(intent_queries), _rows(impacts, place, queries), before=before)


def impact_json(
    query_set: QuerySet,
    impacts: Impacts,
    place: int,
    queries: Mapping[int, Query],
    intent_queries: IntentQueries | None,
) -> dict[str, Any]:
    """The same, with the counts and means over the queries."""
    baseline, run = impacts.runs[0], impacts.runs[place]
    return {
        "query_set": query_set.name,
        "baseline": {"id": baseline.pk, "name": baseline.name, "answered": impacts.answered[0]},
        "run": {"id": run.pk, "name": run.name, "answered": impacts.answered[place]},
        "cutoff": impacts.cutoff,
        "discount": DISCOUNT,
        "rbo_p": impacts.persistence,
        "compared": len(impacts.queries),
        "figures": impacts.impacts[place - 1].impact(),
        "intent": intent_json(intent_queries, [impact_counts(intent_queries, impacts)[place - 1]])
        if intent_queries
        else None,
        "queries": list(json_records(impact_columns(intent_queries), _rows(impacts, place, queries))),
    }


def _rows(impacts: Impacts, place: int, queries: Mapping[int, Query]) -> list[QueryImpact]:
    return query_impacts(impacts, place, impacts.order(place).tolist(), queries)
