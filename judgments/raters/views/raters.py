"""The raters of a judgment list: their work, the pairs they hold, and assignments."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from judgments.base.errors import JudgmentsError
from judgments.base.keys import key_in
from judgments.lists.actions.lists import set_assignment
from judgments.models import Assignment, AssignmentMode, JudgmentList, Rater
from judgments.pages.fetching import administered_list
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import list_trail
from judgments.raters.actions import assignments as actions
from judgments.raters.forms import AssignmentForm
from judgments.raters.reports import raters as reports
from touchstone_core.words import counted


@require_http_methods(["GET", "HEAD", "POST"])
def raters(request: MemberRequest, pk: int) -> HttpResponse:
    """A POST names one of CHANGES in `action`."""
    judgment_list = administered_list(request, pk)
    if request.method == "POST":
        change = CHANGES.get(request.POST.get("action", ""))
        return (
            change(request, judgment_list)
            if change
            else HttpResponseBadRequest("No action was sent. Go back and press a button.")
        )
    return _page(request, judgment_list)


def _page(
    request: MemberRequest,
    judgment_list: JudgmentList,
    *,
    bound: AssignmentForm | None = None,
    invalid_assignment: int = 0,
) -> HttpResponse:
    """`bound` is an invalid form: the quota of `invalid_assignment`, or else a new assignment."""
    assignments = reports.assignments_of(judgment_list)
    users = reports.assignable(judgment_list, assignments)
    rows = reports.raters_of(judgment_list, assignments, at=timezone.now())
    context = {
        "judgment_list": judgment_list,
        "rows": rows,
        "to_review": [row for row in rows if row.flags],
        "machines": any(row.is_machine for row in rows),
        "counting_machines": any(row.counting_machine for row in rows),
        "any_leases": any(row.lease_count for row in rows),
        "repeats": judgment_list.repeat_rate or any(row.repeats for row in rows),
        "assignments": assignments,
        "invalid_assignment": invalid_assignment,
        "bound": bound,
        "form": bound if bound and not invalid_assignment else AssignmentForm(users=users),
        "assignable": users,
        "role": "admin",
        "tab": "raters",
        "trail": list_trail(judgment_list, "Raters"),
    }
    return form_page(request, "judgments/raters/list_raters.html", context, bound)


def _assign(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    users = reports.assignable(judgment_list, reports.assignments_of(judgment_list))
    form = AssignmentForm(request.POST, users=users)
    if not form.is_valid():
        return _page(request, judgment_list, bound=form)
    assignment = actions.assign(judgment_list=judgment_list, **form.assignment)
    messages.success(request, f"{assignment.user.display_name} is assigned.")
    return redirect("list-raters", judgment_list.pk)


def _change_quota(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    assignment = _assignment(request, judgment_list)
    form = AssignmentForm(request.POST, users=[assignment.user])
    if not form.is_valid():
        return _page(request, judgment_list, bound=form, invalid_assignment=assignment.pk)
    try:
        actions.assign(judgment_list=judgment_list, **form.assignment)
    except JudgmentsError as error:  # the user was removed from the members
        messages.error(request, str(error))
    else:
        messages.success(request, f"The quota of {assignment.user.display_name} was changed.")
    return redirect("list-raters", judgment_list.pk)


def _unassign(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    user = _assignment(request, judgment_list).user
    actions.unassign(judgment_list=judgment_list, user=user, at=timezone.now())
    messages.success(request, f"{user.display_name} is no longer assigned. All judgments stay.")
    return redirect("list-raters", judgment_list.pk)


def _assignment(request: MemberRequest, judgment_list: JudgmentList) -> Assignment:
    assignments = Assignment.objects.filter(judgment_list=judgment_list).select_related("user")
    return get_object_or_404(assignments, user=key_in(request.POST.get("user")) or 0)


def _set_mode(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    mode = AssignmentMode.NAMED if request.POST.get("mode") == AssignmentMode.NAMED else AssignmentMode.OPEN
    set_assignment(judgment_list=judgment_list, mode=mode)
    who = "Only assigned raters" if mode == AssignmentMode.NAMED else "All raters"
    messages.success(request, f"{who} get pairs now.")
    return redirect("list-raters", judgment_list.pk)


def _release_slot(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    slot = key_in(request.POST.get("slot")) or 0
    if actions.release_slot(judgment_list=judgment_list, slot_id=slot, at=timezone.now()):
        messages.success(request, "Released. Other raters can judge this pair now.")
    else:
        messages.info(request, "Nobody holds this pair any more.")
    return redirect("list-raters", judgment_list.pk)


def _release_rater(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    raters = Rater.objects.filter(query_set=judgment_list.query_set_id)
    rater = get_object_or_404(raters, pk=key_in(request.POST.get("rater")) or 0)
    count = actions.release_rater(judgment_list=judgment_list, rater=rater, at=timezone.now())
    messages.success(request, f"Released {counted(count, 'pair')} of {rater.name}.")
    return redirect("list-raters", judgment_list.pk)


CHANGES = {
    "assign": _assign,
    "quota": _change_quota,
    "unassign": _unassign,
    "mode": _set_mode,
    "release-slot": _release_slot,
    "release": _release_rater,
}
