"""How runs of a query set are compared: intended queries, and queries that are held out."""

from datetime import datetime
from typing import Any

from django.db.models import Count
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from evaluation.comparisons.actions import intents as actions
from evaluation.comparisons.actions.comparing import settings_of
from evaluation.comparisons.actions.held_out import change_comparing, open_held_out
from evaluation.comparisons.api.comparison import ComparisonQuery, read_comparison
from evaluation.comparisons.forms.intents import IntentForm
from evaluation.comparisons.forms.settings import ComparingForm
from evaluation.comparisons.reports import held_out
from evaluation.comparisons.views.intents import visible_intent
from evaluation.models import Comparing, Intent
from judgments.content.reports.content import mark_of_facts
from judgments.models import QuerySet
from judgments.pages.calls import (
    ApiRequest,
    Body,
    Page,
    PageQuery,
    changes_of,
    form_data,
    page_of,
    valid,
)
from judgments.pages.fetching import staffed_query_set

router = Router()


class IntentIn(Body):
    """The queries with one of the tags, and those that are named beside them."""

    name: str
    tags: list[str] = []
    queries: list[str] = Field([], description="IDs or texts of queries.")


class IntentChange(Body):
    """What isn’t named stays. Tags and queries replace the queries together."""

    name: str | None = None
    tags: list[str] | None = None
    queries: list[str] | None = None


class IntentOut(Schema):
    id: int
    name: str
    queries: int
    chosen_at: datetime


class IntentQueriesOut(IntentOut):
    query_ids: list[str]


class ComparingValues(Body):
    held_out: str = Field(
        "", description="Queries with this tag count in no comparison until somebody opens them."
    )
    drawn: Comparing.Drawn = Field(Comparing.Drawn.UNKNOWN, description="How the queries were drawn.")


class OpeningOut(Schema):
    """Who opened the held-out queries, for which runs, the baseline first."""

    at: datetime
    who: str
    runs: list[str]
    measure: str
    tag: str


class ComparingOut(ComparingValues):
    """The latest openings, the newest first."""

    openings: list[OpeningOut]


class OpenedOut(Schema):
    """The comparison can now be read with `confirm=1`."""

    opened: bool


@router.get("query-sets/{int:pk}/intents", response=Page[IntentOut], summary="List intended queries")
def intents(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    """The queries that a change is meant to touch, by name."""
    query_set = staffed_query_set(request, pk)
    every = Intent.objects.filter(query_set=query_set).annotate(queries=Count("intended"))
    rows, following = page_of(request, every, page)
    return {"items": rows, "next": following}


@router.post("query-sets/{int:pk}/intents", response={201: IntentQueriesOut}, summary="Name intended queries")
def save_intent(request: ApiRequest, pk: int, body: IntentIn) -> Status[dict[str, Any]]:
    query_set = staffed_query_set(request, pk)
    form = _form(query_set, body.name, body.tags, body.queries)
    intent = actions.save_intent(
        query_set=query_set,
        name=form.cleaned_data["name"],
        queries=form.chosen,
        user=request.user,
        at=timezone.now(),
    )
    return Status(201, _intent(request, intent.pk))


@router.get("intents/{int:pk}", response=IntentQueriesOut, summary="Read intended queries")
def intent(request: ApiRequest, pk: int) -> dict[str, Any]:
    return _intent(request, pk)


@router.patch("intents/{int:pk}", response=IntentQueriesOut, summary="Change intended queries")
def change_intent(request: ApiRequest, pk: int, body: IntentChange) -> dict[str, Any]:
    row, changes = visible_intent(request, pk), changes_of(body)
    before = actions.intent_details(row)
    kept = [] if changes.keys() & {"tags", "queries"} else before["queries"]
    named = changes.get("queries", kept)
    form = _form(row.query_set, changes.get("name", row.name), changes.get("tags", []), named)
    actions.change_intent(
        intent=row,
        name=form.cleaned_data["name"],
        queries=form.chosen,
        at=timezone.now(),
        seen_mark=mark_of_facts(before),
    )
    return _intent(request, pk)


@router.delete("intents/{int:pk}", response={204: None}, summary="Delete intended queries")
def delete_intent(request: ApiRequest, pk: int) -> Status[None]:
    """Only the name goes. The queries and runs stay."""
    actions.delete_intent(intent=visible_intent(request, pk))
    return Status(204, None)


@router.get("query-sets/{int:pk}/comparing", response=ComparingOut, summary="Read how runs are compared")
def comparing(request: ApiRequest, pk: int) -> dict[str, Any]:
    return _comparing(settings_of(staffed_query_set(request, pk)))


@router.put("query-sets/{int:pk}/comparing", response=ComparingOut, summary="Change how runs are compared")
def change_how_compared(request: ApiRequest, pk: int, body: ComparingValues) -> dict[str, Any]:
    """With another tag, the held-out queries are closed again to everybody."""
    query_set = staffed_query_set(request, pk)
    form = valid(ComparingForm(form_data(body.dict()), instance=settings_of(query_set)))
    return _comparing(change_comparing(query_set=query_set, **form.cleaned_data))


@router.post("lists/{int:list_pk}/comparison/open", response=OpenedOut, summary="Open the held-out queries")
def open_queries(request: ApiRequest, list_pk: int, query: InQuery[ComparisonQuery]) -> dict[str, bool]:
    """For these runs and this measure, which `confirm=1` confirms. The log says who opened them."""
    question = read_comparison(request, list_pk).question
    if question.confirming:
        open_held_out(question=question, user=request.user, at=timezone.now())
    return {"opened": question.confirming}


def _comparing(settings: Comparing) -> dict[str, Any]:
    openings = [
        {"at": act.at, "who": act.by_name} | {name: act.after[name] for name in ("runs", "measure", "tag")}
        for act in held_out.openings(settings.query_set)
    ]
    return {"held_out": settings.held_out, "drawn": settings.drawn, "openings": openings}


def _form(query_set: QuerySet, name: str, tags: list[str], queries: list[str]) -> IntentForm:
    values = {"name": name, "tags": ", ".join(tags), "queries": "\n".join(queries)}
    return valid(IntentForm(form_data(values), query_set=query_set))


def _intent(request: ApiRequest, pk: int) -> dict[str, Any]:
    row = visible_intent(request, pk)
    ids = actions.intent_details(row)["queries"]
    named = {name: getattr(row, name) for name in ("id", "name", "chosen_at")}
    return named | {"queries": len(ids), "query_ids": ids}
