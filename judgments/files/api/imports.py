"""Imports as jobs of a worker, and previews of them."""

from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.files.actions.import_jobs import request_import
from judgments.files.actions.uploads import keep_choices, keep_upload
from judgments.files.api.jobs import job_of
from judgments.files.forms import LONGEST_ORIGIN, ChoicesForm
from judgments.files.reports.import_raters import WHO
from judgments.files.reports.imports import Choices
from judgments.files.reports.uploads import read_source
from judgments.files.views.reading import with_file
from judgments.files.views.uploads import is_importable
from judgments.models import JudgmentList, Purpose, QuerySet
from judgments.pages.calls import ApiRequest, address, form_data, of_bodies, sent_file, valid
from judgments.pages.fetching import administered_list, administered_query_set
from judgments.pages.job_answers import JobOut
from touchstone_core.formats.preamble import HEADER_LINE, LOWEST_LINE

Takes = ParamSpec("Takes")
Answer = TypeVar("Answer")
router = Router()
MOST_SENTENCES = 100


class ImportQuery(Schema):
    """How the file is read. What isn't said is found out, as on the page."""

    file_name: str = Field("file", min_length=1, max_length=255)
    format: str = ""
    encoding: str = ""
    header_line: int = Field(0, ge=0, le=LOWEST_LINE, description=HEADER_LINE)
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
    """What importing the file would do. `result`: how many rows are new, changed and unchanged, among others. `judged_pairs` of
    judgments are new in the list, which then asks raters for `further_judgments`; `pairs` are those without a grade.

    Grades of `machines_left_out` are stored and compared with people’s, but don’t count until an admin lets them.
    """

    format: str
    columns: dict[str, str] = Field(description="Which column of the file is read as what.")
    result: dict[str, int]
    problems: list[str]
    warnings: list[str]
    can_be_imported: bool


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
    report, required = reading.report, reading.rater_work
    problems = islice(report.errors.sentences(), MOST_SENTENCES)
    return {
        "format": reading.format,
        "columns": reading.used,
        "result": asdict(reading.result)
        | {"judged_pairs": required.pairs, "further_judgments": required.judgments},
        "problems": [reading.emptiness] if reading.emptiness else list(problems),
        "warnings": list(islice(report.warnings.sentences(), MOST_SENTENCES)),
        "can_be_imported": is_importable(reading, choices),
    }
