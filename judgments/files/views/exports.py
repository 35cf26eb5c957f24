"""Taking judgments out, in the format of any tool."""

from collections.abc import Mapping
from functools import partial

from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from judgments.content.reports.query_sets import role_in
from judgments.files.actions.exports import record_export
from judgments.files.reports import exports as reports
from judgments.files.reports.exports import contents
from judgments.models import JudgmentList
from judgments.pages.fetching import is_administered, visible_list
from judgments.pages.http import MemberRequest, export_response
from judgments.pages.trails import list_page
from touchstone_core.formats.judgments.judgment_files import GRADES, WRITABLE, JudgmentFormat


@require_safe
def export(request: MemberRequest, pk: int) -> HttpResponseBase:
    """The formats to choose from; `?format=` gives the file, with `about=1` what is to be known about it.

    Grades are for engineers too, what single raters said for admins.
    """
    judgment_list = visible_list(request, pk)
    formats = WRITABLE if is_administered(request, pk) else GRADES
    name = request.GET.get("format", "")
    if not name:
        return _page(request, judgment_list, formats)
    if name not in formats:
        raise Http404
    if request.GET.get("about"):
        about = reports.description(judgment_list, at=timezone.now())
        file_name = reports.file_name(judgment_list, formats[name].file_kind, at=timezone.now())
        headers = {"Content-Disposition": f'attachment; filename="about-{file_name.rsplit(".", 1)[0]}.json"'}
        return JsonResponse(about.as_json(), headers=headers, json_dumps_params={"ensure_ascii": False})
    try:
        whole = bool(request.GET.get("round"))
        file = reports.export(judgment_list, formats[name], at=timezone.now(), whole_numbers=whole)
    except reports.ExportRefusedError as error:
        return _page(
            request, judgment_list, formats, refused_format=formats[name], failure=str(error), status=422
        )
    record = partial(record_export, judgment_list=judgment_list, format=formats[name].label)
    return export_response(request, file, record)


def _page(
    request: MemberRequest,
    judgment_list: JudgmentList,
    formats: Mapping[str, JudgmentFormat],
    *,
    refused_format: JudgmentFormat | None = None,
    failure: str = "",
    status: int = 200,
) -> HttpResponse:
    context = list_page(judgment_list, role_in(judgment_list.query_set, request.user), "export", "Export") | {
        "formats": formats.values(),
        "contents": contents(judgment_list),
        "failure": failure,
        "refused_format": refused_format,
    }
    return render(request, "judgments/files/export.html", context, status=status)
