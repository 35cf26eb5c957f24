"""Copies of query sets, what would be lost with a deletion, and the work in hand. Here, because of their runs."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from pydantic import Field

from evaluation.runs.actions.copying import copy_with_runs
from evaluation.start.forms import CopyForm
from evaluation.start.reports.jobs import jobs_of
from evaluation.start.reports.losses import Losses, losses_of_list, losses_of_query_set
from judgments.content.actions.deletion_jobs import retry_deletion
from judgments.content.api.content import QuerySetOut, may_create_query_sets, with_its_counts
from judgments.models import Deletion, QuerySet, Role, in_reach
from judgments.pages.archive_guard import in_archive_too
from judgments.pages.calls import ApiRequest, Body, form_data, valid
from judgments.pages.fetching import administered_list, administered_query_set, staffed_query_set
from judgments.pages.job_answers import JobOut, JobProgress, job_of_deletion

router = Router()


class CopyIn(Body):
    """What comes along beside the queries and documents."""

    name: str
    lists: bool = Field(True, description="Lists with their pairs, settings and gold pairs.")
    judgments: bool = Field(False, description="Judgments and decisions. Only with the lists.")
    members: bool = Field(False, description="Members with their roles and assignments.")
    runs: bool = Field(False, description="Runs with their rankings.")


class WorkOut(Schema):
    """`id` is null for figures that a page waits for. Only what has one can be cancelled or tried again."""

    id: UUID | None = Field(validation_alias="key")
    what: str
    about: str
    who: str
    state: Literal["waiting", "running", "failed"]
    progress: JobProgress | None
    failure: str
    since: datetime | None
    can_cancel: bool
    can_retry: bool


class WorksOut(Schema):
    jobs: list[WorkOut]


@router.get("query-sets/{int:pk}/jobs", response=WorksOut, summary="List the jobs of a query set")
def jobs(request: ApiRequest, pk: int) -> dict[str, Any]:
    """Your own, and for admins all of the query set. What is done isn’t listed."""
    query_set = staffed_query_set(request, pk)
    return {"jobs": jobs_of(request.user, query_set)}


@router.post("jobs/{uuid:pk}/retry", response={202: JobOut}, summary="Try a failed deletion again")
@in_archive_too
def retry_job(request: ApiRequest, pk: UUID) -> Status[dict[str, Any]]:
    """For admins. Send a failed import or upload again instead."""
    mine = Deletion.objects.visible_to(request.user).filter(in_reach(request.user, Role.ADMIN))
    deletion = get_object_or_404(mine, pk=pk)
    retry_deletion(deletion=deletion)
    deletion.refresh_from_db()
    return Status(202, job_of_deletion(deletion))


class LossesOut(Schema):
    """`things` are numbers in words, such as “1,200 judgments”. `scored_versions` are versions that scores were stored for."""

    things: list[str]
    scored_versions: list[str]


@router.get(
    "query-sets/{int:pk}/deletion-preview", response=LossesOut, summary="Preview the deletion of a query set"
)
def preview_query_set_deletion(request: ApiRequest, pk: int) -> Losses:
    """For admins. What would be lost with it. Nothing is deleted."""
    return losses_of_query_set(administered_query_set(request, pk))


@router.get("lists/{int:pk}/deletion-preview", response=LossesOut, summary="Preview the deletion of a list")
def preview_list_deletion(request: ApiRequest, pk: int) -> Losses:
    """For admins. What would be lost with it. Nothing is deleted."""
    return losses_of_list(administered_list(request, pk))


@router.post("query-sets/{int:pk}/copy", response={201: QuerySetOut}, summary="Copy a query set")
@in_archive_too
def copy_query_set(request: ApiRequest, pk: int, body: CopyIn) -> Status[QuerySet]:
    """For admins. You become admin of the copy. Takes a token that may do everything in all query sets."""
    query_set = administered_query_set(request, pk)
    may_create_query_sets(request)
    form = valid(CopyForm(form_data(body.dict())))
    copy = copy_with_runs(
        query_set=query_set,
        name=form.cleaned_data["name"],
        user=request.user,
        parts=form.parts,
        runs=form.cleaned_data["runs"],
    )
    return Status(201, with_its_counts(request, copy.pk))
