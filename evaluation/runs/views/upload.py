"""The upload of a file of one or several runs."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, BinaryIO, Final, cast

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from evaluation.models import Run
from evaluation.runs.actions import run_jobs
from evaluation.runs.actions.fetching import DEPTH, ENGINE, lacks_answers
from evaluation.runs.actions.run_files import RunFileOutcome, RunUpload, store_run_file, store_run_upload
from evaluation.runs.forms import FetchForm, RunUploadForm
from evaluation.runs.reports.incoming import engines_of
from judgments.files.actions import uploads
from judgments.files.actions.import_jobs import cancel_import
from judgments.files.reports.uploads import UploadGoneError, open_upload, query_set_of
from judgments.files.views.reading import as_one_file, report_parts, waiting_page, with_file
from judgments.models import JudgmentList, Purpose, QuerySet, Upload
from judgments.pages.archive_guard import to_change
from judgments.pages.errors import too_large
from judgments.pages.fetching import staffed_query_set
from judgments.pages.http import MemberRequest
from judgments.pages.trails import query_set_trail
from touchstone_core.formats.file_format import by_label
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.declarations import FORMATS
from touchstone_core.formats.runs.rankings import TWICE
from touchstone_core.formats.runs.runs import NO_KNOWN_QUERY, UNKNOWN_QUERY
from touchstone_core.words import counted

FETCH: Final = "fetch"
"""Before the names of the fields about a search engine."""
MOST_NAMES = 10
CURES: Final = {
    UNKNOWN_QUERY: ("Leave out unknown queries and upload", {"unknown": "skip"}),
    TWICE: ("Keep the first of repeated documents and upload", {"duplicates": "first"}),
}
"""For a kind of error the button that cures it, and what it chooses."""


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def run_upload(request: MemberRequest, pk: int) -> HttpResponse:
    """Takes a file of one or several runs: all stored, or refused with a report by line and kept for another try.

    `cure` is one of CURES, whatever else was chosen.
    """
    query_set = staffed_query_set(request, pk)
    if request.method != "POST":
        return upload_page(request, query_set, RunUploadForm())
    kept_upload = _kept_upload(request, query_set)
    _, cure = CURES.get(request.POST.get("cure", ""), ("", {}))
    form = RunUploadForm(request.POST.dict() | cure, request.FILES, kept=kept_upload is not None)
    if not form.is_valid():
        return upload_page(request, query_set, form, kept_upload=kept_upload)
    fresh = form.cleaned_data["file"] = as_one_file(request, "file")
    if fresh is not None and (fresh.size or 0) > settings.UPLOAD_LIMIT:
        return too_large(request, f"{fresh.name} is too large. Nothing was stored.")
    return _take(request, query_set, form, kept_upload)


@require_POST
@to_change
def run_fetch(request: MemberRequest, pk: int) -> HttpResponse:
    """Asks a worker for the run of a search engine of this site."""
    query_set = staffed_query_set(request, pk)
    form = _fetch_form(query_set, request.POST)
    if form.is_valid():
        values = form.cleaned_data
        try:
            upload = run_jobs.request_fetch(
                query_set=query_set,
                user=request.user,
                engine=values["engine"],
                depth=values["depth"],
                about=RunUpload(name=values["name"]),
                at=timezone.now(),
            )
        except uploads.UploadQuotaError as error:
            form.add_error(None, str(error))
        else:
            return redirect("stored-runs", upload.pk)
    return upload_page(request, query_set, RunUploadForm(), fetch_form=form)


def _fetch_form(query_set: QuerySet, data: Mapping[str, Any] | None = None) -> FetchForm:
    return FetchForm(data, engines=engines_of(query_set), prefix=FETCH)


def _take(
    request: MemberRequest, query_set: QuerySet, form: RunUploadForm, kept_upload: Upload | None
) -> HttpResponse:
    fresh = form.cleaned_data["file"]
    about = RunUpload(form.choices, form.cleaned_data["name"], form.cleaned_data["order"])
    arguments: dict[str, Any] = {
        "query_set": query_set,
        "about": about,
        "limit": settings.UNPACKED_LIMIT,
        "user": request.user,
    }
    try:
        if waiting := _left_to_worker(request, query_set, fresh, kept_upload, about):
            return redirect("stored-runs", waiting.pk)
        if fresh or kept_upload is None:
            outcome = with_file(store_run_file, fresh, file_name=fresh.name, **arguments)
        else:
            outcome = uploads.with_upload(store_run_upload, kept_upload, **arguments)
    except (FormatError, UploadGoneError, uploads.UploadQuotaError) as error:
        form.add_error("file", str(error))
        return upload_page(request, query_set, form, kept_upload=None if fresh else kept_upload)
    if outcome.runs:
        _tell(request, outcome)
        return redirect(_runs_url(outcome.runs))
    if outcome.refusal:
        form.add_error(outcome.about, outcome.refusal)
    if fresh:  # another choice, or another name, may make it good
        try:
            kept_upload = _keep(request, query_set, fresh, outcome.sha256)
        except uploads.UploadQuotaError as error:
            kept_upload = None
            form.add_error("file", str(error))
    return upload_page(request, query_set, form, kept_upload=kept_upload, outcome=outcome)


def _left_to_worker(
    request: MemberRequest,
    query_set: QuerySet,
    fresh: UploadedFile[bytes] | None,
    kept_upload: Upload | None,
    about: RunUpload,
) -> Upload | None:
    """The upload that a worker was asked for; None for a file that is stored at once. Raises UploadQuotaError."""
    if fresh:
        if not run_jobs.is_large(cast(BinaryIO, fresh), fresh.size or 0):
            return None
        kept_upload = _keep(request, query_set, fresh)
    elif kept_upload is None or not _is_large(kept_upload):
        return None
    run_jobs.request_storing(upload=kept_upload, about=about, at=timezone.now())
    return kept_upload


def _keep(
    request: MemberRequest, query_set: QuerySet, fresh: UploadedFile[bytes], sha256: str | None = None
) -> Upload:
    return uploads.keep_upload(
        query_set=query_set, user=request.user, purpose=Purpose.RUN, file=fresh, sha256=sha256
    )


def _is_large(upload: Upload) -> bool:
    with open_upload(upload) as file:
        return run_jobs.is_large(file, upload.size)


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def stored_runs(request: MemberRequest, pk: Any) -> HttpResponse:
    """How far a worker is with a large file of runs; `action=cancel` ends that. Afterwards the runs, or what is wrong with them."""
    runs = Upload.objects.visible_to(request.user).filter(purpose=Purpose.RUN)
    upload = get_object_or_404(runs.select_related("query_set"), pk=pk)
    query_set = query_set_of(upload)
    if request.method == "POST":
        if request.POST.get("action") == "cancel":
            cancel_import(upload=upload)
        return redirect("stored-runs", pk)
    if upload.requested_at:
        return _being_stored(request, upload, query_set)
    if request.htmx:  # asked by the page of an upload that has ended
        return HttpResponseClientRefresh()
    outcome = RunFileOutcome.from_json(upload.result) if upload.result else None
    if upload.applied_at:
        if outcome is None or not outcome.runs:
            return redirect("query-set-runs", query_set.pk)
        _tell(request, outcome)
        return redirect(_runs_url(outcome.runs))
    return _refused_page(request, upload, query_set, outcome)


def _being_stored(request: MemberRequest, upload: Upload, query_set: QuerySet) -> HttpResponse:
    trail = query_set_trail(
        query_set, ("Upload a run", reverse("run-upload", args=[query_set.pk])), upload.name
    )
    return waiting_page(request, "evaluation/runs/being_stored.html", upload, trail)


def _refused_page(
    request: MemberRequest, upload: Upload, query_set: QuerySet, outcome: RunFileOutcome | None
) -> HttpResponse:
    """The form as it was sent, with the file kept."""
    about = RunUpload.from_json(upload.options) if upload.options else RunUpload()
    if lacks_answers(upload):
        names = {"engine": upload.options[ENGINE], "depth": upload.options[DEPTH], "name": about.name}
        fetch_form = _fetch_form(query_set, {f"{FETCH}-{name}": value for name, value in names.items()})
        fetch_form.is_valid()
        fetch_form.add_error(None, upload.failure)
        return upload_page(request, query_set, RunUploadForm(), fetch_form=fetch_form, status=200)
    values = asdict(about.choices) | {"name": about.name, "order": about.order}
    form = RunUploadForm(values, kept=True)
    form.is_valid()
    if upload.failure and (outcome is None or outcome.report.ok):
        form.add_error(outcome.about if outcome else None, upload.failure)
    return upload_page(request, query_set, form, kept_upload=upload, outcome=outcome, status=200)


def _tell(request: MemberRequest, outcome: RunFileOutcome) -> None:
    runs = outcome.runs
    if outcome.already_stored:  # a double click, or the same file once more
        messages.info(
            request, f"This file was already uploaded as {_run_names(runs)}. Nothing was stored again."
        )
        return
    queries = counted(sum(run.query_count for run in runs), "query", "queries")
    documents = counted(sum(run.row_count for run in runs), "document")
    result = (
        f"{_run_names(runs)} is stored: " if len(runs) == 1 else f"{_run_names(runs)} are stored, in all "
    )
    messages.success(request, f"{result[0].upper()}{result[1:]}{queries}, {documents}.")
    if outcome.moved:
        messages.warning(
            request,
            f"Scores and ranks give different orders in {outcome.moved:,} of {queries}. The scores were used. "
            "To use the ranks instead, upload the file again and choose its rank column.",
        )
    for name in outcome.left_out[:MOST_NAMES]:
        messages.warning(request, f"Run “{name}” isn’t stored: none of its queries is in this query set.")
    if more := outcome.left_out[MOST_NAMES:]:
        messages.warning(request, f"{counted(len(more), 'more run')} like that aren’t stored either.")
    counts = outcome.report.warnings.counts
    if others := sum(counts.values()) - outcome.moved - counts.get(NO_KNOWN_QUERY, 0):
        warnings = counted(others, "further warning" if outcome.moved else "warning")
        messages.warning(request, f"The file was read with {warnings}. “About this run” lists them.")
    retrieved = outcome.documents
    if retrieved and retrieved.sentence:
        tell = messages.warning if retrieved.none_known else messages.info
        tell(request, retrieved.sentence)
    if outcome.earlier:
        messages.info(request, f"The same file was uploaded before, as run “{outcome.earlier}”.")


def _run_names(runs: list[Run]) -> str:
    """run “a”, or 3 runs (“a”, “b”, “c”)"""
    names = [f"“{run}”" for run in runs[:MOST_NAMES]]
    if len(runs) == 1:
        return f"run {names[0]}"
    more = [f"{len(runs) - MOST_NAMES} more"] if len(runs) > MOST_NAMES else []
    return f"{len(runs)} runs ({', '.join(names + more)})"


def _kept_upload(request: MemberRequest, query_set: QuerySet) -> Upload | None:
    """The file of the try before, as long as it is this account's and this query set's."""
    uploads_of_runs = Upload.objects.visible_to(request.user).filter(query_set=query_set, purpose=Purpose.RUN)
    try:
        return uploads_of_runs.filter(pk=request.POST["kept"]).first() if request.POST.get("kept") else None
    except (ValueError, ValidationError):
        return None


def _runs_url(runs: list[Run]) -> str:
    """The run's page under the first judgment list of its query set; of several runs, or without a list, all runs."""
    judgment_list = JudgmentList.objects.filter(query_set=runs[0].query_set_id).order_by("pk").first()
    if judgment_list is None or len(runs) > 1:
        return reverse("query-set-runs", args=[runs[0].query_set_id])
    return reverse("run", args=[judgment_list.pk, runs[0].pk])


