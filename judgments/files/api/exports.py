"""Exports as streams."""

from functools import partial
from typing import Any

from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from judgments.files.actions.exports import record_export
from judgments.files.reports import exports as reports
from judgments.files.reports.content_exports import FORMATS
from judgments.files.views.content_exports import content_file
from judgments.pages.calls import ApiRequest
from judgments.pages.fetching import is_administered, staffed_query_set, version_of, visible_list
from judgments.pages.http import export_response
from judgments.pages.problems import Problem
from touchstone_core.formats.judgments.judgment_files import GRADES, WRITABLE

router = Router()


class ExportQuery(Schema):
    format: str = Field("qrels", description="A format of the list’s Export page, such as qrels.")
    version: int | None = Field(None, ge=1, description="A version; without it the list as it is now.")
    round: bool = Field(False, description="Rounds grades for formats that hold whole numbers only.")


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
    record = partial(
        record_export, judgment_list=judgment_list, format=formats[query.format].label, version=version
    )
    return export_response(request, file, record)
