"""One disagreement: all answers, and an admin's decision. After a decision the next one opens."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from judgments.agreement.actions.adjudication import DecidedMeanwhileError, adjudicate, withdraw_adjudication
from judgments.agreement.actions.rater_requests import RaterRequestError, ask_another, stop_asking
from judgments.agreement.forms import DecisionForm
from judgments.agreement.reports import disagreements as reports
from judgments.agreement.reports.disagreement import disagreement as report
from judgments.agreement.views.disagreements import filters_in, names_of, parameters
from judgments.judging.reports.judging import choices
from judgments.judging.views.judge_screen import with_images
from judgments.models import Adjudication, JudgmentList
from judgments.pages.fetching import administered_list
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import list_page
from judgments.raters.actions.gold import mark_gold


@require_http_methods(["GET", "HEAD", "POST"])
def disagreement(request: MemberRequest, pk: int, pair: int) -> HttpResponse:
    """A POST names one of CHANGES in `action`. The address says which disagreements come next."""
    judgment_list = administered_list(request, pk)
    if reports.place_of(judgment_list, pair) is None:
        raise Http404
    if request.method == "POST":
        change = CHANGES.get(request.POST.get("action", ""))
        if change is None:
            return HttpResponseBadRequest("No action was sent. Go back and press a button.")
        return change(request, judgment_list, pair)
    return _page(request, judgment_list, pair)


def _decide(request: MemberRequest, judgment_list: JudgmentList, pair: int) -> HttpResponse:
    form = DecisionForm(request.POST, scale=judgment_list.scale)
    if not form.is_valid():
        return _page(request, judgment_list, pair, form=form)
    decision = {"judgment_list": judgment_list, "pair_id": pair, "user": request.user, **form.cleaned_data}
    try:
        adjudicate(at=timezone.now(), **decision)
    except DecidedMeanwhileError as error:
        if not _is_the_same(error.standing, decision):
            form.add_error(None, str(error))
            return _page(request, judgment_list, pair, form=form)
    messages.success(request, "Decision saved.")
    place = reports.place_of(judgment_list, pair)
    filters = filters_in(request, judgment_list, names_of(request, judgment_list))
    next_pair = reports.next_disagreement(judgment_list, filters, place)
    if next_pair is None:
        messages.info(request, "This was the last of these disagreements.")
    return redirect(_address(request, judgment_list, next_pair))


def _is_the_same(standing: Adjudication, decision: dict[str, Any]) -> bool:
    """Whether this decision was saved before: the form was sent twice."""
    earlier = (standing.by, standing.value, standing.cause, standing.note)
    return earlier == (decision["user"], decision["value"], decision["cause"], decision["note"].strip())


def _withdraw(request: MemberRequest, judgment_list: JudgmentList, pair: int) -> HttpResponse:
    withdraw_adjudication(judgment_list=judgment_list, pair_id=pair, user=request.user, at=timezone.now())
    messages.success(request, "Decision withdrawn. The grade follows from the judgments again.")
    return redirect(_address(request, judgment_list, pair))


def _make_gold(request: MemberRequest, judgment_list: JudgmentList, pair: int) -> HttpResponse:
    """Marks the pair as gold with its current grade."""
    names = names_of(request, judgment_list)
    details = report(judgment_list, pair, names, user=request.user)
    if details is None or details.grade is None or details.grade.value is None:
        messages.error(request, "This pair has no grade yet. Decide it first.")
    elif details.gold:
        messages.error(request, "Somebody made this pair gold already. Nothing was changed.")
    elif judgment_list.scale.continuous or details.grade.value in {
        grade.value for grade in judgment_list.scale.grades.all()
    }:
        mark_gold(
            judgment_list=judgment_list,
            pair_id=pair,
            value=details.grade.value,
            explanation=details.decision.note if details.decision else "",
            user=request.user,
            at=timezone.now(),
        )
        messages.success(request, "Marked as gold.")
    else:
        messages.error(request, "The grade lies between two grades of the scale. Decide it first.")
    return redirect(_address(request, judgment_list, pair))


def _ask(request: MemberRequest, judgment_list: JudgmentList, pair: int) -> HttpResponse:
    try:
        ask_another(judgment_list=judgment_list, pair_id=pair, user=request.user, at=timezone.now())
    except RaterRequestError as error:
        messages.info(request, str(error))
    else:
        messages.success(request, "A rater who hasn’t judged this pair gets it.")
    return redirect(_address(request, judgment_list, pair))


def _stop_asking(request: MemberRequest, judgment_list: JudgmentList, pair: int) -> HttpResponse:
    if stop_asking(judgment_list=judgment_list, pair_id=pair, at=timezone.now()):
        messages.success(request, "No other rater is asked.")
    else:
        messages.info(request, "Nobody else was being asked. The pair may have been judged meanwhile.")
    return redirect(_address(request, judgment_list, pair))


CHANGES = {
    "decide": _decide,
    "withdraw": _withdraw,
    "gold": _make_gold,
    "ask": _ask,
    "stop-asking": _stop_asking,
}


def _address(request: MemberRequest, judgment_list: JudgmentList, pair: int | None = None) -> str:
    if pair is None:
        page = reverse("list-disagreements", args=[judgment_list.pk])
    else:
        page = reverse("disagreement", args=[judgment_list.pk, pair])
    query = parameters(request.GET)
    return f"{page}?{query}" if query else page


def _keys(request: MemberRequest, judgment_list: JudgmentList) -> str:
    """The template about the keys of the form, where there is one."""
    has_keys = request.user.single_key_shortcuts and not judgment_list.query_set.archived_at
    return "judgments/agreement/parts/decision_keys.html" if has_keys else ""


def _page(
    request: MemberRequest, judgment_list: JudgmentList, pair: int, *, form: DecisionForm | None = None
) -> HttpResponse:
    names = names_of(request, judgment_list)
    details = report(judgment_list, pair, names, user=request.user)
    if details is None:
        raise Http404
    filters = filters_in(request, judgment_list, names)
    next_pair = reports.next_disagreement(judgment_list, filters, details.place)
    decision = details.decision
    context: dict[str, Any] = list_page(
        judgment_list,
        "admin",
        "disagreements",
        ("Disagreements", _address(request, judgment_list)),
        "One pair",
    ) | {
        "details": details,
        "card": details.card,
        "form": form or DecisionForm(scale=judgment_list.scale, initial=DecisionForm.initial_of(decision)),
        "choices": choices(judgment_list.scale, None),
        "grade": form.data.get("value", "") if form else repr(decision.value) if decision else "",
        "next": _address(request, judgment_list, next_pair) if next_pair else "",
        "back": _address(request, judgment_list),
        "parameters": parameters(request.GET),
        "switch": parameters(request.GET, names="" if names.shown else "shown"),
        "names": names,
        "shortcuts": request.user.single_key_shortcuts,
        "page_keys": _keys(request, judgment_list),
    }
    response = form_page(request, "judgments/agreement/disagreement.html", context, form and form.errors)
    return with_images(request, judgment_list, response)
