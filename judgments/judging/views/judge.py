"""The rating screen. Each POST calls one action. A form is redirected to the next card, the script gets JSON."""

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from judgments.base.errors import JudgmentsError
from judgments.base.keys import key_in
from judgments.base.moments import moment, second
from judgments.judging.actions import judging, queue
from judgments.judging.forms import AnswerForm, AnswersForm, KeysForm, SkipForm, UndoForm
from judgments.judging.reports import judging as reports
from judgments.judging.reports.card_documents import part_of_body
from judgments.judging.reports.own_share import practice_summary
from judgments.judging.shortcuts import own_keys
from judgments.judging.views import judge_list
from judgments.judging.views import judge_replies as replies
from judgments.judging.views import judge_screen as screen
from judgments.models import Exclusion, Judgment, JudgmentList, View
from judgments.pages.archive_guard import in_archive_too
from judgments.pages.http import MemberRequest, redirect_to_next
from judgments.pages.waiting import not_for_long
from judgments.people.actions.accounts import set_keys


def from_own_account(
    view: Callable[[MemberRequest, JudgmentList], HttpResponse],
) -> Callable[[MemberRequest, int], HttpResponse]:
    """For what the page of a list sends. Refuses judgments of another account, since a browser may still keep some after
    somebody else has signed in.
    """

    @require_POST
    @in_archive_too  # the queue itself reports that a list is archived
    @not_for_long
    @wraps(view)
    def of_list(request: MemberRequest, pk: int) -> HttpResponse:
        judgment_list = screen.list_to_judge(request, pk)
        if request.POST.get("account", str(request.user.pk)) == str(request.user.pk):
            return view(request, judgment_list)
        problem = f"You are signed in as {request.user.username}, but another account opened this page."
        return replies.to_script(request, {"problem": problem, "kind": "account"}, status=409)

    return of_list


@require_safe
@not_for_long
def judge(request: MemberRequest, pk: int) -> HttpResponse:
    """The next pair of the rater's queue; `?pair=` names one, `?skipped=1` includes those that were put off."""
    judgment_list = screen.list_to_judge(request, pk)
    pair_id = key_in(request.GET.get("pair"))
    if pair_id is None and judge_list.is_list_mode(request, judgment_list):
        return judge_list.list_page(request, judgment_list)
    if pair_id is None:
        return screen.next_page(request, judgment_list, with_skipped="skipped" in request.GET)
    if replies.by_script(request):
        return _card_for_script(request, judgment_list, pair_id)
    return screen.card_page(request, judgment_list, pair_id=pair_id)


def _card_for_script(request: MemberRequest, judgment_list: JudgmentList, pair_id: int) -> HttpResponse:
    """A card of the rater's own history, with the pairs that its arrows lead to."""
    card_id = screen.card_id_of(request.GET)
    card = reports.reopened_card(
        judgment_list=judgment_list, user=request.user, pair_id=pair_id, card_id=card_id
    )
    if card is None:
        return replies.to_script(
            request,
            {"problem": "This document was removed from the list. Continue with the next one."},
            status=404,
        )
    near = reports.neighbors(judgment_list=judgment_list, user=request.user, card=card)
    html = replies.card_html(request, judgment_list, card, near=near)
    return replies.to_script(request, {"pair": pair_id, "html": html})