def _cures(outcome: RunFileOutcome) -> list[tuple[str, str]]:
    """Each kind of error with its button, if all can be cured and something would be left to store."""
    kinds = set(outcome.report.errors.counts)
    if not kinds <= CURES.keys() or (UNKNOWN_QUERY in kinds and not outcome.kept):
        return []
    return [(kind, CURES[kind][0]) for kind in sorted(kinds)]


def upload_page(
    request: MemberRequest,
    query_set: QuerySet,
    form: RunUploadForm,
    *,
    kept_upload: Upload | None = None,
    outcome: RunFileOutcome | None = None,
    fetch_form: FetchForm | None = None,
    status: int = 422,
) -> HttpResponse:
    report = outcome.report if outcome else None
    cures = _cures(outcome) if outcome else []
    leaves_out = outcome if outcome and any(kind == UNKNOWN_QUERY for kind, _ in cures) else None
    context = {
        "query_set": query_set,
        "tab": "runs",
        "trail": query_set_trail(query_set, "Upload a run"),
        "cures": cures,
        "kept_runs": leaves_out.kept if leaves_out else [],
        "left_out_runs": leaves_out.left_out if leaves_out else [],
        "form": form,
        "fetch_form": fetch_form or (_fetch_form(query_set) if engines_of(query_set) else None),
        "kept": kept_upload,
        "formats": by_label(FORMATS),
        "limit": settings.UPLOAD_LIMIT,
        "open": form.is_bound,
        "site": request.build_absolute_uri("/").rstrip("/"),
        "query_set_word": shlex.quote(query_set.name),
        "reports": report_parts(report, errors="Errors: nothing was stored")
        if report and not report.ok
        else [],
    }
    is_sent = form.is_bound or fetch_form is not None
    return render(request, "evaluation/runs/run_upload.html", context, status=status if is_sent else 200)
