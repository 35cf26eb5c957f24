"""Copies of query sets. Here, because of their runs."""

from typing import Any

from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from pydantic import Field

from evaluation.runs.actions.copying import copy_with_runs
from evaluation.start.forms.query_sets import CopyForm
from judgments.content.api import QuerySetOut, counted_values, may_create_query_sets
from judgments.models import QuerySet
from judgments.pages.archive_guard import in_archive_too
from judgments.pages.calls import ApiRequest, form_data, valid

router = Router()


class CopyIn(Schema):
    """What comes along beside the queries and documents."""

    name: str
    lists: bool = Field(True, description="Lists with their pairs, settings and gold pairs.")
    judgments: bool = Field(False, description="Judgments and decisions. Only with the lists.")
    members: bool = Field(False, description="Members with their roles and assignments.")
    runs: bool = Field(False, description="Runs with their rankings.")


@router.post("query-sets/{int:pk}/copy", response={201: QuerySetOut}, summary="Copy a query set")
@in_archive_too
def copy_query_set(request: ApiRequest, pk: int, body: CopyIn) -> Status[dict[str, Any]]:
    """For admins. You become admin of the copy. Takes a token that may do everything in all query sets."""
    query_set = get_object_or_404(QuerySet.objects.administered_by(request.user), pk=pk)
    may_create_query_sets(request)
    form = valid(CopyForm(form_data(body.dict())))
    copy = copy_with_runs(
        query_set=query_set,
        name=form.cleaned_data["name"],
        user=request.user,
        parts=form.parts,
        runs=form.cleaned_data["runs"],
    )
    return Status(201, counted_values(request, copy.pk))
