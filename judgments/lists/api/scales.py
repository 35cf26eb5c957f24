"""Scales: those that come with the program, and a query set’s own."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.content.reports.content import mark_of_facts
from judgments.content.reports.query_sets import may_create_query_set
from judgments.lists.actions import scales as actions
from judgments.lists.forms.scales import BaseGradeFormSet, ScaleForm, grade_formset
from judgments.models import Level, QuerySet, Scale
from judgments.pages.calls import ApiRequest, Body, Page, PageQuery, changes_of, form_data, page_answer, valid
from judgments.pages.fetching import staffed_query_set
from judgments.pages.problems import Problem

router = Router()


class GradeIn(Body):
    value: float
    label: str
    key: str = Field(description="The key that gives it on the rating screen.")
    gain: float | None = Field(None, description="If null, the value.")
    description: str = ""
    color: str = Field("", description="Written #rrggbb.")


class GradeOut(Schema):
    value: float
    label: str
    description: str
    gain: float
    key: str
    color: str


class ScaleIn(Body):
    name: str
    description: str = ""
    level: Level = Level.ORDINAL
    threshold: float = Field(1, description="Binary measures count this grade and higher ones as relevant.")
    grades: list[GradeIn] = Field(max_length=100)


class ScaleChange(Body):
    """What isn’t named stays. The grades are replaced together."""

    name: str | None = None
    description: str | None = None
    level: Level | None = None
    threshold: float | None = None
    grades: list[GradeIn] | None = Field(None, max_length=100)


class ScaleOut(Schema):
    id: int
    name: str
    description: str
    level: str
    threshold: float
    maximum: float
    continuous: bool
    grades: list[GradeOut]


@router.get("query-sets/{int:pk}/scales", response=Page[ScaleOut], summary="List scales")
def scales(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    """Those that lists of this query set may use."""
    query_set = staffed_query_set(request, pk)
    return page_answer(request, Scale.objects.usable_in(query_set).with_grades(), page)


@router.post("query-sets/{int:pk}/scales", response={201: ScaleOut}, summary="Create a scale")
def create_scale(request: ApiRequest, pk: int, body: ScaleIn) -> Status[Scale]:
    """For admins. Only lists of this query set can use it."""
    mine = QuerySet.objects.administered_by(request.user)
    query_set = get_object_or_404(mine, pk=pk)
    values = body.dict()
    grades = _grades(values.pop("grades"))
    form = valid(ScaleForm(form_data(values | {"query_set": query_set.pk}), query_sets=mine))
    created = actions.create_scale(**form.cleaned_data, grades=grades.specs)
    return Status(201, created)


@router.get("scales/{int:pk}", response=ScaleOut, summary="Read a scale")
def scale(request: ApiRequest, pk: int) -> Scale:
    """For engineers and admins of any query set that may use it."""
    if not may_create_query_set(request.user):
        raise Http404
    return get_object_or_404(Scale.objects.visible_to(request.user).with_grades(), pk=pk)


@router.patch("scales/{int:pk}", response=ScaleOut, summary="Change a scale")
def change_scale(request: ApiRequest, pk: int, body: ScaleChange) -> Scale:
    """For admins. Once there are judgments, only names, descriptions, keys and colors can change."""
    mine = Scale.objects.editable_by(request.user).with_grades()
    row = get_object_or_404(mine.select_related("query_set"), pk=pk, continuous=False)
    seen_mark = mark_of_facts(actions.scale_in_words(row))
    values = ScaleOut.from_orm(row).dict() | changes_of(body)
    grades = _grades(values.pop("grades"))
    form = valid(ScaleForm(form_data(values), scale=row))
    actions.change_scale(scale=row, **form.cleaned_data, grades=grades.specs, seen_mark=seen_mark)
    return mine.get(pk=pk)


def _grades(rows: list[dict[str, Any]]) -> BaseGradeFormSet:
    """The grades as the page of a scale sends them, checked."""
    values = {f"grades-{at}-{name}": value for at, row in enumerate(rows) for name, value in row.items()}
    formset = grade_formset(form_data(values | {"grades-TOTAL_FORMS": len(rows), "grades-INITIAL_FORMS": 0}))
    if formset.is_valid():
        return formset
    errors = [
        {"field": f"grades.{at}.{field}", "message": str(message)}
        for at, form in enumerate(formset.forms)
        for field, messages in form.errors.items()
        for message in messages
    ]
    errors += [{"field": "grades", "message": str(message)} for message in formset.non_form_errors()]
    raise Problem(422, errors[0]["message"], errors)
