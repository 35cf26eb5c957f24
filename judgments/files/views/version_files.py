"""The files of versions."""

from functools import partial

from django.contrib import messages
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from judgments.base.streaming import Export
from judgments.files.actions.exports import record_export
from judgments.files.reports import exports
from judgments.lists.reports import lists as reports
from judgments.pages.fetching import version_of, visible_list
from judgments.pages.http import MemberRequest, export_response
from touchstone_core.formats.file_format import MEDIA_TYPES
from touchstone_core.formats.judgments.judgment_files import GRADES

HASH_TEXT = "hashed"


@require_safe
def version_file(request: MemberRequest, pk: int, number: int, format: str) -> HttpResponseBase:
    """The grades in a tool's format, or as the text that the hash is taken over; `?about=1` what is to be known."""
    judgment_list = visible_list(request, pk)
    version = version_of(judgment_list, number)
    record = partial(record_export, judgment_list=judgment_list, version=version)
    if format == HASH_TEXT:
        lines = (text.encode() for text in reports.hashed_text(version))
        name = exports.file_name(judgment_list, "grades.tsv", at=timezone.now(), version=version)
        file = Export(name, MEDIA_TYPES["tsv"], lines)
        return export_response(request, file, partial(record, format="The text that is hashed"))
    if format not in GRADES:
        raise Http404
    whole = bool(request.GET.get("round"))
    try:
        found = exports.export(
            judgment_list, GRADES[format], at=timezone.now(), whole_numbers=whole, version=version
        )
    except exports.ExportRefusedError as error:
        messages.error(request, str(error))
        return redirect("list-version", pk, number)
    return export_response(request, found, partial(record, format=GRADES[format].label))
