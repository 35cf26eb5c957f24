"""The preview of an uploaded file, the choices how to read it, and the confirmation."""

from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from judgments.files.actions import uploads as actions
from judgments.files.actions.imports import ImportedMeanwhileError, ImportRefusedError
from judgments.files.forms import ChoicesForm
from judgments.files.reports import uploads as reports
from judgments.files.reports.import_raters import ACCOUNT, WORDS, accounts
from judgments.files.reports.imports import READ, Choices, ImportResult, last_import
from judgments.files.reports.uploads import Preview, Reading
from judgments.files.views.reading import with_upload
from judgments.models import Purpose, QuerySet, Upload
from judgments.pages.archived import to_change
from judgments.pages.http import MemberRequest
from judgments.pages.trails import list_trail, query_set_trail
from touchstone_core.formats.problems import Findings, FormatError, Problem, Report
from touchstone_core.words import counted

ONE: dict[str, str] = {
    Purpose.QUERIES: "query",
    Purpose.DOCUMENTS: "document",
    Purpose.JUDGMENTS: "judgment",
}


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def upload(request: MemberRequest, pk: Any) -> HttpResponse:
    """Shows what importing would do; `action=import` does it, any other POST keeps the choices."""
    found = _fetch(request, pk)
    if found.applied_at:
        messages.info(request, f"{found.name} has been imported.")
        return redirect(_target(found))
    choices = Choices.from_json(found.options)
    try:
        if request.method == "POST":
            form = ChoicesForm(request.POST, purpose=found.purpose, headers=[], used={}, choices=choices)
            choices = form.choices if form.is_valid() else choices
            actions.keep_choices(upload=found, choices=choices)
            if request.POST.get("action") != "import":
                return redirect("upload", pk)
            return _import(request, found, choices)
        return _page(request, found, choices)
    except reports.UploadGoneError as error:
        messages.error(request, str(error))
        return redirect(_again(found))


@require_safe
def progress(request: MemberRequest, pk: Any) -> JsonResponse:
    """For a page that waits: what is going on with the upload at this moment."""
    return JsonResponse(
        asdict(reports.progress_of(_fetch(request, pk))), headers={"Cache-Control": "no-store"}
    )


def _fetch(request: MemberRequest, pk: Any) -> Upload:
    return get_object_or_404(
        Upload.objects.visible_to(request.user).select_related("query_set", "judgment_list__scale"),
        pk=pk,
        purpose__in=ONE,
        query_set__in=QuerySet.objects.administered_by(request.user),
    )


def _import(request: MemberRequest, upload: Upload, choices: Choices) -> HttpResponse:
    try:
        result = with_upload(
            actions.apply_upload,
            upload,
            choices=choices,
            at=timezone.now(),
            seen=request.POST.get("seen", ""),
        )
    except actions.AppliedAlreadyError as error:
        messages.info(request, str(error))
        return redirect(_target(upload))
    except ImportedMeanwhileError:
        return _page(request, upload, choices, status=409)
    except (FormatError, ImportRefusedError):
        return _page(request, upload, choices, status=422)
    messages.success(request, f"{upload.name}: {in_words(result)}.")
    return redirect(_target(upload))


def _page(request: MemberRequest, upload: Upload, choices: Choices, *, status: int = 200) -> HttpResponse:
    seen = last_import(
        upload.query_set_id
    )  # before the file is read, lest one that comes meanwhile be missed
    try:
        preview = with_upload(reports.preview, upload, choices=choices, limit=settings.UNPACKED_LIMIT)
    except FormatError as error:
        preview = Preview(failure=error.message)
    reading = preview.reading
    form = ChoicesForm(
        purpose=upload.purpose,
        headers=preview.headers,
        used=reading.used if reading else {},
        choices=choices,
    )
    context = {
        "upload": upload,
        "query_set": upload.query_set,
        "judgment_list": upload.judgment_list,
        "preview": preview,
        "reading": reading,
        "format": READ[upload.purpose][reading.format] if reading else None,
        "reports": _report_parts(reading.report) if reading else [],
        "form": form,
        "choices": choices,
        "raters": _raters(upload, reading) if reading else {},
        "before": reports.applied_before(upload),
        "again": _again(upload),
        "what": Purpose(upload.purpose).label.lower(),
        "refused": status == 422,
        "outdated": status == 409,
        "seen": seen,
        "importable": _importable(preview, choices),
        "rows": _rows(upload, reading.result) if reading else "",
        "trail": _trail(upload),
    }
    return render(request, "judgments/files/upload.html", context, status=status)


