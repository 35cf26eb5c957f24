"""Exports as streams, and imports as jobs of a worker."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.files.actions.import_jobs import cancel_import, request_import
from judgments.files.actions.undoing import NothingToUndoError, undo_or_ask
from judgments.files.actions.uploads import keep_choices, keep_upload
from judgments.files.forms import LONGEST_ORIGIN, ChoicesForm
from judgments.files.reports import exports as reports
from judgments.files.reports.content_exports import FORMATS
from judgments.files.reports.import_raters import WHO
from judgments.files.reports.imports import Choices
from judgments.files.reports.undoing import undo_effect
from judgments.files.reports.uploads import progress_of, read_source
from judgments.files.views.content_exports import content_file
from judgments.files.views.exports import taken_out
from judgments.files.views.reading import with_file
from judgments.files.views.uploads import is_importable
from judgments.models import Batch, Deletion, JudgmentList, Purpose, QuerySet, Upload
from judgments.pages.calls import (
    ApiRequest,
    Page,
    PageQuery,
    address,
    form_data,
    of_bodies,
    page_of,
    sent_file,
    valid,
)
from judgments.pages.fetching import (
    administered_list,
    administered_query_set,
    is_administered,
    staffed_query_set,
    version_of,
    visible_list,
)
from judgments.pages.job_answers import JobOut, job_of_deletion
from judgments.pages.problems import Problem
from touchstone_core.formats.judgments.judgment_files import GRADES, WRITABLE

Takes = ParamSpec("Takes")
Answer = TypeVar("Answer")
router = Router()
MOST_SENTENCES = 100


class ExportQuery(Schema):
    format: str = Field("qrels", description="A format of the list’s Export page, such as qrels.")
    version: int | None = Field(None, ge=1, description="A version; without it the list as it is now.")
    round: bool = Field(False, description="Rounds grades for formats that hold whole numbers only.")


class ImportQuery(Schema):
    """How the file is read. What isn't said is found out, as on the page."""

    file_name: str = Field("file", min_length=1, max_length=255)
    format: str = ""
    encoding: str = ""
    good_lines: bool = Field(
        False, description="Leave out lines with problems, instead of refusing the file."
    )


class JudgmentImportQuery(ImportQuery):
    rater: str = Field("", max_length=150, description="Who judged where the file names no rater.")
    create_missing: bool = Field(False, description="Create unknown queries and documents.")
    documents: bool = Field(False, description="Import the documents of a book, too.")
    raters: list[str] = Field(
        [], description=f"Who names of the file are, each as {WHO}. Names that differ in case only need it."
    )
    origin: str = Field(
        "",
        max_length=LONGEST_ORIGIN,
        description="What made the grades of machines, such as model, prompt and date.",
    )
    negative: str = Field("", description="What becomes of negative grades that aren’t on the scale.")
    between: str = Field("", description="What becomes of grades between two of the scale.")


class ImportPreviewOut(Schema):
    """What importing the file would do. `result`: how many rows are new, changed and unchanged, among others.

    Grades of `machines_left_out` are stored and compared with people’s, but don’t count until an admin lets them.
    """

    format: str
    columns: dict[str, str] = Field(description="Which column of the file is read as what.")
    result: dict[str, int]
    problems: list[str]
    warnings: list[str]
    can_be_imported: bool


class UndoOut(Schema):
    """What undoing an import does: how many judgments it takes back, and how many it leaves."""

    withdrawn: int = Field(description="Judgments that the import added.")
    restored: int = Field(description="Judgments that it changed, and that get their earlier answer back.")
    kept: int = Field(description="Judgments that stay, because somebody changed or removed them since.")


class BatchOut(Schema):
    """The judgments that one import wrote into a list, so that it can be undone."""

    id: int
    file: str
    at: datetime
    by: str = Field(description="Empty: a command without an account.")
    judgments: int
    undone: int = Field(description="How many of them were taken back.")
    undone_at: datetime | None
    being_undone: bool = Field(description="A worker is at it, or will be: ask again.")
    failure: str = Field(description="Why a worker undid nothing.")


class ContentExportQuery(Schema):
    format: str = Field("queries-csv", description="A format of the query set’s Export page.")
    list: str = Field("", max_length=20, description="For BEIR: the ID of the list whose grades are in it.")


@router.get("query-sets/{int:pk}/export", response={200: Any}, summary="Export queries or documents")
def export_content(request: ApiRequest, pk: int, query: InQuery[ContentExportQuery]) -> HttpResponseBase:
    """A file, sent while it is made."""
    query_set = staffed_query_set(request, pk)
    if query.format not in FORMATS:
        raise Problem(422, f"Unknown format “{query.format}”. Choose one of: {', '.join(FORMATS)}.")
    return content_file(request, query_set, query.format)


