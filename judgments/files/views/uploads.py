"""The preview of an uploaded file, the choices how to read it, and the confirmation."""

from dataclasses import replace
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import get_text_list
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from judgments.files.actions import uploads as actions
from judgments.files.actions.import_jobs import cancel_import, is_large, request_import
from judgments.files.actions.imports import ImportedMeanwhileError, ImportRefusedError
from judgments.files.forms import ChoicesForm
from judgments.files.reports import uploads as reports
from judgments.files.reports.import_grades import NEGATIVE_GRADE
from judgments.files.reports.import_raters import ACCOUNT, DECISIONS, accounts
from judgments.files.reports.imports import READABLE, Choices, ImportResult, last_import
from judgments.files.reports.judgment_imports import is_refused
from judgments.files.reports.uploads import Preview, Reading
from judgments.files.views.reading import report_parts, waiting_page
from judgments.models import Purpose, Upload
from judgments.pages.archive_guard import to_change
from judgments.pages.http import MemberRequest, what_is_wrong
from judgments.pages.trails import list_trail, query_set_trail
from touchstone_core.formats.judgments.decisions import FILE_OF_DECISIONS
from touchstone_core.formats.problems import FormatError
from touchstone_core.words import counted

SHOWN_MACHINES: Final = 20
ONE: dict[str, str] = {
    Purpose.QUERIES: "query",
    Purpose.DOCUMENTS: "document",
    Purpose.JUDGMENTS: "judgment",
}


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def upload(request: MemberRequest, pk: Any) -> HttpResponse:
    """Shows what importing would do; `action=import` does it, any other POST keeps the choices.

    `action=import_good` leaves out the lines with problems, whatever was chosen.

    While a worker imports the file, shows how far it is, and `action=cancel` ends that.
    """
    row = get_object_or_404(
        Upload.objects.importable_by(request.user).select_related("query_set", "judgment_list__scale"), pk=pk
    )
    if row.requested_at:
        return _being_imported(request, row)
    if request.htmx:  # asked by the page of an import that has ended
        return HttpResponseClientRefresh()
    if row.applied_at:
        _tell(request, row, ImportResult(**row.result) if row.result else None)  # none by an earlier release
        return redirect(_target(row))
    choices = Choices.from_json(row.options)
    try:
        if request.method == "POST":
            form = ChoicesForm(
                request.POST, purpose=row.purpose, headers=[], headers_in_use={}, choices=choices
            )
            if not form.is_valid():
                return _page(request, row, choices, failure=what_is_wrong(form), status=422)
            choices = form.choices
            action = request.POST.get("action")
            if action == "import_good":
                choices = replace(choices, good_lines=True)
            actions.keep_choices(upload=row, choices=choices)
            if action not in ("import", "import_good"):
                return redirect("upload", pk)
            return _import(request, row, choices)
        return _page(request, row, choices, failure=row.failure)
    except reports.UploadGoneError as error:
        messages.error(request, str(error))
        return redirect(_again(row))


def _being_imported(request: MemberRequest, upload: Upload) -> HttpResponse:
    if request.method == "POST":
        if request.POST.get("action") == "cancel":
            cancel_import(upload=upload)
        return redirect("upload", upload.pk)
    template = "judgments/files/being_imported.html"
    return waiting_page(request, template, upload, _trail(upload), what=_what(upload))


def _import(request: MemberRequest, upload: Upload, choices: Choices) -> HttpResponse:
    now, latest_import = timezone.now(), request.POST.get("seen", "")
    if is_large(upload):
        rows = request.POST.get("rows", "")
        counted_rows = int(rows) if rows.isdecimal() and len(rows) < 9 else 0
        request_import(upload=upload, choices=choices, at=now, latest_import=latest_import, rows=counted_rows)
        return redirect("upload", upload.pk)
    try:
        result = actions.apply_upload(upload=upload, choices=choices, at=now, latest_import=latest_import)
    except actions.AppliedAlreadyError as error:
        messages.info(request, str(error))
        return redirect(_target(upload))
    except (FormatError, ImportRefusedError, ImportedMeanwhileError) as error:
        status = 409 if isinstance(error, ImportedMeanwhileError) else 422
        return _page(request, upload, choices, failure=str(error), status=status)
    _tell(request, upload, result)
    return redirect(_target(upload))


def _tell(request: MemberRequest, upload: Upload, result: ImportResult | None) -> None:
    """What came of the import, and where it can be undone."""
    can_undo = upload.purpose == Purpose.JUDGMENTS and result and result.new + result.changed
    undo = " If it was the wrong file, undo it at Judging, Import." if can_undo else ""
    if result and result.decisions:
        undo += " To take a decision back, withdraw it at Quality, Disagreements."
    count = " To let them count, open Quality, Raters." if result and result.machines_left_out else ""
    messages.success(request, f"{upload.name}: {in_words(result) if result else 'imported'}.{count}{undo}")


