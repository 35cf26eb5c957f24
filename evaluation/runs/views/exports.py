"""Exporting runs."""

from collections.abc import Sequence
from functools import partial

from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from evaluation.models import Run
from evaluation.runs.actions.exports import record_run_export
from evaluation.runs.reports.exports import MOST_AT_ONCE, export_runs
from evaluation.runs.views.runs import run_page, selected_runs
from judgments.files.reports.exports import ExportRefusedError
from judgments.models import QuerySet
from judgments.pages.fetching import staffed_query_set
from judgments.pages.http import MemberRequest, export_response
from touchstone_core.formats.runs.declarations import WRITABLE, RunFormat
from touchstone_core.words import counted


@require_safe
def export(request: MemberRequest, pk: int) -> HttpResponseBase:
    """The formats to choose from; `?format=` gives the file, with `about=1` what is to be known about it."""
    query_set = staffed_query_set(request, pk)
    runs = selected_runs(request, query_set)
    name = request.GET.get("format", "")
    if not name or not runs:
        return _page(request, query_set, runs)
    if name not in WRITABLE:
        raise Http404
    if len(runs) > MOST_AT_ONCE:
        return _page(request, query_set, runs, status=422)
    try:
        if request.GET.get("about"):
            file = export_runs(query_set, runs, WRITABLE[name], at=timezone.now())
            about = f"about-{file.name.rsplit('.', 1)[0]}.json"
            headers = {"Content-Disposition": content_disposition_header(True, about)}
            return JsonResponse(file.about, headers=headers, json_dumps_params={"ensure_ascii": False})
        return download(request, query_set, runs, WRITABLE[name])
    except ExportRefusedError as error:
        return _page(request, query_set, runs, failure=str(error), status=422)


def download(
    request: MemberRequest, query_set: QuerySet, runs: Sequence[Run], format: RunFormat
) -> HttpResponseBase:
    """Raises ExportRefusedError."""
    file = export_runs(query_set, runs, format, at=timezone.now())
    record = partial(record_run_export, query_set=query_set, runs=runs, format=format.label)
    return export_response(request, file, record)


def _page(
    request: MemberRequest, query_set: QuerySet, runs: Sequence[Run], *, failure: str = "", status: int = 200
) -> HttpResponse:
    title = "Export runs"
    if len(runs) > MOST_AT_ONCE:
        failure = f"Up to {MOST_AT_ONCE} runs fit into one file."
    elif runs:
        title = f"Export run “{runs[0]}”" if len(runs) == 1 else f"Export {counted(len(runs), 'run')}"
    context = run_page(request, query_set, title) | {
        "runs": runs[:MOST_AT_ONCE],
        "address": "".join(f"run={run.pk}&" for run in runs),
        "formats": WRITABLE.values(),
        "failure": failure,
        "fits": 0 < len(runs) <= MOST_AT_ONCE,
    }
    return render(request, "evaluation/runs/runs_export.html", context, status=status)
