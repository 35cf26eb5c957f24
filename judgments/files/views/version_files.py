"""The files of versions."""

from django.contrib import messages
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from judgments.files.reports import exports
from judgments.files.views.exports import download
from judgments.lists.reports import lists as reports
from judgments.pages.fetching import version_of, visible_list
from judgments.pages.http import MemberRequest
from touchstone_core.formats.file_format import WrittenFormat
from touchstone_core.formats.judgments.judgment_files import GRADES

HASH_TEXT = WrittenFormat(name="hashed", label="The text that is hashed", ending="tsv")


@require_safe
def version_file(request: MemberRequest, pk: int, number: int, format: str) -> HttpResponseBase:
    """The grades in a tool's format, or as the text that the hash is taken over; `?about=1` what is to be known."""
    judgment_list = visible_list(request, pk)
    version = version_of(judgment_list, number)
    if format == HASH_TEXT.name:
        lines = (text.encode() for text in reports.hashed_text(version))
        name = exports.file_name(judgment_list, "grades.tsv", at=timezone.now(), version=version)
        return download(request, lines, name, judgment_list=judgment_list, format=HASH_TEXT, version=version)
    if format not in GRADES:
        raise Http404
    whole = bool(request.GET.get("round"))
    try:
        file = exports.export(
            judgment_list, GRADES[format], at=timezone.now(), whole_numbers=whole, version=version
        )
    except exports.ExportRefusedError as error:
        messages.error(request, str(error))
        return redirect("list-version", pk, number)
    return download(
        request,
        file.content,
        file.name,
        judgment_list=judgment_list,
        format=GRADES[format],
        version=version,
    )