def _page(
    request: MemberRequest, upload: Upload, choices: Choices, *, failure: str, status: int = 200
) -> HttpResponse:
    # Before the file is read, lest one that comes meanwhile be missed.
    latest_import = last_import(reports.query_set_of(upload).pk)
    try:
        preview = actions.with_upload(reports.preview, upload, choices=choices, limit=settings.UNPACKED_LIMIT)
    except FormatError as error:
        preview = Preview(failure=error.message)
    reading = preview.reading
    shown = {one.name for one in reading.raters} if reading else {*choices.raters}
    others = {name: who for name, who in choices.raters.items() if name not in shown}
    form = ChoicesForm(
        purpose=upload.purpose,
        headers=preview.headers,
        headers_in_use=reading.used if reading else {},
        choices=replace(choices, raters=others),
    )
    is_of_decisions = bool(reading and reading.format == FILE_OF_DECISIONS)
    if is_of_decisions:
        form.offer_what_decisions_need()
    asks_negative = bool(reading and reading.report.errors.counts.keys() == ONLY_NEGATIVE)
    context = {
        "upload": upload,
        "query_set": reports.query_set_of(upload),
        "judgment_list": upload.judgment_list,
        "preview": preview,
        "reading": reading,
        "format": READABLE[upload.purpose][reading.format] if reading else None,
        "reports": report_parts(reading.report, errors="Problems") if reading else [],
        "form": form,
        "choices": choices,
        "raters": _raters(upload, reading) if reading else {},
        "machines": _machines(reading) if reading else {},
        "before": reports.applied_before(upload),
        "again": _again(upload),
        "has_unknown": bool(reading and _may_create(reading)),
        "what": _what(upload),
        "failure": failure,
        "seen": latest_import,
        "expected": reading.result.everything if reading else 0,
        "decides": is_of_decisions,
        "importable": is_importable(preview.reading, choices),
        "asks_negative": asks_negative,
        "has_good_lines": not asks_negative
        and is_importable(preview.reading, replace(choices, good_lines=True)),
        "rows": _rows(upload, reading.result) if reading else "",
        "trail": _trail(upload),
    }
    return render(request, "judgments/files/upload.html", context, status=status)


ONLY_NEGATIVE: Final = frozenset({NEGATIVE_GRADE})
"""Where nothing else is wrong, the choice of what they mean is enough: it can leave them out, too."""
UNKNOWN: Final = frozenset({"unknown query", "unknown document"})
"""Kinds of problems that `create_missing` solves."""


def _may_create(reading: Reading) -> bool:
    """Whether queries or documents are unknown that the import could create. A decision is about a pair that is there."""
    return reading.format != FILE_OF_DECISIONS and not UNKNOWN.isdisjoint(reading.report.errors.counts)


def _raters(upload: Upload, reading: Reading) -> dict[str, Any]:
    """The names of the file, and who they may be said to be."""
    if not reading.raters:
        return {}
    people = accounts(reports.query_set_of(upload))
    members = [(f"{ACCOUNT}{name}", f"account {name}") for name in sorted(people)]
    asked = (nth for nth, one in enumerate(reading.raters, start=1) if one.alike and not one.decision)
    return {
        "rows": reading.raters,
        "options": [*DECISIONS.items(), *members],
        "more": reading.more_raters,
        "first_asked": next(asked, None),
    }


def _machines(reading: Reading) -> dict[str, str]:
    """The names of the machines whose grades won't count, and of those that count like a person."""
    names = {
        counts: [name for name, count in reading.machines.items() if count is counts]
        for counts in (False, True)
    }
    return {"left_out": _some_names(names[False]), "counting": _some_names(names[True])}


def _some_names(names: list[str]) -> str:
    more = [f"{len(names) - SHOWN_MACHINES:,} more"] if len(names) > SHOWN_MACHINES else []
    return str(get_text_list([*names[:SHOWN_MACHINES], *more], "and"))


def in_words(result: ImportResult) -> str:
    rows = f"{result.new:,} new, {result.changed:,} changed, {result.unchanged:,} unchanged"
    if result.documents:
        rows += f"; {counted(result.documents, 'document')} new or changed"
    if result.kept_fields:
        rows += f"; {counted(result.kept_fields, 'change', 'changes')} to other fields"
    pairs = f"{counted(result.pairs, 'pair')} to judge added, {result.known_pairs:,} known"
    decisions = (
        f"{counted(result.decisions, 'decision')} new or replaced, {result.known_decisions:,} unchanged"
    )
    if result.all_pairs or result.all_decisions:
        further = filter(None, (pairs if result.all_pairs else "", decisions if result.all_decisions else ""))
        rows = "; ".join(further if result.judges_nothing else (rows, *further))
    if result.left_out:
        rows += f"; {counted(result.left_out, 'problem')} left out"
    machines = counted(result.machines_left_out, "machine")
    return f"{rows}; grades of {machines} don’t count" if result.machines_left_out else rows


def is_importable(reading: Reading | None, choices: Choices) -> bool:
    """Whether there is something in it, and nothing that the choices don't leave out is wrong."""
    return bool(
        reading
        and reading.result.everything
        and not is_refused(reading.report, good_lines=choices.good_lines)
    )


def _rows(upload: Upload, result: ImportResult) -> str:
    """What the button imports, as far as it isn't there yet: “12 queries”, “1 judgment and 3 pairs”; empty for nothing."""
    changes = (
        (result.new + result.changed, ONE[upload.purpose], upload.purpose),
        (result.pairs, "pair", "pairs"),
        (result.decisions, "decision", "decisions"),
        (result.documents, "document", "documents"),
        (result.kept_fields, "change to other fields", "changes to other fields"),
    )
    parts = [counted(count, one, many) for count, one, many in changes if count]
    return get_text_list(parts, "and")


def _what(upload: Upload) -> str:
    return Purpose(upload.purpose).label.lower()


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
    return query_set_trail(reports.query_set_of(upload), own, ("Import", _again(upload)), upload.name)
