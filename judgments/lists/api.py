"""Judgment lists and their versions."""

from datetime import datetime
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.lists.actions import lists as actions
from judgments.lists.actions.versions import freeze_version
from judgments.lists.forms.lists import ListForm, PauseForm
from judgments.lists.forms.versions import FreezeForm
from judgments.lists.list_presets import LIST_PRESETS, QUICK
from judgments.lists.views.versions import version_of, visible_list
from judgments.models import JudgmentList, QuerySet, Scale
from judgments.pages.calls import ApiRequest, Page, PageQuery, form_data, page_of
from judgments.pages.problems import form_problem

router = Router()


class GradeOut(Schema):
    value: float
    label: str
    description: str
    gain: float


class ScaleOut(Schema):
    id: int
    name: str
    level: str
    maximum: float
    continuous: bool
    grades: list[GradeOut]


class ListIn(Schema):
    name: str
    scale: int = Field(description="The ID of a scale that the query set may use.")
    description: str = ""
    guidelines: str = ""
    overlap: int = Field(1, description="How many raters judge each pair.")
    rule: str | None = Field(None, description="How several judgments of a pair become one grade.")
    tie: str | None = Field(None, description="What a median or a majority does between two grades.")


class ListOut(Schema):
    id: int
    query_set_id: int
    name: str
    description: str
    guidelines: str
    scale_id: int
    overlap: int
    rule: str
    tie: str
    paused: bool


class PauseIn(Schema):
    paused: bool
    note: str = Field("", description="Raters read it.")


class VersionIn(Schema):
    note: str = ""
    after: int | None = Field(
        None,
        ge=0,
        le=2**31 - 1,
        description="The last version that you know of; 0 for none. Another one since is refused.",
    )


class VersionOut(Schema):
    number: int
    note: str
    rule: str
    tie: str
    queries: int = Field(alias="query_count", serialization_alias="queries")
    grades: int = Field(alias="grade_count", serialization_alias="grades")
    pairs: int = Field(alias="pair_count", serialization_alias="pairs")
    undecided: int = Field(alias="undecided_count", serialization_alias="undecided")
    sha256: str
    frozen_by: str = Field(alias="frozen_by_name", serialization_alias="frozen_by")
    frozen_at: datetime


@router.get("query-sets/{int:pk}/scales", response=Page[ScaleOut], summary="List scales")
def scales(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    """Those that lists of this query set may use."""
    query_set = get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    rows = Scale.objects.usable_in(query_set).prefetch_related("grades")
    shown, following = page_of(request, rows, page)
    fields = ("id", "name", "level", "maximum", "continuous")
    items = [
        {name: getattr(row, name) for name in fields} | {"grades": list(row.grades.all())} for row in shown
    ]
    return {"items": items, "next": following}


@router.get("query-sets/{int:pk}/lists", response=Page[ListOut], summary="List judgment lists")
def lists(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    rows, following = page_of(request, JudgmentList.objects.filter(query_set=pk), page)
    return {"items": rows, "next": following}


@router.post("query-sets/{int:pk}/lists", response={201: ListOut}, summary="Create a judgment list")
def create_list(request: ApiRequest, pk: int, body: ListIn) -> Status[JudgmentList]:
    """For admins. Other settings are those of the preset for quick judging."""
    query_set = get_object_or_404(QuerySet.objects.administered_by(request.user), pk=pk)
    values = {name: value for name, value in body.dict().items() if value is not None}
    preset = ListForm(query_set=query_set, initial=LIST_PRESETS[QUICK].values)
    usual = {name: preset[name].value() for name in preset.fields}
    form = ListForm(form_data(usual | values), query_set=query_set)
    if not form.is_valid():
        raise form_problem(form)
    return Status(201, actions.create_list(query_set=query_set, user=request.user, **form.settings))


@router.get("lists/{int:pk}", response=ListOut, summary="Read a judgment list")
def judgment_list(request: ApiRequest, pk: int) -> JudgmentList:
    return visible_list(request, pk)


@router.put("lists/{int:pk}/paused", response=ListOut, summary="Pause a list, or resume it")
def pause(request: ApiRequest, pk: int, body: PauseIn) -> JudgmentList:
    """For admins. Raters get no further pairs while a list is paused."""
    judgment_list = get_object_or_404(JudgmentList.objects.administered_by(request.user), pk=pk)
    form = PauseForm(form_data({"note": body.note}))
    if not form.is_valid():
        raise form_problem(form)
    note = form.cleaned_data["note"] if body.paused else ""
    actions.set_paused(
        judgment_list=judgment_list, paused=body.paused, user=request.user, note=note, at=timezone.now()
    )
    return visible_list(request, pk)


@router.get("lists/{int:pk}/versions", response=Page[VersionOut], summary="List versions")
def versions(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    rows, following = page_of(request, visible_list(request, pk).versions.all(), page, key="number")
    return {"items": rows, "next": following}


@router.post("lists/{int:pk}/versions", response={201: VersionOut}, summary="Freeze a version")
def freeze(request: ApiRequest, pk: int, body: VersionIn) -> Status[Any]:
    """For admins. A version stays for good."""
    judgment_list = get_object_or_404(JudgmentList.objects.administered_by(request.user), pk=pk)
    form = FreezeForm(form_data(body.dict()))
    if not form.is_valid():
        raise form_problem(form)
    version = freeze_version(judgment_list=judgment_list, user=request.user, **form.cleaned_data)
    return Status(201, version)


@router.get("lists/{int:pk}/versions/{int:number}", response=VersionOut, summary="Read a version")
def version(request: ApiRequest, pk: int, number: int) -> Any:
    return version_of(visible_list(request, pk), number)
