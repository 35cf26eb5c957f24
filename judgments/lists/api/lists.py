"""Judgment lists: their settings, and pausing."""

from functools import partial
from typing import Any, Literal

from django.http import HttpResponse
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.content.actions.deletion_jobs import delete_list_or_ask
from judgments.content.api.content import DeleteQuery
from judgments.content.reports.content import mark_of_facts
from judgments.lists.actions import lists as actions
from judgments.lists.forms.lists import ListForm, PauseForm
from judgments.lists.presets import LIST_PRESETS, QUICK
from judgments.models import AssignmentMode, Evidence, JudgmentList, Scale, View
from judgments.pages.calls import (
    ApiRequest,
    Body,
    Page,
    PageQuery,
    changes_of,
    filled_in,
    form_data,
    page_answer,
    valid,
)
from judgments.pages.fetching import (
    administered_list,
    administered_query_set,
    staffed_query_set,
    visible_list,
)
from judgments.pages.job_answers import JobOut, deletion_answer

router = Router()


class ListSettings(Body):
    description: str | None = None
    guidelines: str | None = Field(None, description="Markdown. Raters read it beside the document.")
    overlap: int | None = Field(None, description="How many raters judge each pair.")
    adaptive_step: float | None = Field(
        None, description="A further rater judges where grades differ by this much. Null: nobody does."
    )
    overlap_most: int | None = Field(None, description="At most so many raters judge a pair, even then.")
    assignment: AssignmentMode | None = Field(
        None, description="Whether all raters get pairs, or assigned ones only."
    )
    view: View | None = Field(None, description="How raters see the documents of a query.")
    evidence: Evidence | None = Field(None, description="Whether raters mark the passage that decided.")
    evidence_grades: list[float] | None = Field(
        None, description="Grades that need evidence where it is required. Empty: all."
    )
    confidence: bool | None = Field(None, description="Whether raters are asked how sure they are.")
    gold_rate: int | None = Field(None, description="The share of cards that are gold pairs, in percent.")
    onboarding: int | None = Field(None, description="How many gold pairs a new rater practices on.")
    repeat_rate: int | None = Field(
        None, description="The share of cards that are hidden repeats, in percent."
    )


class ListIn(ListSettings):
    """What isn’t named is as the preset has it."""

    name: str
    scale: int = Field(description="The ID of a scale that the query set may use.")
    rule: str | None = Field(None, description="How several judgments of a pair become one grade.")
    tie: str | None = Field(None, description="What a median or a majority does between two grades.")
    preset: Literal["quick", "careful", "audited"] = "quick"


class ListChange(ListSettings):
    """What isn’t named stays. Another operation changes the consensus rule."""

    name: str | None = None
    scale: int | None = Field(None, description="The ID of another scale, as long as there are no judgments.")


class ListOut(Schema):
    id: int
    query_set_id: int
    name: str
    description: str
    guidelines: str
    scale_id: int
    overlap: int
    adaptive_step: float | None
    overlap_most: int | None
    rule: str
    tie: str
    assignment: AssignmentMode
    view: View
    evidence: Evidence
    evidence_grades: list[float]
    confidence: bool
    gold_rate: int
    onboarding: int
    repeat_rate: int
    paused: bool
    pause_note: str


class PauseIn(Body):
    paused: bool
    note: str = Field("", description="Raters read it.")


class OverlapQuery(Schema):
    overlap: int | None = Field(None, description="How many raters judge each pair.")
    adaptive_step: float | None = None
    overlap_most: int | None = None


class OverlapEffect(Schema):
    """Open slots that would be added, removed at once, or removed when their raters let go of them."""

    added: int
    removed: int
    held: int