@from_own_account
def cards(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    """The heartbeat of the script: renews the leases of its cards, and brings further ones."""
    pairs = sorted(replies.pairs_of(request))
    leases = queue.renew(user=request.user, judgment_list=judgment_list, pair_ids=pairs, at=timezone.now())
    others = set(pairs) - leases
    judged = reports.own_judged(judgment_list=judgment_list, user=request.user, pair_ids=others)
    own = replies.own_html(request, judgment_list)
    return replies.reply(request, judgment_list, kept=sorted(leases), judged=judged, own=own)


@require_safe
def text(request: MemberRequest, pk: int) -> HttpResponse:
    """One part of a text that is too long for its card."""
    judgment_list = screen.list_to_judge(request, pk)
    if "pair" not in request.GET:
        return redirect(screen.address(judgment_list))
    pair_id = key_in(request.GET.get("pair")) or 0
    pair = reports.readable_pair(judgment_list=judgment_list, user=request.user, pair_id=pair_id)
    if pair is None:
        raise Http404
    number = max(1, min(key_in(request.GET.get("part")) or 1, 10_000))
    context = {
        "judgment_list": judgment_list,
        "pair": pair,
        "part": part_of_body(pair=pair, query=pair.query.text, number=number),
        "trail": screen.trail(judgment_list, "Full text"),
    }
    template = "judgments/judging/judge_text.html"
    return render(request, f"{template}#part" if request.htmx else template, context)


@from_own_account
def answer(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    """Saves one answer, or, with `answers`, several that the script kept while it couldn't send."""
    if "answers" in request.POST:
        return _answer_several(request, judgment_list)
    status, result = _save(request, judgment_list, request.POST)
    if replies.by_script(request):
        if status == HTTPStatus.OK:
            return replies.reply(request, judgment_list, **result)
        return replies.to_script(request, result, status=status)
    if status == HTTPStatus.CONFLICT:
        pair_id, problem = result["pair"], result["problem"]
        return screen.card_page(request, judgment_list, pair_id=pair_id, conflict=problem, status=status)
    if status != HTTPStatus.OK:
        return _refuse(request, judgment_list, result["problem"])
    if practice := result["practice"]:
        level = messages.SUCCESS if practice["right"] else messages.WARNING
        messages.add_message(request, level, f"{practice['title']}. {practice['text']}")
    for note in result["notes"]:
        messages.info(request, note)
    messages.success(request, f"{result['saved']['text']} {result['saved']['at']}")
    return redirect(_next_address(judgment_list, request, result["saved"]["pair"]))


def _answer_several(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    """Saves or refuses each answer in its own transaction. The next cards come with the results.

    If the server fails at one, the whole request fails. The script then sends them one by one, and those that were saved
    before change nothing when they come again.
    """
    form = AnswersForm(request.POST)
    if not form.is_valid():
        return _refuse(request, judgment_list, form.errors.as_text())
    results = [_save(request, judgment_list, fields) for fields in form.cleaned_data["answers"]]
    answers = [result | {"status": status} for status, result in results]
    return replies.reply(request, judgment_list, answers=answers)


def _save(
    request: MemberRequest, judgment_list: JudgmentList, fields: Mapping[str, Any]
) -> tuple[HTTPStatus, dict[str, Any]]:
    """Saves one answer. Returns the HTTP status and the result to show."""
    form = AnswerForm(fields)
    if not form.is_valid():
        return _refusal(form.problem(), fields)
    data = form.cleaned_data
    try:
        outcome = judging.record_judgment(
            user=request.user,
            judgment_list=judgment_list,
            pair_id=data["pair"],
            request_id=data["request_id"],
            value=data["grade"],
            reason=data["reason"],
            comment=data["comment"],
            evidence=data["evidence"],
            confidence=data["confidence"],
            timing=data["timing"],
            may_replace=data["known"],
            card=data["card"],
            at=timezone.now(),
        )
    except judging.JudgedBeforeError as error:
        return HTTPStatus.CONFLICT, _conflict(judgment_list, error.judgment)
    except JudgmentsError as error:
        return _refusal(str(error), fields)
    judgment = outcome.judgment
    return HTTPStatus.OK, {
        "saved": {
            "text": f"{judgment_list.scale.in_words(judgment)} saved",
            "at": second(judgment.updated_at),
            "pair": judgment.pair_id,
        },
        "notes": _notes(outcome),
        "practice": _practice(request, judgment_list, outcome),
    }


def _refusal(problem: str, fields: Mapping[str, Any]) -> tuple[HTTPStatus, dict[str, Any]]:
    content = {"problem": problem, "kind": "refused", "pair": key_in(fields.get("pair"))}
    return HTTPStatus.UNPROCESSABLE_ENTITY, content


def _next_address(judgment_list: JudgmentList, request: MemberRequest, pair_id: int) -> str:
    """The page after a form: the next document, or in list mode the row of this one."""
    page = screen.address(judgment_list)
    query = key_in(request.POST.get("query"))
    in_list = request.POST.get("view") == View.LIST and query is not None
    return f"{page}?query={query}#pair-{pair_id}" if in_list else page


def _notes(outcome: judging.Outcome) -> list[str]:
    """What the rater should know about an unusual outcome."""
    if outcome.withdrawn:
        return ["You took this answer back in another tab or on another device. It isn’t saved again."]
    judgment = outcome.judgment
    if judgment.extra and outcome.earlier is None and not outcome.already_saved:
        exclusions = Exclusion.objects.standing().filter(
            judgment_list=judgment.judgment_list_id, rater=judgment.rater_id
        )
        if not exclusions.exists():  # all of their judgments are extra, and they aren't told
            return ["This document needs no further judgment by now. Yours is saved, too."]
    return []


def _practice(
    request: MemberRequest, judgment_list: JudgmentList, outcome: judging.Outcome
) -> dict[str, Any] | None:
    """The right answer and why, after an answer in practice; after the last one also a summary."""
    feedback = outcome.feedback
    if feedback is None:
        return None
    right = judgment_list.scale.name_of(feedback.value)
    also = map(judgment_list.scale.name_of, feedback.also)
    title = "Practice: right" if feedback.right else f"Practice: the right answer is {right}"
    sentences = [
        f"{', '.join(also)} would count as right, too." if feedback.also else "",
        feedback.explanation,
        practice_summary(judgment_list=judgment_list, user=request.user, at=timezone.now()),
    ]
    return {"right": feedback.right, "title": title, "text": " ".join(filter(None, sentences))}


def _conflict(judgment_list: JudgmentList, earlier: Judgment) -> dict[str, Any]:
    before = judgment_list.scale.in_words(earlier)
    problem = f"You judged this {before} on {moment(earlier.updated_at)}."
    return {"problem": problem, "kind": "conflict", "pair": earlier.pair_id, "before": before}


@from_own_account
def undo(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    form = UndoForm(request.POST)
    if not form.is_valid():
        return _refuse(request, judgment_list, form.errors.as_text())
    result = judging.undo(
        user=request.user,
        judgment_list=judgment_list,
        at=timezone.now(),
        request_id=form.cleaned_data["undo_id"],
        answer=form.cleaned_data["answer"],
        skipped_pair=form.cleaned_data["pair"],
    )
    if result is None and (form.cleaned_data["answer"] or form.cleaned_data["pair"]):
        text = "Nothing to undo: this was changed or taken back in another tab or on another device"
    elif result is None:
        text = "There is nothing to undo in this list"
    elif result.skip:
        text = "Undone: the document is no longer put off"
    elif result.answer is None:
        text = "Undone: your last judgment is withdrawn"
    else:
        text = f"Undone: your answer is {judgment_list.scale.in_words(result.answer)} again"
    pair_id, card_id = (result.pair_id, result.card) if result else (None, None)
    if replies.by_script(request):
        return replies.reply(
            request,
            judgment_list,
            saved={"text": text, "at": second(timezone.now()), "pair": pair_id, "card": card_id},
            own=replies.own_html(request, judgment_list),
        )
    messages.success(request, text)
    return redirect(screen.address(judgment_list, pair_id, card_id))


@from_own_account
def skip(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    form = SkipForm(request.POST)
    if not form.is_valid():
        return _refuse(
            request, judgment_list, "This document can’t be put off because the request doesn’t name it."
        )
    pair_id = form.cleaned_data["pair"]
    try:
        queue.skip(
            user=request.user,
            judgment_list=judgment_list,
            pair_id=pair_id,
            at=timezone.now(),
            before=form.cleaned_data["put_off"],
            card=form.cleaned_data["card"],
        )
    except JudgmentsError as error:
        return _refuse(request, judgment_list, str(error))
    text = "Put off until the end of the query"
    if replies.by_script(request):
        saved = {"text": text, "at": second(timezone.now()), "pair": pair_id}
        return replies.reply(request, judgment_list, saved=saved)
    messages.success(request, text)
    return redirect(_next_address(judgment_list, request, pair_id))


@require_safe
def review(request: MemberRequest, pk: int, query: int) -> HttpResponse:
    """The rater's own answers to one query side by side, with links to their cards, to find slips."""
    judgment_list = screen.list_to_judge(request, pk)
    reviewable = reports.reviewable_query(judgment_list=judgment_list, user=request.user, query_id=query)
    if reviewable is None:
        raise Http404
    context = {
        "judgment_list": judgment_list,
        "query": reviewable,
        "rows": reports.review(judgment_list=judgment_list, user=request.user, query_id=reviewable.pk),
        "trail": screen.trail(judgment_list, "Your grades"),
    }
    template = "judgments/judging/judge_review.html"
    return render(request, f"{template}#answers" if request.htmx else template, context)


def _refuse(request: MemberRequest, judgment_list: JudgmentList, problem: str) -> HttpResponse:
    """The card again with the problem and the comment as typed; the earlier answer is unchanged."""
    if replies.by_script(request):
        status, content = _refusal(problem, request.POST)
        return replies.to_script(request, content, status=status)
    pair_id = key_in(request.POST.get("pair"))
    if pair_id is None:
        return screen.lost_page(request, judgment_list, problem)
    return screen.card_page(request, judgment_list, pair_id=pair_id, problem=problem, status=422)


@require_POST
def keys(request: MemberRequest) -> HttpResponse:
    """Saves the rater's own keys for the commands of the screen."""
    form = KeysForm({} if "reset" in request.POST else request.POST)
    if form.is_valid():
        set_keys(user=request.user, keys=own_keys(form.cleaned_data))
        messages.success(request, "Your keys are saved.")
    else:
        messages.error(request, f"Your keys were not saved. {' '.join(map(str, form.non_field_errors()))}")
    return redirect_to_next(request, reverse("account"))
