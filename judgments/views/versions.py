"""Versions of a list: freezing one, and what is in it."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from judgments.actions.versions import FrozenMeanwhileError, freeze_version
from judgments.errors import JudgmentsError
from judgments.formats.declared import WrittenFormat
from judgments.formats.judgment_files import GRADES
from judgments.forms.versions import FreezeForm
from judgments.models import JudgmentList, Version
from judgments.reports import exports, version_checks
from judgments.reports import versions as reports
from judgments.reports.query_sets import role_in
from judgments.views.exports import taken_out
from judgments.views.http import MemberRequest
from judgments.views.trails import list_trail
from judgments.words import counted

HASHED = WrittenFormat(name="hashed", label="The text that is hashed", ending="tsv")


@require_http_methods(["GET", "HEAD", "POST"])
def versions(request: MemberRequest, pk: int) -> HttpResponse:
    """The versions, newest first; admins freeze another one, and are asked (`confirmed`) before: it stays for good."""
    judgment_list = _visible_list(request, pk)
    role = role_in(judgment_list.query_set, request.user)
    form = FreezeForm(request.POST if request.method == "POST" else None)
    asked = False
    if request.method == "POST":
        get_object_or_404(JudgmentList.objects.administered_by(request.user), pk=pk)
        if not request.POST.get("confirmed"):
            asked = form.is_valid()
        elif form.is_valid() and (made := _freeze(request, judgment_list, form)):
            told = f"Version {made.number} is frozen: {counted(made.grade_count, 'grade')}, which nothing changes."
            messages.success(request, told)
            return redirect("list-version", pk, made.number)
    context = {
        "judgment_list": judgment_list,
        "form": form,
        "versions": judgment_list.versions.all(),
        "live": reports.live_counts(judgment_list),
        "asked": asked,
        "since": reports.since_last(judgment_list) if asked else None,
        "problems": version_checks.problems_in_log(judgment_list),
        "role": role,
        "tab": "versions",
        "trail": list_trail(judgment_list, "Versions"),
    }
    return render(request, "judgments/list_versions.html", context, status=422 if form.errors else 200)


@require_safe
def version(request: MemberRequest, pk: int, number: int) -> HttpResponse:
    """What was frozen, when and by whom, its hash, its files, and whether the log agrees.

    With `?check=1` the stored grades are hashed again, a million in some seconds.
    """
    judgment_list = _visible_list(request, pk)
    chosen = _version(judgment_list, number)
    problems = [one for one in version_checks.problems_in_log(judgment_list) if one.number == number]
    checks = bool(request.GET.get("check"))
    if checks:
        problems += version_checks.grades_problems(chosen)
    context = {
        "judgment_list": judgment_list,
        "version": chosen,
        "others": judgment_list.versions.exclude(pk=chosen.pk),
        "grades": reports.grade_counts(chosen),
        "problems": problems,
        "checked": checks and not problems,
        "formats": GRADES.values(),
        "role": role_in(judgment_list.query_set, request.user),
        "tab": "versions",
        "trail": list_trail(
            judgment_list, ("Versions", reverse("list-versions", args=[pk])), f"Version {number}"
        ),
    }
    return render(request, "judgments/list_version.html", context)


@require_safe
def version_file(request: MemberRequest, pk: int, number: int, format: str) -> HttpResponseBase:
    """The grades in a tool's format, or as the text that the hash is taken over; `?about=1` what is to be known."""
    judgment_list = _visible_list(request, pk)
    chosen = _version(judgment_list, number)
    if format == HASHED.name:
        lines = (text.encode() for text in reports.hashed_text(chosen))
        name = exports.file_name(judgment_list, "grades.tsv", at=timezone.now(), version=chosen)
        return taken_out(request, lines, name, judgment_list=judgment_list, format=HASHED, version=chosen)
    if format not in GRADES:
        raise Http404
    whole = bool(request.GET.get("round"))
    try:
        made = exports.export(
            judgment_list, GRADES[format], at=timezone.now(), whole_numbers=whole, version=chosen
        )
    except exports.ExportRefusedError as error:
        messages.error(request, str(error))
        return redirect("list-version", pk, number)
    return taken_out(
        request,
        made.content,
        made.name,
        judgment_list=judgment_list,
        format=GRADES[format],
        version=chosen,
    )


def _freeze(request: MemberRequest, judgment_list: JudgmentList, form: FreezeForm) -> Version | None:
    """The version; of a form that was sent twice the one that the first made. None: the form says why there is none."""
    try:
        return freeze_version(judgment_list=judgment_list, user=request.user, **form.cleaned_data)
    except FrozenMeanwhileError as error:
        if error.version.frozen_by == request.user and error.version.note == form.cleaned_data["note"]:
            return error.version
        form.add_error(None, str(error))
        return None
    except JudgmentsError as error:
        form.add_error(None, str(error))
        return None


def _visible_list(request: MemberRequest, pk: int) -> JudgmentList:
    visible = JudgmentList.objects.visible_to(request.user).select_related("query_set", "scale")
    return get_object_or_404(visible, pk=pk)


def _version(judgment_list: JudgmentList, number: int) -> Version:
    return get_object_or_404(judgment_list.versions.select_related("scale"), number=number)
