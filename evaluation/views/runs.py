"""A query set's runs: the list of them, upload and deletion."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from evaluation.actions import runs as actions
from evaluation.errors import EvaluationError, RunExists
from evaluation.forms.runs import RunUploadForm
from evaluation.models import Run
from evaluation.reports.incoming import Incoming, read_incoming, retrieved_documents
from judgments.actions import uploads
from judgments.formats.problems import FormatError, Report
from judgments.models import JudgmentList, Purpose, QuerySet, Upload
from judgments.views.errors import too_large
from judgments.views.http import MemberRequest
from judgments.words import counted

PER_PAGE = 50


def run_list(request: MemberRequest, pk: int) -> HttpResponse:
    """The runs of a query set, newest first."""
    query_set = get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    runs = (
        Run.objects.filter(query_set=query_set).select_related("uploaded_by").order_by("-created_at", "-pk")
    )
    context = {
        "query_set": query_set,
        "tab": "runs",
        "trail": _trail(query_set, "Runs"),
        "page": Paginator(runs, PER_PAGE).get_page(request.GET.get("page")),
        "lists": list(JudgmentList.objects.filter(query_set=query_set).order_by("pk")),
        "may_delete": _may_delete(request, query_set),
    }
    return render(request, "evaluation/run_list.html", context)


def run_upload(request: MemberRequest, pk: int) -> HttpResponse:
    """Takes a run file: stored whole, or refused with a report by line and kept for another try."""
    query_set = get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    if request.method != "POST":
        return _upload_page(request, query_set, RunUploadForm())
    kept = _kept_upload(request, query_set)
    form = RunUploadForm(request.POST, request.FILES, kept=kept is not None)
    if not form.is_valid():
        return _upload_page(request, query_set, form, kept=kept)
    fresh = form.cleaned_data["file"]
    if fresh is not None and fresh.size > settings.UPLOAD_LIMIT:
        return too_large(request, f"{fresh.name} is too large. Nothing was stored.")
    return _take(request, query_set, form, kept)


def _take(
    request: MemberRequest, query_set: QuerySet, form: RunUploadForm, kept: Upload | None
) -> HttpResponse:
    fresh = form.cleaned_data["file"]
    file_name, data = (fresh.name, fresh.read()) if fresh or kept is None else _read_kept(kept)
    try:
        incoming = read_incoming(
            data,
            file_name=file_name,
            query_set=query_set,
            choices=form.choices,
            limit=settings.UNPACKED_LIMIT,
        )
    except FormatError as error:
        form.add_error("file", error.message)
        return _upload_page(request, query_set, form)
    if not incoming.parsed.report.ok:
        if fresh:
            kept = uploads.keep_upload(
                query_set=query_set,
                user=request.user,
                purpose=Purpose.RUN,
                file=fresh,
                sha256=incoming.sha256,
            )
        return _upload_page(request, query_set, form, kept=kept, incoming=incoming)
    return _store(request, query_set, form, incoming, file_name)


def _read_kept(kept: Upload) -> tuple[str, bytes]:
    with kept.file.open() as stream:
        return kept.name, stream.read()


def _store(
    request: MemberRequest, query_set: QuerySet, form: RunUploadForm, incoming: Incoming, file_name: str
) -> HttpResponse:
    name = form.cleaned_data["name"] or incoming.name
    try:
        run = actions.store_run(
            query_set=query_set,
            parsed=incoming.parsed,
            name=name,
            order=form.cleaned_data["order"],
            file_name=file_name,
            sha256=incoming.sha256,
            user=request.user,
        )
    except RunExists as error:
        same = Run.objects.filter(query_set=query_set, name__iexact=name, sha256=incoming.sha256).first()
        if same is not None:  # a double click, or the same file once more
            messages.info(request, f"This file is here already, as run “{same}”. Nothing was stored twice.")
            return redirect(_run_url(same))
        form.add_error("name", str(error))
        return _upload_page(request, query_set, form)
    except EvaluationError as error:
        form.add_error(None, str(error))
        return _upload_page(request, query_set, form)
    _tell(request, run, incoming)
    return redirect(_run_url(run))


def _tell(request: MemberRequest, run: Run, incoming: Incoming) -> None:
    messages.success(
        request,
        f"Run “{run}” is stored: {counted(run.query_count, 'query', 'queries')}, "
        f"{counted(run.row_count, 'document')}.",
    )
    if warnings := incoming.parsed.report.warnings.total:
        messages.warning(
            request, f"The file was read with {counted(warnings, 'warning')}; the run's page lists them."
        )
    found = retrieved_documents(incoming.parsed, run.query_set)
    if found.sentence:
        tell = messages.warning if found.none_known else messages.info
        tell(request, found.sentence)
    if incoming.earlier is not None:
        messages.info(request, f"The same file was uploaded before, as run “{incoming.earlier}”.")


@require_POST
def run_delete(request: MemberRequest, pk: int) -> HttpResponse:
    """Deletes a run: its uploader's and the admins' right."""
    run = get_object_or_404(Run.objects.visible_to(request.user).select_related("query_set"), pk=pk)
    if run.uploaded_by_id != request.user.pk and not _may_delete(request, run.query_set):
        messages.error(request, f"Run “{run}” can be deleted by an admin or by whoever uploaded it.")
        return redirect("query-set-runs", run.query_set_id)
    actions.delete_run(run=run)
    messages.success(request, f"Run “{run.name}” is deleted.")
    return redirect("query-set-runs", run.query_set_id)


def _may_delete(request: MemberRequest, query_set: QuerySet) -> bool:
    return QuerySet.objects.administered_by(request.user).filter(pk=query_set.pk).exists()


def _kept_upload(request: MemberRequest, query_set: QuerySet) -> Upload | None:
    """The file of the try before, as long as it is this account's and this query set's."""
    found = Upload.objects.visible_to(request.user).filter(query_set=query_set, purpose=Purpose.RUN)
    try:
        return found.filter(pk=request.POST["kept"]).first() if request.POST.get("kept") else None
    except (ValueError, ValidationError):
        return None


def _run_url(run: Run) -> str:
    """The run's page under the first judgment list of its query set; without a list, the query set's runs."""
    judgment_list = JudgmentList.objects.filter(query_set=run.query_set_id).order_by("pk").first()
    if judgment_list is None:
        return reverse("query-set-runs", args=[run.query_set_id])
    return reverse("run", args=[judgment_list.pk, run.pk])


def _upload_page(
    request: MemberRequest,
    query_set: QuerySet,
    form: RunUploadForm,
    *,
    kept: Upload | None = None,
    incoming: Incoming | None = None,
) -> HttpResponse:
    context = {
        "query_set": query_set,
        "tab": "runs",
        "trail": _trail(query_set, "Upload a run"),
        "form": form,
        "kept": kept,
        "limit": settings.UPLOAD_LIMIT,
        "reports": _report_lines(incoming.parsed.report) if incoming else [],
    }
    return render(request, "evaluation/run_upload.html", context, status=422 if form.is_bound else 200)


def _report_lines(report: Report) -> list[dict[str, object]]:
    """The report as parts/report.html takes it: errors first, then warnings."""
    shown = []
    for level, title, findings in (
        ("error", "Errors: nothing was stored", report.errors),
        ("warning", "Warnings", report.warnings),
    ):
        if findings.total:
            shown.append(
                {
                    "title": title,
                    "counts": findings.counts.items(),
                    "lines": [
                        {"level": level, "line": problem.line, "text": problem.sentence}
                        for problem in findings.by_line
                    ],
                    "more": findings.more,
                }
            )
    return shown


def _trail(query_set: QuerySet, last: str) -> list[dict[str, str]]:
    return [
        {"name": "Query sets", "url": reverse("query-sets")},
        {"name": query_set.name, "url": reverse("query-set", args=[query_set.pk])},
        {"name": last},
    ]
