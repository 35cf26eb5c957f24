"""The raters of a judgment list: who is named, who holds what, and how they do."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from judgments.base.errors import JudgmentsError
from judgments.judging.views.judge_screen import key_of
from judgments.lists.actions.lists import set_assignment
from judgments.models import Assignment, AssignmentMode, JudgmentList, Rater
from judgments.pages.http import MemberRequest
from judgments.pages.trails import list_trail
from judgments.raters.actions import assignments as actions
from judgments.raters.forms.raters import AssignmentForm
from judgments.raters.reports import raters as reports
from touchstone_core.words import counted


@require_http_methods(["GET", "HEAD", "POST"])
def raters(request: MemberRequest, pk: int) -> HttpResponse:
    """A POST names what to do in `action`; see `CHANGES`."""
    mine = JudgmentList.objects.administered_by(request.user)
    judgment_list = get_object_or_404(
        mine.select_related("query_set", "scale").prefetch_related("scale__grades"), pk=pk
    )
    if request.method == "POST":
        change = CHANGES.get(request.POST.get("action", ""))
        return change(request, judgment_list) if change else HttpResponseBadRequest("Nothing was chosen.")
    return _page(request, judgment_list)


def _page(
    request: MemberRequest,
    judgment_list: JudgmentList,
    *,
    bound: AssignmentForm | None = None,
    refused: int = 0,
) -> HttpResponse:
    """`bound` is a form that was refused: that of the named rater `refused`, or that which names one more."""
    named = reports.assignments_of(judgment_list)
    users = reports.assignable(judgment_list, named)
    rows = reports.raters_of(judgment_list, named, at=timezone.now())
    context = {
        "judgment_list": judgment_list,
        "rows": rows,
        "worth": [row for row in rows if row.alarms],
        "anyone_holds": any(row.holds for row in rows),
        "repeats": judgment_list.repeat_rate or any(row.repeats for row in rows),
        "named": named,
        "refused": refused,
        "bound": bound,
        "form": bound if bound and not refused else AssignmentForm(users=users),
        "assignable": users,
        "ordered": reports.is_ordered(judgment_list),
        "role": "admin",
        "tab": "raters",
        "trail": list_trail(judgment_list, "Raters"),
    }
    return render(request, "judgments/raters/list_raters.html", context, status=422 if bound else 200)


def _assign(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    users = reports.assignable(judgment_list, reports.assignments_of(judgment_list))
    form = AssignmentForm(request.POST, users=users)
    if not form.is_valid():
        return _page(request, judgment_list, bound=form)
    made = actions.assign(judgment_list=judgment_list, **form.chosen)
    messages.success(request, f"{made.user.display_name} is named.")
    return redirect("list-raters", judgment_list.pk)


def _change_quota(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    named = _named(request, judgment_list)
    form = AssignmentForm(request.POST, users=[named.user])
    if not form.is_valid():
        return _page(request, judgment_list, bound=form, refused=named.pk)
    try:
        actions.assign(judgment_list=judgment_list, **form.chosen)
    except JudgmentsError as error:  # no member any more
        messages.error(request, str(error))
    else:
        messages.success(request, f"The quota of {named.user.display_name} is changed.")
    return redirect("list-raters", judgment_list.pk)


def _unassign(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    user = _named(request, judgment_list).user
    actions.unassign(judgment_list=judgment_list, user=user, at=timezone.now())
    messages.success(request, f"{user.display_name} is no longer named. What was judged stays.")
    return redirect("list-raters", judgment_list.pk)


def _named(request: MemberRequest, judgment_list: JudgmentList) -> Assignment:
    named = Assignment.objects.filter(judgment_list=judgment_list).select_related("user")
    return get_object_or_404(named, user=key_of(request.POST, "user") or 0)


def _set_mode(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    mode = AssignmentMode.NAMED if request.POST.get("mode") == AssignmentMode.NAMED else AssignmentMode.OPEN
    set_assignment(judgment_list=judgment_list, mode=mode)
    named = mode == AssignmentMode.NAMED
    messages.success(request, "Only named raters get pairs now." if named else "All raters get pairs now.")
    return redirect("list-raters", judgment_list.pk)


def _release_slot(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    slot = key_of(request.POST, "slot") or 0
    if actions.release_slot(judgment_list=judgment_list, slot_id=slot, at=timezone.now()):
        messages.success(request, "Released: somebody else may judge it now.")
    else:
        messages.info(request, "Nobody holds this pair any more.")
    return redirect("list-raters", judgment_list.pk)


def _release_rater(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    raters = Rater.objects.filter(query_set=judgment_list.query_set_id)
    rater = get_object_or_404(raters, pk=key_of(request.POST, "rater") or 0)
    count = actions.release_rater(judgment_list=judgment_list, rater=rater, at=timezone.now())
    messages.success(request, f"{counted(count, 'pair')} of {rater.name} released.")
    return redirect("list-raters", judgment_list.pk)


CHANGES = {
    "assign": _assign,
    "quota": _change_quota,
    "unassign": _unassign,
    "mode": _set_mode,
    "release-slot": _release_slot,
    "release": _release_rater,
}
