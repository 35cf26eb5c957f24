"""The rows of the table of queries of a comparison, and the points of its charts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from django.db.models import Exists, OuterRef, Q

from evaluation.base.reports.columns import Column
from evaluation.comparisons.reports.compared_queries import QueryTable
from evaluation.models import IntendedQuery, Run
from judgments.models import Query
from touchstone_core.comparison.comparison import Figures
from touchstone_core.comparison.page_evidence import Change, Standing
from touchstone_core.comparison.values import Value, fixed, signed, value
from touchstone_core.metrics.types import Ints, Mask

MOST_POINTS: Final = 1000
"""A chart of more points takes seconds to draw as SVG, and its bars are thinner than a pixel."""
MOST_LOSSES: Final = 5
CHANGES: Final = {Change.NONE: "same", Change.ORDER: "order", Change.DOCUMENTS: "documents"}
STANDINGS: Final = {
    Standing.BASELINE: "baseline",
    Standing.EVEN: "even",
    Standing.CANDIDATE: "run",
    Standing.OPEN: "open",
}


@dataclass(frozen=True, slots=True)
class QueryRow:
    """`low`, `high` and `ceiling` are differences of NDCG-max; `sign` is that of the difference."""

    query: Query
    baseline: Value
    candidate: Value
    difference: str
    exact: str
    sign: int
    change: str
    standing: str
    low: str
    high: str
    ceiling: str
    baseline_holes: int
    candidate_holes: int


@dataclass(frozen=True, slots=True)
class Loss:
    """A query that a run loses, by how much."""

    query: Query
    difference: str
    exact: str


def worst_losses(runs: Sequence[Run], figures: Figures) -> list[tuple[Run, list[Loss]]]:
    """The queries that each run beside the baseline loses most on, by stored figures. One query."""
    told = figures["comparisons"]
    wanted = {key for one in told for key in one["worst_queries"][:MOST_LOSSES]}
    queries = Query.objects.only("text", "external_id").in_bulk(wanted)
    found = [
        (
            run,
            [
                Loss(queries[key], signed(loss["difference"]), repr(loss["difference"]))
                for key, loss in list(zip(one["worst_queries"], one["robust"]["worst"], strict=True))[
                    :MOST_LOSSES
                ]
                if key in queries
            ],
        )
        for run, one in zip(runs[1:], told, strict=True)
    ]
    return [(run, losses) for run, losses in found if losses]


def columns(table: QueryTable, baseline: Run, candidate: Run, measure: str) -> list[Column]:
    """The sortable columns after the query's name."""
    found = [
        Column("baseline", "baseline", f"{measure} of {baseline}", "", group_start=True),
        Column("candidate", "run", f"{measure} of {candidate}", ""),
        Column("difference", "difference", "run minus baseline", ""),
    ]
    if table.judged:
        found += [
            Column("change", "change", "how the page differs", "", numeric=False, group_start=True),
            Column(
                "impact", "NDCG-max ceiling", "the most that NDCG-max could move, whatever the grades", ""
            ),
            Column(
                "standing",
                "wins",
                "who wins in NDCG-max, whatever grades are missing",
                "",
                numeric=False,
                group_start=True,
            ),
            Column("low", "at least", "least difference of NDCG-max, whatever grades are missing", ""),
            Column("high", "at most", "greatest difference of NDCG-max, whatever grades are missing", ""),
        ]
    return [
        *found,
        Column(
            "baseline-holes",
            "baseline",
            f"unjudged documents on the page of {baseline}",
            "",
            group_start=True,
        ),
        Column("candidate-holes", "run", f"unjudged documents on the page of {candidate}", ""),
    ]


def listed(table: QueryTable, query_set_id: int, chosen: Mapping[str, Any], sort: str) -> Ints:
    """The places of the queries that a filter (q, show, tag, among with intent) keeps, sorted. One query where words, a tag or
    the queries of an intent are sought."""
    kept = table.shown(chosen["show"]) & _found(table, query_set_id, chosen)
    order = table.order(sort)
    return order[kept[order]]


def _found(table: QueryTable, query_set_id: int, chosen: Mapping[str, Any]) -> Mask:
    text, tag, among = chosen["q"], chosen["tag"], chosen.get("among")
    if not (text or tag or among):
        return np.ones(len(table.queries), dtype=np.bool_)
    found = Query.objects.filter(query_set=query_set_id)
    if text:
        found = found.filter(Q(text__icontains=text) | Q(external_id__icontains=text))
    if tag:
        found = found.filter(tags__contains=[tag])
    if among:
        of = IntendedQuery.objects.filter(
            intent=chosen["intent"], intent__query_set=query_set_id, query=OuterRef("pk")
        )
        found = found.filter(Exists(of) if among == "intended" else ~Exists(of))
    return np.isin(table.queries, np.fromiter(found.values_list("pk", flat=True), dtype=np.int64))


def plotted(table: QueryTable, places: Ints) -> Ints:
    """The places that a chart shows, worst first: those with the greatest difference where there are too many."""
    greatest = np.argsort(-np.abs(table.difference[places]), kind="stable")[:MOST_POINTS]
    chosen = places[greatest]
    return chosen[np.argsort(table.difference[chosen], kind="stable")]


def named(table: QueryTable, places: Sequence[int]) -> dict[int, Query]:
    """The queries at some places, by id. One query."""
    wanted = table.queries[list(places)].tolist()
    return Query.objects.only("text", "external_id", "tags").in_bulk(wanted)


def points(table: QueryTable, places: Ints, queries: Mapping[int, Query]) -> list[list[Any]]:
    """What the script of the charts reads: id, name, baseline, candidate and difference of each query."""
    return [
        [
            query.pk,
            query.text or query.external_id,
            *(round(float(of[place]), 6) for of in (table.baseline, table.candidate, table.difference)),
        ]
        for place in places.tolist()
        if (query := queries.get(int(table.queries[place])))
    ]


def query_rows(
    table: QueryTable, places: Sequence[int], queries: Mapping[int, Query], *, shares: bool
) -> list[QueryRow]:
    """`shares`: the values lie between 0 and 1, so that a tint says something."""
    return [
        _row(table, place, query, shares=shares)
        for place in places
        if (query := queries.get(int(table.queries[place])))  # else it was deleted a moment ago
    ]


def _row(table: QueryTable, place: int, query: Query, *, shares: bool) -> QueryRow:
    old, new = float(table.baseline[place]), float(table.candidate[place])
    difference = float(table.difference[place])
    return QueryRow(
        query=query,
        baseline=value(old, share=old if shares else None),
        candidate=value(new, share=new if shares else None),
        difference=signed(difference) if difference else fixed(0.0),
        exact=repr(difference),
        sign=int(np.sign(difference)),
        change=CHANGES[Change(int(table.change[place]))],
        standing=STANDINGS[Standing(int(table.standing[place]))],
        low=signed(float(table.low[place])),
        high=signed(float(table.high[place])),
        ceiling=fixed(float(table.ceiling[place])),
        baseline_holes=int(table.baseline_holes[place]),
        candidate_holes=int(table.candidate_holes[place]),
    )
