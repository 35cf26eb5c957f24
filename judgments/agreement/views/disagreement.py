"""One disagreement: all answers, and what an admin makes of them. Decided, the next one comes."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from judgments.agreement.actions.adjudication import DecidedMeanwhileError, adjudicate, withdraw_adjudication
from judgments.agreement.forms import DecisionForm
from judgments.agreement.reports import disagreements as reports
from judgments.agreement.reports.disagreement import Disagreement
from judgments.agreement.reports.disagreement import disagreement as report
from judgments.agreement.views.disagreements import kept, names_of, own_list, wanted_in
from judgments.judging.reports.judging import choices
from judgments.judging.views.judge_screen import with_images
from judgments.models import Adjudication, JudgmentList
from judgments.pages.http import MemberRequest
from judgments.pages.trails import list_trail
from judgments.raters.actions.gold import mark_gold


@require_http_methods(["GET", "HEAD", "POST"])
def disagreement(request: MemberRequest, pk: int, pair: int) -> HttpResponse:
    """A POST names what to do in `action`; see `CHANGES`. The address says which disagreements come next."""
    judgment_list = own_list(request, pk)
    if reports.place_of(judgment_list, pair) is None:
        raise Http404
    if request.method == "POST":
        change = CHANGES.get(request.POST.get("action", ""))
        if change is None:
            return HttpResponseBadRequest("Nothing was chosen.")
        return change(request, judgment_list, pair)
    return _page(request, judgment_list, pair)


def _decide(request: MemberRequest, judgment_list: JudgmentList, pair: int) -> HttpResponse:
    form = DecisionForm(request.POST, scale=judgment_list.scale)
    if not form.is_valid():
        return _page(request, judgment_list, pair, form=form)
    decided = {"judgment_list": judgment_list, "pair_id": pair, "user": request.user, **form.cleaned_data}
    try:
        adjudicate(at=timezone.now(), **decided)
    except DecidedMeanwhileError as error:
        if not _is_the_same(error.standing, decided):
            form.add_error(None, str(error))
            return _page(request, judgment_list, pair, form=form)
    messages.success(request, "Decided.")
    place = reports.place_of(judgment_list, pair)
    wanted = wanted_in(request, judgment_list, names_of(request, judgment_list))
    following = reports.following(judgment_list, wanted, place)
    if following is None:
        messages.info(request, "This was the last of these disagreements.")
        return redirect(_address(request, judgment_list))
    return redirect(_address(request, judgment_list, following))


def _is_the_same(standing: Adjudication, decided: dict[str, Any]) -> bool:
    """Whether it says what was about to be decided: the form was sent twice."""
    said = (standing.by, standing.value, standing.cause, standing.note)
    return said == (decided["user"], decided["value"], decided["cause"], decided["note"].strip())


def _withdraw(request: MemberRequest, judgment_list: JudgmentList, pair: int) -> HttpResponse:
    withdraw_adjudication(judgment_list=judgment_list, pair_id=pair, user=request.user, at=timezone.now())
    messages.success(request, "Withdrawn. The grade is again what the judgments make it.")
    return redirect(_address(request, judgment_list, pair))


def _make_gold(request: MemberRequest, judgment_list: JudgmentList, pair: int) -> HttpResponse:
    """With the grade that the pair has now."""
    names = names_of(request, judgment_list)
    found = report(judgment_list, pair, names, user=request.user)
    if found is None or found.grade is None or found.grade.value is None:
        messages.error(request, "This pair has no grade yet. Decide it first.")
    elif judgment_list.scale.continuous or found.grade.value in _values(judgment_list):
        mark_gold(
            judgment_list=judgment_list,
            pair_id=pair,
            value=found.grade.value,
            explanation=found.decided.note if found.decided else "",
            user=request.user,
            at=timezone.now(),
        )
        messages.success(request, "Marked as gold.")
    else:
        messages.error(request, "The grade lies between two grades of the scale. Decide it first.")
    return redirect(_address(request, judgment_list, pair))


CHANGES = {"decide": _decide, "withdraw": _withdraw, "gold": _make_gold}


def _values(judgment_list: JudgmentList) -> set[float]:
    return {grade.value for grade in judgment_list.scale.grades.all()}


def _address(request: MemberRequest, judgment_list: JudgmentList, pair: int | None = None) -> str:
    if pair is None:
        page = reverse("list-disagreements", args=[judgment_list.pk])
    else:
        page = reverse("disagreement", args=[judgment_list.pk, pair])
    asked = kept(request.GET)
    return f"{page}?{asked}" if asked else page


def _page(
    request: MemberRequest, judgment_list: JudgmentList, pair: int, *, form: DecisionForm | None = None
) -> HttpResponse:
    names = names_of(request, judgment_list)
    found = report(judgment_list, pair, names, user=request.user)
    if found is None:
        raise Http404
    following = reports.following(judgment_list, wanted_in(request, judgment_list, names), found.place)
    context: dict[str, Any] = {
        "judgment_list": judgment_list,
        "found": found,
        "card": found.card,
        "form": form or DecisionForm(scale=judgment_list.scale, initial=_initial(found)),
        "choices": choices(judgment_list.scale, None),
        "chosen": _chosen(form, found),
        "next": _address(request, judgment_list, following) if following else "",
        "back": _address(request, judgment_list),
        "kept": kept(request.GET),
        "switch": kept(request.GET, names="" if names.shown else "shown"),
        "names": names,
        "shortcuts": request.user.single_key_shortcuts,
        "role": "admin",
        "tab": "disagreements",
        "trail": list_trail(judgment_list, ("Disagreements", _address(request, judgment_list)), "One pair"),
    }
    response = render(
        request, "judgments/agreement/disagreement.html", context, status=422 if form and form.errors else 200
    )
    return with_images(request, judgment_list, response)


def _initial(found: Disagreement) -> dict[str, Any]:
    """A decision as it stands, to be changed."""
    decided = found.decided
    return {"value": repr(decided.value), "cause": decided.cause, "note": decided.note} if decided else {}


def _chosen(form: DecisionForm | None, found: Disagreement) -> str:
    """The grade that is marked, as the value of its button."""
    if form is not None:
        return str(form.data.get("value", ""))
    return repr(found.decided.value) if found.decided else ""
