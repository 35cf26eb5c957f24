"""Disagreements of raters, and what admins decide about them."""

from datetime import datetime
from types import SimpleNamespace
from typing import Any, Literal

from django.http import Http404
from django.utils import timezone
from django.utils.http import urlencode
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.agreement.actions.adjudication import adjudicate, withdraw_adjudication
from judgments.agreement.actions.rater_requests import ask_another, stop_asking
from judgments.agreement.forms import DecisionForm
from judgments.agreement.reports import disagreements as reports
from judgments.agreement.reports.answers import answers_to, apart_in_words
from judgments.agreement.reports.rater_requests import RaterRequest, rater_request, waiting_raters
from judgments.agreement.views.disagreements import (
    filter_form,
    filters_of,
    names_of,
    read_place,
    write_place,
)
from judgments.content.api.pairs import PairOut
from judgments.models import Adjudication, Cause, ConsensusGrade, Judgment, JudgmentList
from judgments.pages.calls import ApiRequest, Body, form_data, valid
from judgments.pages.fetching import administered_list
from judgments.pages.problems import field_problem
from judgments.raters.reports.exclusions import standing_exclusions
from judgments.raters.reports.rater_names import Names

router = Router()


class DisagreementQuery(Schema):
    """The filters of the page."""

    state: Literal["open", "decided", "any"] = "open"
    show: Literal["", "undecided", "cannot"] = Field(
        "", description="Only ties, or only “cannot judge” against a grade."
    )
    q: str = Field("", description="A query’s ID, or words of it.")
    least: float | None = Field(None, description="At least this far apart.")
    cause: Cause | None = Field(None, description="Only those decided with this cause.")
    rater: int | None = Field(None, description="Only pairs that this rater judged.")
    other: int | None = Field(None, description="And this one, too.")
    gave: float | None = Field(None, description="Only pairs to which the rater gave this grade.")
    other_gave: float | None = Field(None, description="And the other one this.")
    names: Literal["", "shown"] = Field(
        "", description="With shown, raters have their names instead of letters."
    )
    after: str = Field("", description="Rows after this place. `next` of a page has it.")


class AnswerOut(Schema):
    """`value` is null where the rater couldn’t judge; `reason` says why. Those who are left out don’t count."""

    rater_id: int
    rater: str
    value: float | None
    reason: str
    comment: str
    at: datetime
    left_out: bool


class DecisionOut(Schema):
    id: int
    value: float
    cause: Cause
    note: str
    by: str | None = Field(None, validation_alias="by.display_name")
    at: datetime


class DisagreementOut(PairOut):
    """`apart` says how far, in words; `grade` is what follows from the answers, or from the decision. The pair waits for
    `waiting` raters."""

    apart: str
    grade: float | None
    decision: DecisionOut | None
    answers: list[AnswerOut]
    waiting: int


class AskingOut(Schema):
    """The pair has so many `judgments` that count, and waits for `waiting` raters."""

    judgments: int
    waiting: int


class DisagreementsOut(Schema):
    """The widest apart first. `total` counts no further than 1,001."""

    items: list[DisagreementOut]
    total: int
    next: str | None


class DecisionIn(Body):
    value: float = Field(description="The grade of the pair.")
    cause: Cause = Field(description="Why the raters disagree.")
    note: str = ""
    seen: int | None = Field(
        None, description="The ID of the decision that you know of; 0 for none. Another one since is refused."
    )


@router.get("lists/{int:pk}/disagreements", response=DisagreementsOut, summary="List disagreements")
def disagreements(request: ApiRequest, pk: int, query: InQuery[DisagreementQuery]) -> dict[str, Any]:
    """For admins. Raters are letters unless you ask for their names."""
    judgment_list = administered_list(request, pk)
    names = names_of(request, judgment_list)
    filters = filters_of(valid(filter_form(request, judgment_list, names)), judgment_list)
    after = read_place(query.after)
    if query.after and after is None:
        raise field_problem(
            "after", "This isn’t a place in the list. Use the address in `next` of the page before."
        )
    page = reports.disagreement_page(judgment_list, filters, after)
    later = page.last and urlencode({**request.GET.dict(), "after": write_place(page.last)})
    return {
        "items": _disagreements(judgment_list, names, [row.pair_id for row in page.rows]),
        "total": page.total,
        "next": f"{request.path}?{later}" if later else None,
    }


