"""Pages of versions: all of a list, freezing, one version."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from judgments.base.errors import JudgmentsError
from judgments.content.reports.query_sets import role_in
from judgments.lists.actions.versions import FrozenMeanwhileError, freeze_version
from judgments.lists.forms.lists import FreezeForm
from judgments.lists.reports import lists as reports
from judgments.lists.reports.version_checks import grades_problems, problems_in_log
from judgments.models import JudgmentList, Version
from judgments.pages.fetching import version_of, visible_list
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import list_page
from touchstone_core.formats.judgments.judgment_files import GRADES
from touchstone_core.words import counted


@require_http_methods(["GET", "HEAD", "POST"])
def versions(request: MemberRequest, pk: int) -> HttpResponse:
    """The versions, newest first. Admins freeze another one, and confirm it first (`confirmed`), because it stays for good."""
    judgment_list = visible_list(request, pk)
    role = role_in(judgment_list.query_set, request.user)
    form = FreezeForm(request.POST if request.method == "POST" else None)
    confirming = False
    if request.method == "POST":
        get_object_or_404(JudgmentList.objects.administered_by(request.user), pk=pk)
        if not request.POST.get("confirmed"):
            confirming = form.is_valid()
        elif form.is_valid() and (version := _freeze(request, judgment_list, form)):
            grades = counted(version.grade_count, "grade")
            messages.success(request, f"Version {version.number} is frozen with {grades}.")
            return redirect("list-version", pk, version.number)
    context = list_page(judgment_list, role, "versions", "Versions") | {
        "form": form,
        "versions": judgment_list.versions.all(),
        "live": reports.live_counts(judgment_list),
        "confirming": confirming,
        "since": reports.since_last(judgment_list) if confirming else None,
        "problems": problems_in_log(judgment_list),
    }
    return form_page(request, "judgments/lists/list_versions.html", context, form.errors)


@require_safe
def version_page(request: MemberRequest, pk: int, number: int) -> HttpResponse:
    """One version: when and by whom it was frozen, its hash, its files, and whether the log agrees.

    With `?check=1` it hashes the stored grades again, a million in some seconds.
    """
    judgment_list = visible_list(request, pk)
    version = version_of(judgment_list, number)
    problems = [one for one in problems_in_log(judgment_list) if one.number == number]
    checks = bool(request.GET.get("check"))
    if checks:
        problems += grades_problems(version)
    context = list_page(
        judgment_list,
        role_in(judgment_list.query_set, request.user),
        "versions",
        ("Versions", reverse("list-versions", args=[pk])),
        f"Version {number}",
    ) | {
        "version": version,
        "others": judgment_list.versions.exclude(pk=version.pk),
        "grades": reports.grade_counts(version),
        "problems": problems,
        "checked": checks and not problems,
        "formats": GRADES.values(),
    }
    return render(request, "judgments/lists/list_version.html", context)


def _freeze(request: MemberRequest, judgment_list: JudgmentList, form: FreezeForm) -> Version | None:
    """The new version, or after a double click the one from the first click. None: the form says why."""
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
