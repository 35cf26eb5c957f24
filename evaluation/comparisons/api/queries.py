"""One run beside the baseline, query by query, and one query with both rankings."""

from typing import Any

from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from evaluation.comparisons.actions.comparing_queries import compare_queries
from evaluation.comparisons.api.comparison import ComparisonQuery, read_comparison
from evaluation.comparisons.reports.query_files import two_rankings_json
from evaluation.comparisons.views.compared_queries import (
    Pair,
    candidate_of,
    is_closed,
    listed_queries_json,
    places_in_order,
    query_and_rankings,
    query_filter_of,
    rankings_beside,
    row_of,
    state_of,
)
from judgments.pages.calls import ApiRequest, PendingOut, valid
from judgments.pages.problems import Problem
from touchstone_core.comparison.verdict import measure_text
from touchstone_core.formats.columns import json_records

router = Router()

Rows = list[dict[str, Any]]
HELD_OUT = (
    "This query is held out: it counts in no comparison, and how the runs rank it is not shown before somebody opens the "
    "held-out queries."
)


class ComparedQueriesQuery(ComparisonQuery):
    run: str | None = Field(None, description="The ID of the run beside the baseline. If empty: the first.")
    q: str = Field("", description="Words of the query, or its ID.")
    show: str = Field("", description="A kind of queries, as the addresses of the page name it.")
    tag: str = ""
    sort: str = Field("", description="A column, as the addresses of the page name it.")
    offset: int = Field(0, ge=0, le=10**7)
    limit: int = Field(100, ge=1, le=1000)


class RunName(Schema):
    id: int
    name: str


class ComparedQueriesOut(Schema):
    """`listed` says how many queries match, of those that are compared."""

    list: dict[str, Any]
    formula: str
    measure: str
    baseline: RunName
    run: RunName
    intent: str | None
    on_held_out_queries: bool
    listed: int
    compared: int
    queries: Rows


class ComparedQueryQuery(ComparisonQuery):
    run: str | None = Field(None, description="The ID of the run beside the baseline. If empty: the first.")


class MeasureOut(Schema):
    measure: str
    baseline: float | None
    run: float | None
    difference: float | None


class ResultOut(Schema):
    """A result within the cutoff. `move` is same, up, down, new or lost. Rank null: not retrieved. `change_of_dcg` is what the
    document's move from the baseline to the run changes."""

    rank: int
    document: str
    title: str | None
    grade: float | None
    label: str
    how: str = Field(description="The judgments behind the grade.")
    gain: float
    discount: float
    contribution: float
    move: str
    baseline_rank: int | None
    run_rank: int | None
    change_of_dcg: float | None


class RankingOut(Schema):
    """One run's results, and what explains its losses. `unknown`: no result is judged, so that its values say little."""

    answered: bool
    unknown: bool
    retrieved: int
    unjudged: int
    lost: dict[str, float]
    results: list[ResultOut]
    best_swap: dict[str, Any] | None = Field(
        description="The two ranks that gain the most DCG if they change places."
    )
    below_the_cutoff: Rows
    never_retrieved: Rows = Field(description="Not within the recall depth, if the formula has one.")
    lower_than_the_top_grade: int = Field(description="Ranks of the best page with a lower grade.")
    too_few_judged: int = Field(description="Ranks of the best page for which no document is judged.")


Measures = list[MeasureOut]


class ComparedQueryOut(Schema):
    """`compared` is the query’s row among the compared queries; null if the runs aren’t compared on it. `moved` counts documents."""

    list: dict[str, Any]
    formula: str
    formula_words: str
    measure: str
    baseline: RunName
    run: RunName
    on_held_out_queries: bool
    query: dict[str, str]
    compared: dict[str, Any] | None
    moved: dict[str, int]
    values: Measures
    baseline_ranking: RankingOut
    run_ranking: RankingOut


@router.get(
    "lists/{int:list_pk}/comparison/queries",
    response={200: ComparedQueriesOut, 202: PendingOut},
    summary="Compare runs query by query",
)
def compared_queries(
    request: ApiRequest, list_pk: int, query: InQuery[ComparedQueriesQuery]
) -> dict[str, Any]:
    """One run beside the baseline, the worst query first, with the names of the JSON file of the page. 202: ask again."""
    pair = _read(request, list_pk)
    query_filter, sort = query_filter_of(request, pair)
    places = places_in_order(pair, valid(query_filter), sort)
    content = listed_queries_json(request, pair, places[query.offset : query.offset + query.limit])
    return content | {"listed": len(places)}


@router.get(
    "lists/{int:list_pk}/comparison/queries/{int:query_pk}",
    response={200: ComparedQueryOut, 202: PendingOut},
    summary="Compare two runs on one query",
)
def compared_query(
    request: ApiRequest,
    list_pk: int,
    query_pk: int,
    query: InQuery[ComparedQueryQuery],
) -> dict[str, Any]:
    """Both rankings side by side with grades and gains, what each move changes, and what explains each run’s losses. 202: ask again."""
    pair = _read(request, list_pk)
    question, (row, rankings) = pair.question, query_and_rankings(pair, query_pk)
    if is_closed(pair, row):
        raise Problem(422, HELD_OUT)
    compared = row_of(pair, row)
    return {
        "list": state_of(pair).as_json,
        "formula": question.formula.key,
        "formula_words": question.formula.words(),
        "measure": measure_text(question.formula, question.on),
        "baseline": pair.baseline,
        "run": pair.candidate,
        "on_held_out_queries": question.confirming,
        "query": {"id": row.external_id, "text": row.text, "information_need": row.information_need},
        "compared": next(json_records(pair.columns(), [compared])) if compared else None,
        **two_rankings_json(rankings_beside(pair, row, rankings, compared)),
    }


def _read(request: ApiRequest, list_pk: int) -> Pair:
    asked = read_comparison(request, list_pk)
    candidate = candidate_of(request, asked.question.runs)
    compared = compare_queries(
        question=asked.question, candidate=candidate, user=request.user, at=timezone.now()
    )
    return Pair(asked, candidate, compared.table, compared.evaluation)
