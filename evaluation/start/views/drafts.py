"""New evaluation: files are dropped together, previewed together, and one button makes everything of them."""

from dataclasses import replace
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from evaluation.runs.reports.incoming import engines_of
from evaluation.start.actions import drafts as actions
from evaluation.start.actions.making import DraftGoneError, FilesChangedError, make_evaluation
from evaluation.start.actions.making_jobs import cancel_evaluation, request_evaluation
from evaluation.start.actions.reading_jobs import BeingReadError, reading_or_ask
from evaluation.start.forms import DraftForm, FileForm, initial_of
from evaluation.start.reports.draft_choices import LEFT_OUT, DraftChoices, FileChoices
from evaluation.start.reports.draft_readings import DraftReading
from evaluation.start.reports.drafts import free_name, mark_of_files, uploads_of
from evaluation.start.reports.file_readings import FileReading
from judgments.base.errors import JudgmentsError
from judgments.base.moments import day
from judgments.base.names import NameTakenError
from judgments.content.views.query_sets import staff_only
from judgments.files.actions.uploads import UploadQuotaError, discard_from_draft
from judgments.files.views.reading import waiting_page
from judgments.models import Draft, Upload
from judgments.pages.errors import too_large
from judgments.pages.http import MemberRequest, form_page, what_is_wrong
from judgments.pages.trails import trail
from touchstone_core.formats import detection
from touchstone_core.formats.archives import is_system_file
from touchstone_core.formats.problems import FormatError

MOST_COMPARED: Final = 20
MOST_NAMED: Final = 100
"""Runs whose names can be changed: a form has at most 1,000 fields."""
MOST_UNGROUPED: Final = 10
MOST_UNFOLDED: Final = 3
GROUPS: Final = {
    "": "Can’t be used yet",
    detection.RUN: "Runs",
    detection.JUDGMENTS: "Judgments",
    detection.QUERIES: "Queries",
    detection.DOCUMENTS: "Documents",
    LEFT_OUT: "Left out",
}
EXAMPLE: Final = settings.BASE_DIR / "examples" / "shop"


@require_http_methods(["GET", "HEAD", "POST"])
def new_evaluation(request: MemberRequest) -> HttpResponse:
    """Takes the files of a new evaluation, or those of the example; the preview follows."""
    staff_only(request)
    if request.method != "POST":
        return _start_page(request)
    try:
        if "example" in request.POST:
            name = free_name("Example shop")
            draft = actions.begin_example(user=request.user, name=name, folder=EXAMPLE)
        else:
            if problem := _problem_of_files(request):
                return problem
            name = free_name(f"Evaluation of {day(timezone.localdate())}")
            draft = actions.begin_draft(user=request.user, name=name, files=_sent_files(request))
    except UploadQuotaError as error:
        return _start_page(request, str(error))
    actions.unpack_archives(draft=draft, uploads=uploads_of(draft))
    return redirect("draft", draft.pk)


@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: MemberRequest, pk: Any) -> HttpResponse:
    """Shows what the files are and what would be made of them; `action=create` makes it, any other POST keeps the choices."""
    staff_only(request)
    row = get_object_or_404(Draft.objects.visible_to(request.user), pk=pk)
    if row.requested_at:
        return _being_made(request, row)
    if request.htmx:  # asked by the page that waits for what has ended, or for files that are being read
        return _waits_on(request, row) or HttpResponseClientRefresh()
    if row.query_set_id:
        return redirect(_landing(row))
    return _changed(request, row) if request.method == "POST" else _preview_page(request, row, row.failure)


def _waits_on(request: MemberRequest, draft: Draft) -> HttpResponse | None:
    """The page as long as its files are being read."""
    if draft.query_set_id or request.method == "POST":
        return None
    try:
        reading_or_ask(draft=draft)
    except BeingReadError:
        return _being_read(request, draft)
    return None


def _changed(request: MemberRequest, row: Draft) -> HttpResponse:
    """What the form of the preview asks for."""
    if request.POST.get("action") == "discard":
        actions.discard_draft(draft=row)
        messages.success(request, "The files were discarded.")
        return redirect("new-evaluation")
    choices, problem = DraftChoices.from_json(row.options), ""
    if "seen" in request.POST:
        choices, problem = _keep_choices(request, row)
    if "remove" in request.POST:
        discard_from_draft(draft=row, key=_key_of(row, request.POST["remove"]))
    elif request.FILES:
        if refused := _problem_of_files(request, row):
            return refused
        try:
            added = actions.add_files(draft=row, files=_sent_files(request))
        except UploadQuotaError as error:
            return _preview_page(request, row, str(error), status=422)
        actions.unpack_archives(draft=row, uploads=added)
    if problem:
        return _preview_page(request, row, problem, status=422)
    if request.POST.get("action") != "create":
        return redirect("draft", row.pk)
    return _create(request, row, choices)


