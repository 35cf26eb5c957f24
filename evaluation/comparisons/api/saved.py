"""Comparisons that a query set keeps by name."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from evaluation.comparisons.actions import comparisons as actions
from evaluation.comparisons.actions.comparing_jobs import answer_or_ask
from evaluation.comparisons.api.comparison import ComparisonQuery, read_comparison
from evaluation.comparisons.forms.settings import SavedComparisonForm
from evaluation.comparisons.reports.saved_comparisons import (
    SavedComparison,
    saved_comparisons,
)
from evaluation.comparisons.views.comparison_request import saved_address
from evaluation.comparisons.views.saved_comparisons import NOT_KEPT, saved_question, visible_comparison
from judgments.content.reports.content import mark_of_facts
from judgments.pages.calls import ApiRequest, Body, changes_of, form_data, valid
from judgments.pages.fetching import staffed_query_set
from judgments.pages.problems import Problem

router = Router()


class SavedComparisonIn(Body):
    name: str
    notes: str = Field("", description="What was changed, and what was decided.")


class SavedComparisonChange(Body):
    """What isn’t named stays."""

    name: str | None = None
    notes: str | None = None


class Headline(Schema):
    run: str
    verdict: str


class SavedComparisonOut(Schema):
    """`verdicts` are what it said when it was saved or renewed; `outdated`: it may say something else today. `runs` has null
    for one that was deleted, the baseline first. `page` is its address for people."""

    id: int
    list_id: int
    version: int | None
    name: str
    notes: str
    formula: str
    measure: str
    runs: list[int | None]
    verdicts: list[Headline]
    outdated: bool
    page: str
    created_at: datetime


class SavedComparisonsOut(Schema):
    items: list[SavedComparisonOut]


@router.get("query-sets/{int:pk}/comparisons", response=SavedComparisonsOut, summary="List saved comparisons")
def comparisons(request: ApiRequest, pk: int) -> dict[str, Any]:
    """By name."""
    query_set = staffed_query_set(request, pk)
    return {"items": [_comparison(request, record) for record in saved_comparisons(query_set)]}


@router.post(
    "lists/{int:list_pk}/comparisons", response={201: SavedComparisonOut}, summary="Save a comparison"
)
def save_comparison(
    request: ApiRequest, list_pk: int, query: InQuery[ComparisonQuery], body: SavedComparisonIn
) -> Status[dict[str, Any]]:
    """The parameters are those of a comparison. Read it before, until it doesn’t answer 202 any more."""
    question = read_comparison(request, list_pk).question
    if question.confirming:
        raise Problem(422, NOT_KEPT, [{"field": "confirm", "message": NOT_KEPT}])
    named = valid(SavedComparisonForm(form_data(body.dict()))).cleaned_data
    answer = answer_or_ask(question=question, user=request.user, at=timezone.now())
    saved = actions.save_comparison(
        question=question, answer=answer, **named, user=request.user, at=timezone.now()
    )
    return Status(201, _comparison(request, visible_comparison(request, saved.pk)))


@router.get("comparisons/{int:pk}", response=SavedComparisonOut, summary="Read a saved comparison")
def read_saved_comparison(request: ApiRequest, pk: int) -> dict[str, Any]:
    return _comparison(request, visible_comparison(request, pk))


@router.patch("comparisons/{int:pk}", response=SavedComparisonOut, summary="Change the name or the notes")
def change_comparison(request: ApiRequest, pk: int, body: SavedComparisonChange) -> dict[str, Any]:
    saved = visible_comparison(request, pk).comparison
    before = actions.comparison_details(saved)
    named = valid(SavedComparisonForm(form_data(before | changes_of(body)))).cleaned_data
    actions.change_comparison(saved=saved, **named, at=timezone.now(), seen_mark=mark_of_facts(before))
    return _comparison(request, visible_comparison(request, pk))


@router.post("comparisons/{int:pk}/renew", response=SavedComparisonOut, summary="Renew a saved comparison")
def renew_comparison(request: ApiRequest, pk: int) -> dict[str, Any]:
    """Says what it comes to now. What it said before is kept. Nothing happens where nothing has changed."""
    record = visible_comparison(request, pk)
    if record.renewable:
        question = saved_question(record)
        answer = answer_or_ask(question=question, user=request.user, at=timezone.now())
        actions.renew_comparison(saved=record.comparison, question=question, answer=answer, at=timezone.now())
    return _comparison(request, visible_comparison(request, pk))


@router.delete("comparisons/{int:pk}", response={204: None}, summary="Delete a saved comparison")
def delete_comparison(request: ApiRequest, pk: int) -> Status[None]:
    """Its runs and grades stay."""
    actions.delete_comparison(saved=visible_comparison(request, pk).comparison)
    return Status(204, None)


def _comparison(request: ApiRequest, record: SavedComparison) -> dict[str, Any]:
    saved = record.comparison
    return {
        "id": saved.pk,
        "list_id": saved.judgment_list_id,
        "version": saved.version.number if saved.version else None,
        "name": saved.name,
        "notes": saved.notes,
        "formula": saved.formula,
        "measure": saved.measure,
        "runs": [key for key, _ in record.keys_and_names],
        "verdicts": [{"run": run, "verdict": verdict} for run, verdict in record.headlines],
        "outdated": record.outdated,
        "page": request.build_absolute_uri(saved_address(record)),
        "created_at": saved.created_at,
    }
