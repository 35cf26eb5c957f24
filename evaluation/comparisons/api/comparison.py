"""Runs compared with a baseline: the verdicts in the sentences of the page, and all figures with their bounds."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from evaluation.comparisons.actions.comparing import LaterError
from evaluation.comparisons.actions.comparing_jobs import BeingComparedError
from evaluation.comparisons.actions.comparing_queries import compare_queries
from evaluation.comparisons.forms.comparison import read_runs
from evaluation.comparisons.reports.comparison_files import comparison_json
from evaluation.comparisons.views.compared_queries import (
    Pair,
    candidate_of,
    listed_queries_json,
    places_in_order,
    query_filter_of,
)
from evaluation.comparisons.views.comparison_request import (
    ComparisonRequest,
    comparison_context,
    question_of,
)
from evaluation.models import Run
from evaluation.scores.api import FormulaQuery, read_list
from judgments.pages.calls import ApiRequest, PendingOut, valid
from judgments.pages.problems import Problem
from touchstone_core.comparison.recommendation import recommendation
from touchstone_core.comparison.ruling import Ruling
from touchstone_core.comparison.verdict import measure_text

router = Router()

Rows = list[dict[str, Any]]
CHOOSE = "Choose at least one run to compare with the baseline."


class ComparisonQuery(FormulaQuery):
    runs: str = Field(
        description="The IDs of two to twenty runs, the baseline first, such as 3-5.", examples=["3-5"]
    )
    on: str | None = Field(
        None, description="What they are compared on: an ideal, dcg, or one of the measures."
    )
    confirm: str | None = Field(None, description="1 to compare on the held-out queries, once they are open.")
    intent: str | None = Field(None, description="The ID of an intent, whose queries are told apart.")


class VerdictOut(Schema):
    """`kind` is better, worse, open, unshown or same; `sentence` and `text` are what the page says.

    `p` and the interval decide, adjusted for all runs. `always_valid`: they hold however often people looked. None where
    nothing can be tested, or one run is judged too little to tell.
    """

    run_id: int
    run: str
    kind: str
    sentence: str
    text: str
    p: float | None
    interval_low: float | None
    interval_high: float | None
    always_valid: bool


class ComparisonOut(Schema):
    recommendation: str
    verdicts: list[VerdictOut]
    unknown: list[str] = Field(description="What isn’t known, in sentences.")
    formula_words: str = Field(description="What the formula says.")
    up_to_date: bool = Field(description="False while a worker compares the runs under the present grades.")
    comparison: dict[str, Any] = Field(
        description="All figures, with the names of the JSON file of the report."
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


@router.get(
    "lists/{int:list_pk}/comparison",
    response={200: ComparisonOut, 202: PendingOut},
    summary="Compare runs",
)
def comparison(
    request: ApiRequest, list_pk: int, query: InQuery[ComparisonQuery], response: HttpResponse
) -> Status[dict[str, Any]]:
    """Verdicts, numbers and bounds. 202: a worker is at it. Ask again after `Retry-After`."""
    asked = read_comparison(request, list_pk)
    question = asked.question
    try:
        parts = comparison_context(request, asked, earlier=True)
    except BeingComparedError as error:
        response["Retry-After"] = "3"
        return Status(202, {"state": "running" if error.running else "waiting", "detail": str(error)})
    except LaterError as error:
        response["Retry-After"] = "3"
        return Status(202, {"state": "waiting", "detail": str(error)})
    rows = parts["forest"]["rows"]
    figures = comparison_json(
        parts["comparison"],
        question.formula,
        measure_text(question.formula, question.on),
        parts["result"],
        parts["state"],
        intent_queries=parts["intents"].current,
        held_out=question.confirming,
    )
    answer = {
        "recommendation": recommendation(
            [row["run"].name for row in rows],
            [row["verdict"] for row in rows],
            ranks=parts["comparison"].ranks,
        ),
        "verdicts": [
            {
                "run_id": row["run"].pk,
                "run": row["run"].name,
                "kind": row["verdict"].kind,
                "sentence": row["verdict"].sentence,
                "text": row["verdict"].text,
                **_deciding(verdict.rule),
            }
            for row, verdict in zip(rows, parts["comparison"].verdicts, strict=True)
        ],
        "unknown": list(parts["unknown"]),
        "formula_words": question.formula.words(),
        "up_to_date": not parts["outdated"],
        "comparison": figures,
    }
    return Status(200, answer)


def _deciding(rule: Ruling) -> dict[str, Any]:
    low, high = (rule.interval["low"], rule.interval["high"]) if rule.interval else (None, None)
    return {"p": rule.p, "interval_low": low, "interval_high": high, "always_valid": rule.always_valid}


@router.get(
    "lists/{int:list_pk}/comparison/queries",
    response=ComparedQueriesOut,
    summary="Compare runs query by query",
)
def compared_queries(
    request: ApiRequest, list_pk: int, query: InQuery[ComparedQueriesQuery]
) -> dict[str, Any]:
    """One run beside the baseline, the worst query first, with the names of the JSON file of the page."""
    asked = read_comparison(request, list_pk)
    candidate = candidate_of(request, asked.question.runs)
    compared = compare_queries(
        question=asked.question, candidate=candidate, user=request.user, at=timezone.now()
    )
    pair = Pair(asked, candidate, compared.table, compared.evaluation)
    query_filter, sort = query_filter_of(request, pair)
    places = places_in_order(pair, valid(query_filter), sort)
    content = listed_queries_json(request, pair, places[query.offset : query.offset + query.limit])
    return content | {"listed": len(places)}


def read_comparison(request: ApiRequest, list_pk: int) -> ComparisonRequest:
    """What the call asks to compare."""
    judgment_list, versions, form = read_list(request, list_pk)
    choice = read_runs(request.GET, Run.objects.filter(query_set=judgment_list.query_set_id).order_by("name"))
    if not choice.ready:
        raise Problem(422, choice.problem or CHOOSE, [{"field": "runs", "message": choice.problem or CHOOSE}])
    question = question_of(request, judgment_list, versions, form, choice)
    return ComparisonRequest(judgment_list, versions, form, question)