def _being_made(request: MemberRequest, draft: Draft) -> HttpResponse:
    if request.method == "POST":
        if request.POST.get("action") == "cancel":
            cancel_evaluation(draft=draft)
        return redirect("draft", draft.pk)
    return waiting_page(request, "evaluation/start/being_made.html", draft, _trail(draft.name))


def _being_read(request: MemberRequest, draft: Draft) -> HttpResponse:
    return waiting_page(request, "evaluation/start/being_read.html", draft, _trail("Preview"))


def _create(request: MemberRequest, draft: Draft, choices: DraftChoices) -> HttpResponse:
    if actions.is_large(draft):
        request_evaluation(draft=draft, seen=request.POST.get("seen", ""), at=timezone.now())
        return redirect("draft", draft.pk)
    try:
        made = actions.with_draft(
            make_evaluation,
            draft,
            name=draft.name,
            choices=choices,
            seen=request.POST.get("seen", ""),
            user=request.user,
            at=timezone.now(),
        )
    except FormatError as error:
        return _preview_page(request, draft, error.message, status=422)
    except DraftGoneError as error:
        messages.error(request, str(error))
        return redirect("new-evaluation")
    except NameTakenError as error:
        return _preview_page(request, draft, name_error=str(error), status=422)
    except JudgmentsError as error:
        status = 409 if isinstance(error, FilesChangedError) else 422
        return _preview_page(request, draft, str(error), status=status)
    messages.success(request, f"{made.name} is ready.")
    return redirect(_landing(made))


def _keep_choices(request: MemberRequest, draft: Draft) -> tuple[DraftChoices, str]:
    """The choices of the form, and what is wrong with them. What isn't valid stays as it was."""
    form = DraftForm(request.POST)
    problem = "" if form.is_valid() else what_is_wrong(form)
    before = DraftChoices.from_json(draft.options)
    choices = form.choices if form.is_valid() else before
    sent = set(request.POST.getlist("rater-name"))  # the page shows the first of many names
    unsent = {name: who for name, who in before.raters.items() if name not in sent}
    choices = replace(choices, raters=unsent | choices.raters)
    left_out = request.POST.get("leave_out", "").split()
    file_choices: dict[str, FileChoices] = {}
    for upload in uploads_of(draft):
        file_form = FileForm(request.POST, key=str(upload.pk))
        if str(upload.pk) in left_out:
            file_choices[str(upload.pk)] = FileChoices(kind=LEFT_OUT)
        elif f"file-{upload.pk}-kind" in request.POST:
            if file_form.is_valid():
                found = request.POST.get(f"file-{upload.pk}-found", "")
                file_choices[str(upload.pk)] = _chosen(file_form.choices, found)
            else:
                problem = problem or f"{upload.name}: {what_is_wrong(file_form)}"
    name = form.cleaned_data.get("name", draft.name).strip()
    actions.keep_draft_choices(draft=draft, name=name, choices=choices, file_choices=file_choices)
    return choices, problem


def _chosen(choices: FileChoices, found: str) -> FileChoices:
    """Without the kind that was found anyway: who leaves it as it is has chosen nothing."""
    return replace(choices, kind="") if choices.kind == found else choices


def _preview_page(
    request: MemberRequest, draft: Draft, failure: str = "", *, name_error: str = "", status: int = 200
) -> HttpResponse:
    choices = DraftChoices.from_json(draft.options)
    uploads = uploads_of(draft)
    try:
        reading = reading_or_ask(draft=draft)
    except BeingReadError:
        if failure:
            messages.error(request, failure)
        return _being_read(request, draft)
    form = DraftForm(
        initial=choices.to_json() | {"name": draft.name, "scale": reading.scale.key},
        scales=reading.scale.options,
    )
    context = {
        "draft": draft,
        "reading": reading,
        "groups": _groups(_rows(reading, uploads)),
        "form": form,
        "seen": mark_of_files(uploads),
        "failure": failure,
        "name_error": name_error,
        "limit": settings.UPLOAD_LIMIT,
        "trail": _trail("Preview"),
    }
    return render(request, "evaluation/start/draft.html", context, status=status)