@router.get("lists/{int:pk}/export", response={200: Any}, summary="Export judgments or grades")
def export(request: ApiRequest, pk: int, query: InQuery[ExportQuery]) -> HttpResponseBase:
    """A file, sent while it is made. Grades are for engineers, too; what single raters said is for admins."""
    judgment_list = visible_list(request, pk)
    formats = GRADES if query.version or not is_administered(request, pk) else WRITABLE
    if query.format not in formats:
        why = f"Unknown format “{query.format}”."
        if query.format in WRITABLE:
            which = "a version has grades only" if query.version else "that is for admins"
            why = f"“{query.format}” has what each rater said, and {which}."
        raise Problem(422, f"{why} Choose one of: {', '.join(formats)}.")
    version = None if query.version is None else version_of(judgment_list, query.version)
    file = reports.export(
        judgment_list, formats[query.format], at=timezone.now(), whole_numbers=query.round, version=version
    )
    return taken_out(
        request,
        file.content,
        file.name,
        judgment_list=judgment_list,
        format=formats[query.format],
        version=version,
    )


def _takes(
    what: str, path: str, response: Any, *, summary: str
) -> Callable[[Callable[Takes, Answer]], Callable[Takes, Answer]]:
    """The decorator of an operation that takes a file of `what`."""
    sent = of_bodies(f"A file of {what} in any format of the page Import.")
    return router.post(path, response=response, summary=summary, openapi_extra=sent)


@_takes("queries", "query-sets/{int:pk}/imports/queries", {202: JobOut}, summary="Import queries")
def import_queries(
    request: ApiRequest, pk: int, query: InQuery[ImportQuery], response: HttpResponse
) -> Status[dict[str, Any]]:
    """For admins. A worker does it: the answer is its job."""
    return _import(request, response, administered_query_set(request, pk), Purpose.QUERIES, query)


@_takes("documents", "query-sets/{int:pk}/imports/documents", {202: JobOut}, summary="Import documents")
def import_documents(
    request: ApiRequest, pk: int, query: InQuery[ImportQuery], response: HttpResponse
) -> Status[dict[str, Any]]:
    """For admins. A worker does it: the answer is its job."""
    return _import(request, response, administered_query_set(request, pk), Purpose.DOCUMENTS, query)


@_takes("judgments", "lists/{int:pk}/imports", {202: JobOut}, summary="Import judgments")
def import_judgments(
    request: ApiRequest, pk: int, query: InQuery[JudgmentImportQuery], response: HttpResponse
) -> Status[dict[str, Any]]:
    """For admins. A worker does it: the answer is its job."""
    judgment_list = administered_list(request, pk)
    return _import(request, response, judgment_list.query_set, Purpose.JUDGMENTS, query, judgment_list)