@router.get(
    "lists/{int:pk}/disagreements/{int:pair}", response=DisagreementOut, summary="Read all answers to a pair"
)
def disagreement(request: ApiRequest, pk: int, pair: int, names: Literal["", "shown"] = "") -> Any:
    """For admins. Of any pair with an answer, whether raters differ or not."""
    judgment_list = administered_list(request, pk)
    found = _disagreements(judgment_list, Names(judgment_list, shown=names == "shown"), [pair])
    if not found:
        raise Http404
    return found[0]


@router.put("lists/{int:pk}/decisions/{int:pair}", response=DecisionOut, summary="Decide the grade of a pair")
def decide(request: ApiRequest, pk: int, pair: int, body: DecisionIn) -> Adjudication:
    """For admins. It replaces an earlier decision, and no more judgments of the pair are required."""
    judgment_list = administered_list(request, pk)
    _check_answered(judgment_list, pair)
    form = valid(DecisionForm(form_data(body.dict()), scale=judgment_list.scale))
    return adjudicate(
        judgment_list=judgment_list, pair_id=pair, user=request.user, at=timezone.now(), **form.cleaned_data
    )


@router.delete(
    "lists/{int:pk}/decisions/{int:pair}", response={204: None}, summary="Withdraw the decision about a pair"
)
def withdraw_decision(request: ApiRequest, pk: int, pair: int) -> Status[None]:
    """For admins. The grade follows from the judgments again."""
    judgment_list = administered_list(request, pk)
    _check_answered(judgment_list, pair)
    withdraw_adjudication(judgment_list=judgment_list, pair_id=pair, user=request.user, at=timezone.now())
    return Status(204, None)


@router.post(
    "lists/{int:pk}/disagreements/{int:pair}/another-rater",
    response=AskingOut,
    summary="Ask another rater about a pair",
)
def ask_another_rater(request: ApiRequest, pk: int, pair: int) -> RaterRequest:
    """For admins. A rater who hasn’t judged it gets it. Refused while it waits for a rater, and where nobody is left to ask."""
    judgment_list = administered_list(request, pk)
    _check_answered(judgment_list, pair)
    ask_another(judgment_list=judgment_list, pair_id=pair, user=request.user, at=timezone.now())
    return rater_request(judgment_list, pair, request.user)


@router.delete(
    "lists/{int:pk}/disagreements/{int:pair}/another-rater",
    response={204: None},
    summary="Don’t ask another rater about a pair",
)
def stop_asking_another_rater(request: ApiRequest, pk: int, pair: int) -> Status[None]:
    """For admins. A rater who has it on the screen may still judge it."""
    judgment_list = administered_list(request, pk)
    _check_answered(judgment_list, pair)
    stop_asking(judgment_list=judgment_list, pair_id=pair, at=timezone.now())
    return Status(204, None)


def _check_answered(judgment_list: JudgmentList, pair: int) -> None:
    if reports.place_of(judgment_list, pair) is None:
        raise Http404


def _disagreements(judgment_list: JudgmentList, names: Names, pairs: list[int]) -> list[Any]:
    """These pairs of the list, with all answers. Those without a grade are left out. Four statements."""
    rows = ConsensusGrade.objects.filter(judgment_list=judgment_list).select_related("query", "document")
    rows = rows.defer("document__body", "document__fields").annotate(waiting=waiting_raters())
    grades = rows.in_bulk(pairs)
    decisions = Adjudication.objects.standing().filter(pair__in=grades).select_related("by")
    decision_of = {decision.pair_id: decision for decision in decisions}
    left_out = standing_exclusions(judgment_list)
    answers = answers_to(grades)
    return [
        SimpleNamespace(
            pair=grade,  # has the key, the query and the document of its pair
            apart=apart_in_words(judgment_list, grade.spread),
            grade=grade.value,
            decision=decision_of.get(pair),
            answers=[_answer(one, names, left_out=one.rater_id in left_out) for one in answers[pair]],
            waiting=vars(grade)["waiting"],
        )
        for pair in pairs
        if (grade := grades.get(pair))
    ]


def _answer(judgment: Judgment, names: Names, *, left_out: bool) -> dict[str, Any]:
    return {
        "rater_id": judgment.rater_id,
        "rater": names.of(judgment.rater_id),
        "value": judgment.value,
        "reason": judgment.reason,
        "comment": judgment.comment,
        "at": judgment.updated_at,
        "left_out": left_out,
    }