@router.get("query-sets/{int:pk}/lists", response=Page[ListOut], summary="List judgment lists")
def lists(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    staffed_query_set(request, pk)
    return page_answer(request, JudgmentList.objects.filter(query_set=pk), page)


@router.post("query-sets/{int:pk}/lists", response={201: ListOut}, summary="Create a judgment list")
def create_list(request: ApiRequest, pk: int, body: ListIn) -> Status[JudgmentList]:
    """For admins."""
    query_set = administered_query_set(request, pk)
    values = changes_of(body)
    preset = LIST_PRESETS[values.pop("preset", QUICK)]
    usual = filled_in(ListForm(query_set=query_set, initial=preset.values))
    form = valid(ListForm(form_data(usual | values), query_set=query_set))
    return Status(201, actions.create_list(query_set=query_set, user=request.user, **form.settings))


@router.get("lists/{int:pk}", response=ListOut, summary="Read a judgment list")
def judgment_list(request: ApiRequest, pk: int) -> JudgmentList:
    return visible_list(request, pk)


@router.patch("lists/{int:pk}", response=ListOut, summary="Change a judgment list")
def change_list(request: ApiRequest, pk: int, body: ListChange) -> JudgmentList:
    """For admins. Open slots follow the number of raters: preview it before."""
    judgment_list = administered_list(request, pk)
    seen_mark = mark_of_facts(actions.settings_of(judgment_list))
    form = _form(judgment_list, changes_of(body, "adaptive_step", "overlap_most"))
    actions.change_list(judgment_list=administered_list(request, pk), **form.settings, seen_mark=seen_mark)
    return visible_list(request, pk)


@router.delete("lists/{int:pk}", response={202: JobOut, 204: None}, summary="Delete a judgment list")
def delete_list(
    request: ApiRequest, pk: int, query: InQuery[DeleteQuery], response: HttpResponse
) -> Status[dict[str, Any] | None]:
    """For admins. Its pairs and judgments are gone for good. A list with versions stays.

    A worker deletes a large one, which nobody can reach any more: the answer is 202 with its job.
    """
    judgment_list = administered_list(request, pk)
    deletion = delete_list_or_ask(
        judgment_list=judgment_list, confirmed_name=query.name, user=request.user, at=timezone.now()
    )
    return deletion_answer(deletion, response)


@router.get(
    "lists/{int:pk}/overlap-preview", response=OverlapEffect, summary="Preview another number of raters"
)
def preview_overlap(request: ApiRequest, pk: int, query: InQuery[OverlapQuery]) -> dict[str, int]:
    """For admins. What isn’t named is as the list has it."""
    settings = _form(administered_list(request, pk), changes_of(query)).settings
    raters = {name: settings[name] for name in ("scale", "overlap", "adaptive")}
    effect = actions.effect_of(judgment_list=administered_list(request, pk), **raters, at=timezone.now())
    return {name: getattr(effect, name) if effect else 0 for name in ("added", "removed", "held")}


@router.put("lists/{int:pk}/paused", response=ListOut, summary="Pause a list, or resume it")
def pause(request: ApiRequest, pk: int, body: PauseIn) -> JudgmentList:
    """For admins. Raters get no further pairs while a list is paused."""
    judgment_list = administered_list(request, pk)
    note = valid(PauseForm(form_data({"note": body.note}))).cleaned_data["note"] if body.paused else ""
    actions.set_paused(
        judgment_list=judgment_list, paused=body.paused, user=request.user, note=note, at=timezone.now()
    )
    return visible_list(request, pk)


def _form(judgment_list: JudgmentList, changes: dict[str, Any]) -> ListForm:
    """The settings with these changes. The form changes the list that it gets."""
    has_judgments = judgment_list.judgments.exists()
    if has_judgments and changes.get("scale", judgment_list.scale_id) != judgment_list.scale_id:
        raise actions.ScaleFixedError(judgment_list)
    if "scale" in changes:
        scales = Scale.objects.usable_in(judgment_list.query_set)
        # Of its grades some may need evidence. The form refuses a scale that isn't there.
        judgment_list.scale = scales.filter(pk=changes["scale"]).first() or judgment_list.scale
    form = partial(
        ListForm, instance=judgment_list, query_set=judgment_list.query_set, scale_fixed=has_judgments
    )
    return valid(form(form_data(filled_in(form()) | changes)))
