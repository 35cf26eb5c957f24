"""Imports of judgments that can be undone."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.files.actions.undoing import NothingToUndoError, undo_or_ask
from judgments.files.reports.undoing import undo_effect
from judgments.models import Batch
from judgments.pages.calls import ApiRequest, Page, PageQuery, address, page_answer
from judgments.pages.fetching import administered_list
from judgments.pages.problems import Problem

router = Router()


class UndoOut(Schema):
    """What undoing an import does: how many judgments it takes back, and how many it leaves."""

    withdrawn: int = Field(description="Judgments that the import added.")
    restored: int = Field(description="Judgments that it changed, and that get their earlier answer back.")
    kept: int = Field(description="Judgments that stay, because somebody changed or removed them since.")


class BatchOut(Schema):
    """The judgments that one import wrote into a list, so that it can be undone."""

    id: int
    file: str = Field(validation_alias="name")
    at: datetime
    by: str = Field("", validation_alias="act.by_name", description="Empty: a command without an account.")
    judgments: int = Field(validation_alias="judgment_count")
    undone: int = Field(validation_alias="undone_count", description="How many of them were taken back.")
    undone_at: datetime | None
    being_undone: bool = Field(description="A worker is at it, or will be: ask again.")
    failure: str = Field(description="Why a worker undid nothing.")

    @staticmethod
    def resolve_being_undone(row: Batch) -> bool:
        return row.requested_at is not None


@router.get("lists/{int:pk}/batches", response=Page[BatchOut], summary="List imports that can be undone")
def batches(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    """For admins. Imports of judgments, the oldest first."""
    rows = Batch.objects.filter(judgment_list=administered_list(request, pk)).select_related("act")
    return page_answer(request, rows, page)


@router.get("lists/{int:pk}/batches/{int:batch}", response=BatchOut, summary="Read an import")
def read_batch(request: ApiRequest, pk: int, batch: int) -> Batch:
    """For admins."""
    return _batch(request, pk, batch)


@router.get(
    "lists/{int:pk}/batches/{int:batch}/undo-preview", response=UndoOut, summary="Preview undoing an import"
)
def preview_undo(request: ApiRequest, pk: int, batch: int) -> dict[str, int]:
    """For admins. What undoing it would do. Nothing changes."""
    return asdict(undo_effect(_batch(request, pk, batch)))


@router.post(
    "lists/{int:pk}/batches/{int:batch}/undo",
    response={200: UndoOut, 202: BatchOut},
    summary="Undo an import",
)
def undo(request: ApiRequest, pk: int, batch: int, response: HttpResponse) -> Status[Batch] | dict[str, int]:
    """For admins. Takes back the judgments that it wrote and that nobody changed since. A worker undoes a large one: then the answer is 202."""
    row = _batch(request, pk, batch)
    try:
        done = undo_or_ask(batch=row, effect=undo_effect(row), user=request.user, at=timezone.now())
    except NothingToUndoError as error:
        raise Problem(409, str(error)) from None
    if done is not None:
        return asdict(done)
    response["Location"] = address("read_batch", pk, batch)
    return Status(202, _batch(request, pk, batch))


def _batch(request: ApiRequest, pk: int, batch: int) -> Batch:
    rows = Batch.objects.filter(judgment_list=administered_list(request, pk)).select_related("act")
    return get_object_or_404(rows, pk=batch)