def _raters(upload: Upload, reading: Reading) -> dict[str, Any]:
    """The names of the file, and who they may be said to be."""
    if not reading.raters:
        return {}
    people = accounts(upload.query_set)
    members = [(f"{ACCOUNT}{name}", f"account {name}") for name in sorted(people)]
    return {"found": reading.raters, "options": [*WORDS.items(), *members], "more": reading.more_raters}


def in_words(result: ImportResult) -> str:
    rows = f"{result.new:,} new, {result.changed:,} changed, {result.unchanged:,} unchanged"
    if result.documents:
        rows += f"; {counted(result.documents, 'document')} new or changed"
    if not result.all_pairs:
        return rows
    pairs = f"{counted(result.pairs, 'pair')} to judge added, {result.known_pairs:,} known"
    return pairs if result.judges_nothing else f"{rows}; {pairs}"


def _importable(preview: Preview, choices: Choices) -> bool:
    reading = preview.reading
    return bool(
        reading
        and (reading.result.total or reading.result.all_pairs)
        and (reading.report.ok or choices.good_lines)
    )


def _rows(upload: Upload, result: ImportResult) -> str:
    """What the button imports, as far as it isn't there yet: “12 queries”, “1 judgment and 3 pairs”; empty for nothing."""
    changes = (
        (result.new + result.changed, ONE[upload.purpose], upload.purpose),
        (result.pairs, "pair", "pairs"),
        (result.documents, "document", "documents"),
    )
    told = [counted(count, one, many) for count, one, many in changes if count]
    return ", ".join([*told[:-2], " and ".join(told[-2:])])


def _report_parts(report: Report) -> list[dict[str, Any]]:
    """For parts/report.html: errors and warnings with the number of each kind."""
    kinds = ((report.errors, "error", "Problems"), (report.warnings, "warning", "Warnings"))
    return [_report_part(findings, level, title) for findings, level, title in kinds if findings.total]


def _report_part(findings: Findings, level: str, title: str) -> dict[str, Any]:
    return {
        "title": f"{title} ({findings.total:,})",
        "kinds": sorted(findings.counts.items()),
        "lines": [
            {"level": level, "line": problem.line, "text": _without_line(problem)}
            for problem in findings.by_line
        ],
        "more": findings.more,
    }


def _without_line(problem: Problem) -> str:
    place = f"{problem.column}: " if problem.column else ""
    return f"{place}found “{problem.value}”, expected {problem.expected}."


def _target(upload: Upload) -> str:
    """Where the imported rows are to be seen."""
    if upload.judgment_list_id:
        return reverse("list", args=[upload.judgment_list_id])
    return reverse(f"query-set-{upload.purpose}", args=[upload.query_set_id])


def _again(upload: Upload) -> str:
    if upload.judgment_list_id:
        return reverse("import-judgments", args=[upload.judgment_list_id])
    return reverse(f"import-{upload.purpose}", args=[upload.query_set_id])


def _trail(upload: Upload) -> list[dict[str, str]]:
    if upload.judgment_list:
        return list_trail(upload.judgment_list, ("Import", _again(upload)), upload.name)
    own = (Purpose(upload.purpose).label, _target(upload))
    return query_set_trail(upload.query_set, own, ("Import", _again(upload)), upload.name)
