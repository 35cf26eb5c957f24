"""The gold pairs of a list: marking them, and raters' answers to them."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from judgments.base.errors import ChangedSinceError
from judgments.base.keys import key_in
from judgments.base.searching import without_unsearchable
from judgments.content.views.edit_conflicts import both_versions
from judgments.files.actions.imports import Source
from judgments.files.forms import FileForm
from judgments.files.views.reading import with_file
from judgments.models import GoldPair, JudgmentList
from judgments.pages.errors import too_large
from judgments.pages.fetching import administered_list
from judgments.pages.http import MemberRequest, csv_response, form_page
from judgments.pages.trails import list_page
from judgments.raters.actions import gold as actions
from judgments.raters.actions.gold import mark_gold_pairs
from judgments.raters.forms import GoldForm
from judgments.raters.reports import gold as reports
from judgments.raters.reports.gold_files import read_gold_file, table
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.words import counted

PER_PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
def gold(request: MemberRequest, pk: int) -> HttpResponse:
    """The gold pairs; `?q=` searches for others, `?pair=` opens one. A POST marks, changes or removes one."""
    judgment_list = administered_list(request, pk)
    if request.method != "POST":
        return _page(request, judgment_list)
    pair_id = key_in(request.POST.get("pair")) or 0
    candidate = reports.candidate(judgment_list, pair_id)
    if candidate is None:
        messages.error(request, "This pair was removed from the list.")
        return redirect(_address(request, judgment_list))
    if request.POST.get("action") == "remove":
        actions.retire_gold(judgment_list=judgment_list, pair_id=pair_id, at=timezone.now())
        messages.success(request, "Removed from the gold pairs. Answers to it as gold stay marked.")
        return redirect(_address(request, judgment_list))
    form = GoldForm(request.POST, scale=judgment_list.scale)
    if not form.is_valid():
        return _page(request, judgment_list, candidate=candidate, form=form)
    try:
        actions.mark_gold(
            judgment_list=judgment_list,
            pair_id=pair_id,
            user=request.user,
            at=timezone.now(),
            seen_mark=request.POST.get("seen"),
            **form.answer,
        )
    except ChangedSinceError as error:
        return _page(request, judgment_list, candidate=candidate, form=form, conflict=error)
    messages.success(request, "Marked as gold.")
    return redirect(_address(request, judgment_list))


@require_http_methods(["GET", "HEAD", "POST"])
def import_file(request: MemberRequest, pk: int) -> HttpResponse:
    """Marks all pairs of a file, or none if something is wrong with a line."""
    judgment_list = administered_list(request, pk)
    if request.method != "POST":
        return redirect("list-gold", pk)
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, judgment_list, file_form=form)
    file = form.cleaned_data["file"]
    if file.size > settings.UPLOAD_LIMIT:
        return too_large(request, f"{file.name} is too large. Nothing was saved.")
    try:
        count, report = mark_pairs_of_file(request, judgment_list, file)
    except FormatError as error:
        form.add_error("file", error.message)
        return _page(request, judgment_list, file_form=form)
    if not report.ok:
        form.add_error("file", "No pairs were marked. See below what is wrong.")
        return _page(request, judgment_list, file_form=form, report=report)
    messages.success(request, f"{counted(count, 'pair')} marked as gold.")
    return redirect("list-gold", pk)


@require_safe
def gold_file(request: MemberRequest, pk: int) -> StreamingHttpResponse:
    """The gold pairs as a CSV file that `import_file` reads."""
    judgment_list = administered_list(request, pk)
    return csv_response(table(judgment_list), judgment_list.name, "gold")


def mark_pairs_of_file(
    request: MemberRequest, judgment_list: JudgmentList, file: UploadedFile[bytes]
) -> tuple[int, Report]:
    """How many pairs were marked: all of the file, or none if the report has errors. Raises FormatError."""
    name, limit = file.name or "", settings.UNPACKED_LIMIT
    answers, report, digest = with_file(
        read_gold_file, file, judgment_list=judgment_list, file_name=name, limit=limit
    )
    if report.ok:
        mark_gold_pairs(
            judgment_list=judgment_list,
            answers=answers,
            user=request.user,
            at=timezone.now(),
            source=Source(name, digest),
        )
    return len(answers), report


def _problems(report: Report) -> dict[str, Any]:
    """The context of parts/report.html."""
    errors = report.errors
    lines = [{"level": "error", "text": one.sentence} for one in errors.by_line]
    return {"title": counted(errors.total, "problem"), "lines": lines, "more": errors.more}


def _address(request: MemberRequest, judgment_list: JudgmentList) -> str:
    """The page with the current search."""
    search = {name: request.GET[name] for name in ("q", "agreed") if name in request.GET}
    return reverse("list-gold", args=[judgment_list.pk], query=search or None)


def _by_field(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a gold pair under the names of the form’s fields; the log has other names."""
    return dict(zip(("value", "also", "explanation"), facts.values(), strict=False))


def _page(
    request: MemberRequest,
    judgment_list: JudgmentList,
    *,
    candidate: reports.Candidate | None = None,
    form: GoldForm | None = None,
    conflict: ChangedSinceError | None = None,
    file_form: FileForm | None = None,
    report: Report | None = None,
) -> HttpResponse:
    text, unanimous = without_unsearchable(request.GET.get("q", "")).strip()[:200], "agreed" in request.GET
    page = Paginator(reports.gold_pairs(judgment_list), PER_PAGE).get_page(request.GET.get("page"))
    searched = unanimous or "q" in request.GET
    matches, more = reports.candidates(judgment_list, text, unanimous=unanimous) if searched else ([], False)
    if candidate is None and (pair_id := key_in(request.GET.get("pair"))):
        candidate = reports.candidate(judgment_list, pair_id)
    gold_pair = GoldPair.objects.in_use().filter(pair=candidate.pair).first() if candidate else None
    if candidate and form is None:
        form = GoldForm(scale=judgment_list.scale, initial=GoldForm.initial_of(gold_pair, candidate.value))
    context = list_page(judgment_list, "admin", "gold", "Gold") | {
        "page": page,
        "rows": reports.gold_rows(judgment_list, page.object_list),
        "count": page.paginator.count,
        "text": text,
        "unanimous": unanimous,
        "searched": searched,
        "matches": matches,
        "more": more,
        "candidate": candidate,
        "gold_pair": gold_pair,
        "form": form,
        "file_form": file_form or FileForm(),
        "report": _problems(report) if report else None,
        "here": _address(request, judgment_list),
    }
    now = actions.gold_facts(judgment_list, gold_pair)
    yours = fresh = None
    if candidate and form and conflict:
        yours = actions.gold_facts(judgment_list, GoldPair(**form.answer))
        initial = GoldForm.initial_of(gold_pair, candidate.value)
        fresh = GoldForm(scale=judgment_list.scale, initial=initial)
    context |= both_versions(request, form, _by_field(now), conflict, yours and _by_field(yours), fresh)
    errors = [one and one.errors for one in (form, file_form)]
    return form_page(request, "judgments/raters/list_gold.html", context, conflict, *errors)