@router.get("lists/{int:pk}/batches", response=Page[BatchOut], summary="List imports that can be undone")
def batches(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    """For admins. Imports of judgments, the oldest first."""
    rows = Batch.objects.filter(judgment_list=administered_list(request, pk)).select_related("act")
    found, following = page_of(request, rows, page)
    return {"items": [_batch_out(row) for row in found], "next": following}


@router.get("lists/{int:pk}/batches/{int:batch}", response=BatchOut, summary="Read an import")
def read_batch(request: ApiRequest, pk: int, batch: int) -> dict[str, Any]:
    """For admins."""
    return _batch_out(_batch(request, pk, batch))


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
def undo(
    request: ApiRequest, pk: int, batch: int, response: HttpResponse
) -> Status[dict[str, Any]] | dict[str, int]:
    """For admins. Takes back the judgments that it wrote and that nobody changed since. A worker undoes a large one: then the answer is 202."""
    row = _batch(request, pk, batch)
    try:
        done = undo_or_ask(batch=row, effect=undo_effect(row), user=request.user, at=timezone.now())
    except NothingToUndoError as error:
        raise Problem(409, str(error)) from None
    if done is not None:
        return asdict(done)
    response["Location"] = address("read_batch", pk, batch)
    return Status(202, _batch_out(_batch(request, pk, batch)))


@_takes(
    "queries",
    "query-sets/{int:pk}/imports/queries/preview",
    ImportPreviewOut,
    summary="Preview an import of queries",
)
def preview_queries(request: ApiRequest, pk: int, query: InQuery[ImportQuery]) -> dict[str, Any]:
    """For admins. What importing the file would do. Nothing is stored."""
    return _preview(request, administered_query_set(request, pk), Purpose.QUERIES, query)


@_takes(
    "documents",
    "query-sets/{int:pk}/imports/documents/preview",
    ImportPreviewOut,
    summary="Preview an import of documents",
)
def preview_documents(request: ApiRequest, pk: int, query: InQuery[ImportQuery]) -> dict[str, Any]:
    """For admins. What importing the file would do. Nothing is stored."""
    return _preview(request, administered_query_set(request, pk), Purpose.DOCUMENTS, query)


@_takes(
    "judgments", "lists/{int:pk}/imports/preview", ImportPreviewOut, summary="Preview an import of judgments"
)
def preview_judgments(request: ApiRequest, pk: int, query: InQuery[JudgmentImportQuery]) -> dict[str, Any]:
    """For admins. What importing the file would do. Nothing is stored."""
    return _preview(request, administered_list(request, pk), Purpose.JUDGMENTS, query)


@router.get("jobs/{uuid:pk}", response=JobOut, summary="Read a job")
def job(request: ApiRequest, pk: UUID) -> dict[str, Any]:
    """Your own imports and uploads, and deletions in query sets that you administer. They are forgotten after a week."""
    deletion = _deletion(request, pk)
    return job_of_deletion(deletion) if deletion else job_of(_own(request, pk))


@router.post("jobs/{uuid:pk}/cancel", response=JobOut, summary="Cancel a job")
def cancel_job(request: ApiRequest, pk: UUID) -> dict[str, Any]:
    """Nothing of the file is imported, unless that was done already. A deletion can’t be cancelled."""
    if _deletion(request, pk):
        raise Problem(409, "A deletion can’t be cancelled: what is left of it is of no use.")
    cancel_import(upload=_own(request, pk))
    return job_of(_own(request, pk))


def _batch(request: ApiRequest, pk: int, batch: int) -> Batch:
    rows = Batch.objects.filter(judgment_list=administered_list(request, pk)).select_related("act")
    return get_object_or_404(rows, pk=batch)


def _batch_out(batch: Batch) -> dict[str, Any]:
    return {
        "id": batch.pk,
        "file": batch.name,
        "at": batch.at,
        "by": batch.act.by_name if batch.act else "",
        "judgments": batch.judgment_count,
        "undone": batch.undone_count,
        "undone_at": batch.undone_at,
        "being_undone": batch.requested_at is not None,
        "failure": batch.failure,
    }


def _own(request: ApiRequest, pk: UUID) -> Upload:
    return get_object_or_404(Upload.objects.requested_by(request.user), pk=pk)


def _deletion(request: ApiRequest, pk: UUID) -> Deletion | None:
    return Deletion.objects.visible_to(request.user).filter(pk=pk).first()


def _import(
    request: ApiRequest,
    response: HttpResponse,
    query_set: QuerySet,
    purpose: Purpose,
    query: ImportQuery,
    judgment_list: JudgmentList | None = None,
) -> Status[dict[str, Any]]:
    choices, file = _choices(purpose, query), sent_file(request, query.file_name)
    upload = keep_upload(
        query_set=query_set, user=request.user, purpose=purpose, file=file, judgment_list=judgment_list
    )
    keep_choices(upload=upload, choices=choices)
    request_import(upload=upload, choices=choices, at=timezone.now(), latest_import="", rows=0)
    upload.refresh_from_db()
    response["Location"] = address("job", upload.pk)
    return Status(202, job_of(upload))


def _choices(purpose: Purpose, query: ImportQuery) -> Choices:
    values = query.dict()
    data = form_data(values | {"raters": "\n".join(values.get("raters", []))})
    return valid(ChoicesForm(data, purpose=purpose, headers=[], headers_in_use={}, choices=Choices())).choices


def _preview(
    request: ApiRequest, target: QuerySet | JudgmentList, purpose: Purpose, query: ImportQuery
) -> dict[str, Any]:
    """Read in a process with limits, as an upload by page is."""
    choices = _choices(purpose, query)
    reading = with_file(
        read_source,
        sent_file(request, query.file_name),
        file_name=query.file_name,
        purpose=purpose,
        target=target,
        choices=choices,
        limit=settings.UNPACKED_LIMIT,
    )
    report = reading.report
    return {
        "format": reading.format,
        "columns": reading.used,
        "result": asdict(reading.result),
        "problems": list(islice(report.errors.sentences(), MOST_SENTENCES)),
        "warnings": list(islice(report.warnings.sentences(), MOST_SENTENCES)),
        "can_be_imported": is_importable(reading, choices),
    }


def job_of(upload: Upload) -> dict[str, Any]:
    """One query while a worker may be at it."""
    is_run = upload.purpose == Purpose.RUN
    progress = progress_of(upload) if upload.requested_at else None
    return {
        "id": upload.pk,
        "query_set_id": upload.query_set_id,
        "list_id": upload.judgment_list_id,
        "what": "upload of runs" if is_run else f"import of {Purpose(upload.purpose).label.lower()}",
        "file": upload.name,
        "state": _state(upload, is_running=progress is not None),
        "progress": progress and {"step": progress.words, "done": progress.done, "total": progress.total},
        "result": None if is_run else upload.result or None,
        "upload": upload.result.get("summary") if is_run and upload.applied_at else None,
        "failure": upload.failure,
        "requested_at": upload.requested_at,
        "done_at": upload.applied_at,
    }


def _state(upload: Upload, *, is_running: bool) -> str:
    if upload.applied_at:
        return "done"
    if upload.requested_at:
        return "running" if is_running else "waiting"
    return "failed"
