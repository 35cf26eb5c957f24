"""The rows of the table of queries of a comparison, and the points of its charts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from django.db.models import Exists, OuterRef, Q

from evaluation.base.reports import query_columns
from evaluation.comparisons.reports.intents import IntentQueries, intended_column
from evaluation.comparisons.reports.query_table import QueryTable
from evaluation.models import IntendedQuery, Run
from judgments.models import Query
from touchstone_core.comparison.page_evidence import STANDINGS, Standing
from touchstone_core.comparison.values import Value, count, difference, if_known, tinted, value
from touchstone_core.formats.columns import Column
from touchstone_core.impact.pages import CHANGES, Change
from touchstone_core.metrics.types import Ints, Mask

MOST_POINTS: Final = 1000
"""A chart of more points takes seconds to draw as SVG, and its bars are thinner than a pixel."""
CEILING: Final = "the most that NDCG-max could move, whatever the grades"
WINS: Final = "who wins in NDCG-max and NDCG-global, whatever grades are missing"
LEAST: Final = "least difference of NDCG-{}, whatever grades are missing"
MOST: Final = "greatest difference of NDCG-{}, whatever grades are missing"
QUERY_CELL: Final = "evaluation/comparisons/cells/compared_query.html"
DIFFERENCE_CELL: Final = "evaluation/comparisons/cells/difference.html"


@dataclass(frozen=True, slots=True)
class QueryRow:
    """`low` and `high` bound the difference of the ideal that `QueryTable.ideal` names, `ceiling` that of NDCG-max; they, `change` and
    `standing` are None where there are no bounds."""

    query: Query
    baseline: float
    candidate: float
    difference: float
    baseline_holes: int
    candidate_holes: int
    baseline_known: bool = True
    candidate_known: bool = True
    change: str | None = None
    ceiling: float | None = None
    standing: str | None = None
    low: float | None = None
    high: float | None = None


def compared_columns(
    baseline: Run,
    candidate: Run,
    on: str,
    *,
    ideal: str,
    bounds: bool,
    shares: bool,
    intent_queries: IntentQueries | None,
) -> Iterator[Column[QueryRow]]:
    """In the order on the page and in files. `on` is what was measured; `shares`: it lies between 0 and 1, so that a tint says
    something. Without `bounds`, which are those of an `ideal`, a page has no column of them, and files leave theirs empty."""
    tint, holes = tinted if shares else value, "unjudged documents on the page of"
    page, missing = "Page", f"NDCG-{ideal}, whatever grades are missing"
    yield from query_columns(QUERY_CELL)
    for name, label, key, run in (
        ("baseline value", "baseline", "baseline", baseline),
        ("run value", "run", "candidate", candidate),
    ):
        show = _of_page(key, tint)
        yield Column(name, f"{on} of {run}", key, None, label, on, key, show_row=show)
    yield Column(
        "difference",
        "",
        "difference",
        None,
        "",
        on,
        "difference",
        template=DIFFERENCE_CELL,
        term="difference of a query",
        show_row=lambda row: if_known(difference(row.difference), row.baseline_known and row.candidate_known),
    )
    of_bounds: list[Column[QueryRow]] = [
        Column("change", "", "change", change_value, "", page, "change", numeric=False),
        Column("NDCG-max ceiling", CEILING, "ceiling", value, "", page, "impact"),
        Column("wins", WINS, "standing", _standing, "", missing, "standing", numeric=False),
        Column(f"NDCG-{ideal} at least", LEAST.format(ideal), "low", difference, "at least", missing, "low"),
        Column(f"NDCG-{ideal} at most", MOST.format(ideal), "high", difference, "at most", missing, "high"),
    ]
    yield from (column if bounds else replace(column, show=None) for column in of_bounds)
    for key, name, run in (("baseline", "baseline", baseline), ("candidate", "run", candidate)):
        field, sort = f"{key}_holes", f"{key}-holes"
        yield Column(f"{name} holes", f"{holes} {run}", field, count, name, "Holes", sort)
        unknown = f"{name} unknown"
        yield Column(unknown, value=_unknown(key), json=(unknown.replace(" ", "_"),))
    yield intended_column(intent_queries)


def _of_page(key: str, tint: Callable[[float], Value]) -> Callable[[QueryRow], Value]:
    return lambda row: if_known(tint(getattr(row, key)), getattr(row, f"{key}_known"))


def _unknown(key: str) -> Callable[[QueryRow], bool]:
    return lambda row: not getattr(row, f"{key}_known")


def change_value(change: str) -> Value:
    return Value(None, change, quiet=change == CHANGES[Change.NONE])


def _standing(standing: str) -> Value:
    decided = standing in (STANDINGS[Standing.BASELINE], STANDINGS[Standing.CANDIDATE])
    return Value(None, standing, best=decided, quiet=not decided)


def filtered_places(table: QueryTable, query_set_id: int, choice: Mapping[str, Any], sort: str) -> Ints:
    """The places of the queries that a filter (q, show, tag, among with intent) keeps, sorted. One query where words, a tag or
    the queries of an intent are sought."""
    mask = table.mask(choice["show"]) & _matches(table, query_set_id, choice)
    order = table.order(sort)
    return order[mask[order]]


def _matches(table: QueryTable, query_set_id: int, choice: Mapping[str, Any]) -> Mask:
    text, tag, among = choice["q"], choice["tag"], choice.get("among")
    if not (text or tag or among):
        return np.ones(len(table.queries), dtype=np.bool_)
    queries = Query.objects.filter(query_set=query_set_id)
    if text:
        queries = queries.filter(Q(text__icontains=text) | Q(external_id__icontains=text))
    if tag:
        queries = queries.filter(tags__contains=[tag])
    if among:
        of = IntendedQuery.objects.filter(
            intent=choice["intent"], intent__query_set=query_set_id, query=OuterRef("pk")
        )
        queries = queries.filter(Exists(of) if among == "intended" else ~Exists(of))
    return np.isin(table.queries, np.fromiter(queries.values_list("pk", flat=True), dtype=np.int64))


def plot_places(table: QueryTable, places: Ints) -> Ints:
    """The places that a chart shows, worst first: those with the greatest difference where there are too many."""
    greatest = np.argsort(-np.abs(table.difference[places]), kind="stable")[:MOST_POINTS]
    largest = places[greatest]
    return largest[np.argsort(table.difference[largest], kind="stable")]


def queries_at(table: QueryTable, places: Sequence[int]) -> dict[int, Query]:
    """The queries at some places, by ID. One query."""
    keys = table.queries[list(places)].tolist()
    return Query.objects.only("text", "external_id", "tags").in_bulk(keys)


def points(table: QueryTable, places: Ints, queries: Mapping[int, Query]) -> list[list[Any]]:
    """What the script of the charts reads: ID, name, baseline, candidate and difference of each query."""
    return [
        [
            query.pk,
            query.text or query.external_id,
            *(round(float(of[place]), 6) for of in (table.baseline, table.candidate, table.difference)),
        ]
        for place in places.tolist()
        if (query := queries.get(int(table.queries[place])))
    ]


def query_rows(table: QueryTable, places: Sequence[int], queries: Mapping[int, Query]) -> list[QueryRow]:
    """The queries at some places; one that was deleted a moment ago is left out."""
    return [
        QueryRow(
            query,
            float(table.baseline[place]),
            float(table.candidate[place]),
            float(table.difference[place]),
            int(table.baseline_holes[place]),
            int(table.candidate_holes[place]),
            bool(table.baseline_known[place]),
            bool(table.candidate_known[place]),
            *(_bounds(table, place) if table.judged else ()),
        )
        for place in places
        if (query := queries.get(int(table.queries[place])))
    ]


def _bounds(table: QueryTable, place: int) -> tuple[str, float, str, float, float]:
    return (
        CHANGES[Change(int(table.change[place]))],
        float(table.ceiling[place]),
        STANDINGS[Standing(int(table.standing[place]))],
        float(table.low[place]),
        float(table.high[place]),
    )