def _rows(reading: DraftReading, uploads: list[Upload]) -> list[dict[str, Any]]:
    """The files with their forms, in the order in which they came."""
    options = {str(upload.pk): FileChoices.from_json(upload.options) for upload in uploads}
    return [
        {
            "reading": one,
            "form": _file_form(one, chosen := options[one.key]),
            "chosen": chosen,
            "runs": [
                (name, "" if chosen.run_name(place) else name) for place, name in enumerate(one.run_names)
            ]
            if reading.run_count <= MOST_NAMED
            else [],
            "open": one.is_unclear or chosen.is_any,
            "folded": False,
        }
        for one in reading.files
    ]


def _groups(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Few files in the order in which they came. Many by what they are, first those that somebody has to decide about."""
    if len(rows) <= MOST_UNGROUPED:
        return {"": rows} if rows else {}
    groups: dict[str, list[dict[str, Any]]] = {title: [] for title in GROUPS.values()}
    for row in rows:
        reading = row["reading"]
        groups[GROUPS["" if reading.needs_decision else reading.kind]].append(row)
    return {title: _folded(group) for title, group in groups.items() if group}


def _folded(group: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The group with what is fine at its end, folded unless it is next to nothing. What somebody has changed stays in sight."""

    def is_fine(row: dict[str, Any]) -> bool:
        chosen: FileChoices = row["chosen"]
        return row["reading"].is_fine and not chosen.is_any and not any(chosen.run_names)

    fine = [row for row in group if is_fine(row)]
    if len(fine) <= MOST_UNFOLDED:
        return group
    return [row for row in group if not is_fine(row)] + [row | {"folded": True} for row in fine]


def _file_form(reading: FileReading, choices: FileChoices) -> FileForm:
    return FileForm(key=reading.key, reading=reading, initial=initial_of(choices, reading.kind))


def _start_page(request: MemberRequest, problem: str = "") -> HttpResponse:
    context = {
        "problem": problem,
        "limit": settings.UPLOAD_LIMIT,
        "engines": list(engines_of(None)),
        "trail": trail("New evaluation"),
        "drafts": Draft.objects.visible_to(request.user).unfinished(),
    }
    return form_page(request, "evaluation/start/new_evaluation.html", context, problem)


def _sent_files(request: MemberRequest) -> list[UploadedFile[bytes]]:
    """Without the files that systems put into folders, such as .DS_Store."""
    return [file for file in request.FILES.getlist("files") if not is_system_file(file.name or "")]


def _problem_of_files(request: MemberRequest, draft: Draft | None = None) -> HttpResponse | None:
    files = _sent_files(request)
    if any((file.size or 0) > settings.UPLOAD_LIMIT for file in files):
        return too_large(request, "One of the files is too large. Nothing was stored.")
    problem = ""
    if not files:
        problem = "Choose at least one file."
    elif len(files) + (len(uploads_of(draft)) if draft else 0) > actions.MOST_FILES:
        problem = f"A new evaluation takes up to {actions.MOST_FILES} files. Add further runs later, on the query set’s page."
    if not problem:
        return None
    return _preview_page(request, draft, problem, status=422) if draft else _start_page(request, problem)


def _landing(draft: Draft) -> str:
    """Where the reader's question is answered: the comparison, the run table, or where judging begins."""
    made: dict[str, Any] = draft.result
    runs: list[int] = made.get("runs", [])
    if made.get("list") is None:
        return reverse("query-set", args=[draft.query_set_id])
    if runs and not made.get("judged"):
        return reverse("list-pairs", args=[made["list"]])
    if len(runs) > 1:
        chosen = "-".join(map(str, runs[:MOST_COMPARED]))
        return f"{reverse('comparison', args=[made['list']])}?runs={chosen}"
    return reverse("run-table" if runs else "list", args=[made["list"]])


def _key_of(draft: Draft, key: str) -> str:
    """The key if it is one of the draft's files."""
    if key not in {str(upload.pk) for upload in uploads_of(draft)}:
        raise Http404
    return key


def _trail(last: str) -> list[dict[str, str]]:
    return trail(("New evaluation", reverse("new-evaluation")), last)
