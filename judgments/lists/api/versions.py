"""Versions of judgment lists."""

from datetime import datetime
from typing import Any

from django.shortcuts import get_object_or_404
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.lists.actions.versions import freeze_version
from judgments.lists.forms.lists import FreezeForm
from judgments.lists.reports.version_checks import grades_problems, problems_in_log
from judgments.models import JudgmentList
from judgments.pages.calls import ApiRequest, Body, Page, PageQuery, form_data, page_answer, valid
from judgments.pages.fetching import version_of, visible_list

router = Router()


class VersionIn(Body):
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
    queries: int = Field(validation_alias="query_count")
    grades: int = Field(validation_alias="grade_count")
    pairs: int = Field(validation_alias="pair_count")
    undecided: int = Field(validation_alias="undecided_count")
    sha256: str
    frozen_by: str = Field(validation_alias="frozen_by_name")
    frozen_at: datetime


class CheckOut(Schema):
    """`problems` in sentences; none if the version is unchanged."""

    problems: list[str]


@router.get("lists/{int:pk}/versions", response=Page[VersionOut], summary="List versions")
def versions(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    return page_answer(request, visible_list(request, pk).versions.all(), page, key="number")


@router.post("lists/{int:pk}/versions", response={201: VersionOut}, summary="Freeze a version")
def freeze(request: ApiRequest, pk: int, body: VersionIn) -> Status[Any]:
    """For admins. A version stays for good."""
    judgment_list = get_object_or_404(JudgmentList.objects.administered_by(request.user), pk=pk)
    form = valid(FreezeForm(form_data(body.dict())))
    version = freeze_version(judgment_list=judgment_list, user=request.user, **form.cleaned_data)
    return Status(201, version)


@router.get("lists/{int:pk}/versions/{int:number}", response=VersionOut, summary="Read a version")
def version(request: ApiRequest, pk: int, number: int) -> Any:
    return version_of(visible_list(request, pk), number)


@router.get(
    "lists/{int:pk}/versions/{int:number}/check",
    response=CheckOut,
    summary="Check that a version is unchanged",
)
def check_version(request: ApiRequest, pk: int, number: int) -> dict[str, list[str]]:
    """Hashes the stored grades again, and reads the log. A million grades take some seconds."""
    judgment_list = visible_list(request, pk)
    version = version_of(judgment_list, number)
    in_log = [one for one in problems_in_log(judgment_list) if one.number == number]
    problems = [*in_log, *grades_problems(version)]
    return {"problems": [f"{str(version).capitalize()}: {one.what}. {one.advice}" for one in problems]}
