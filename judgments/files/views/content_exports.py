"""Taking queries and documents out."""

from functools import partial

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from judgments.content.reports import query_sets
from judgments.files.actions.exports import record_content_export
from judgments.files.reports import content_exports as reports
from judgments.models import JudgmentList, QuerySet
from judgments.pages.fetching import staffed_query_set
from judgments.pages.http import MemberRequest, export_response
from judgments.pages.trails import query_set_page
from touchstone_core.formats.content.document_files import BEIR


@require_safe
def export(request: MemberRequest, pk: int) -> HttpResponseBase:
    """The files to choose from; `?format=` gives one. For a BEIR folder `list` says whose grades are in it."""
    query_set = staffed_query_set(request, pk)
    format = request.GET.get("format", "")
    if not format:
        return _page(request, query_set)
    if format not in reports.FORMATS:
        raise Http404
    try:
        return content_file(request, query_set, format)
    except reports.NotAsTableError as error:
        return _page(request, query_set, failure=str(error), status=422)


def content_file(request: MemberRequest, query_set: QuerySet, format: str) -> HttpResponseBase:
    """The file, with a line in the log. Raises NotAsTableError."""
    judgment_list = _list(request, query_set) if format == BEIR.name else None
    file = reports.export_content(query_set, format, at=timezone.now(), judgment_list=judgment_list)
    record = partial(record_content_export, query_set=query_set, format=reports.FORMATS[format])
    return export_response(request, file, record)


def _list(request: MemberRequest, query_set: QuerySet) -> JudgmentList | None:
    """The list that the address names, if it names one."""
    key = request.GET.get("list", "")
    if not key:
        return None
    lists = JudgmentList.objects.visible_to(request.user).filter(query_set=query_set)
    judgment_list = next((one for one in lists if str(one.pk) == key), None)
    if judgment_list is None:
        raise Http404
    return judgment_list


def _page(
    request: MemberRequest, query_set: QuerySet, *, failure: str = "", status: int = 200
) -> HttpResponse:
    context = query_set_page(query_set, query_sets.role_in(query_set, request.user), "export", "Export") | {
        "formats": [
            (name, label, reports.LEAVES_OUT[name])
            for name, label in reports.FORMATS.items()
            if name != BEIR.name
        ],
        "beir_leaves_out": BEIR.leaves_out,
        "lists": query_set.judgment_lists.order_by("name"),
        "counts": {"queries": query_set.queries.count(), "documents": query_set.documents.count()},
        "failure": failure,
    }
    return render(request, "judgments/files/query_set_export.html", context, status=status)
