"""The rating screen. Each POST writes by one action; a form is redirected to the next card, the script gets JSON."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from judgments.base.errors import JudgmentsError
from judgments.base.moments import moment, second
from judgments.judging.actions import judging, queue
from judgments.judging.forms import AnswerForm, AnswersForm, KeysForm, SkipForm, UndoForm
from judgments.judging.reports import judging as reports
from judgments.judging.reports.practice import practice_summary
from judgments.judging.reports.shown import part_of_body
from judgments.judging.shortcuts import own_keys
from judgments.judging.views import judge_list
from judgments.judging.views import judge_screen as screen
from judgments.models import Judgment, JudgmentList, View
from judgments.models.answer_words import answer_in_words, name_of
from judgments.pages.archive_guard import in_archive_too
from judgments.pages.http import MemberRequest, redirect_to_next
from judgments.pages.waiting import not_for_long
from judgments.people.actions.accounts import set_keys


@require_safe
@not_for_long
def judge(request: MemberRequest, pk: int) -> HttpResponse:
    """The next pair of the rater's queue; with `?pair=` a certain one, with `?skipped=1` also what was put off."""
    judgment_list = screen.judged_list(request, pk)
    wanted = screen.key_of(request.GET, "pair")
    if wanted is None and judge_list.wanted(request, judgment_list):
        return judge_list.list_page(request, judgment_list)
    if wanted is None:
        return screen.next_page(request, judgment_list, with_skipped="skipped" in request.GET)
    if screen.by_script(request):
        return _card_for_script(request, judgment_list, wanted)
    return screen.card_page(request, judgment_list, pair_id=wanted)


def _card_for_script(request: MemberRequest, judgment_list: JudgmentList, pair_id: int) -> HttpResponse:
    """A card out of the rater's own history, with what the arrows lead to from there."""
    card_id = screen.card_id_of(request.GET)
    card = reports.reopened(judgment_list=judgment_list, user=request.user, pair_id=pair_id, card_id=card_id)
    if card is None:
        return screen.to_script(request, {"problem": "This pair is not in the list any more."}, status=404)
    near = reports.neighbors(judgment_list=judgment_list, user=request.user, card=card)
    html = screen.card_html(request, judgment_list, card, near=near)
    return screen.to_script(request, {"pair": pair_id, "html": html})


@require_POST
@in_archive_too  # where a list is archived, the queue says so
@not_for_long
def cards(request: MemberRequest, pk: int) -> HttpResponse:
    """The heartbeat of the script: renews the leases of the cards that it keeps, and brings those that it lacks."""
    judgment_list = screen.judged_list(request, pk)
    if (stranger := _other_account(request)) is not None:
        return stranger
    pairs = sorted(screen.pairs_of(request))
    kept = queue.renew(user=request.user, judgment_list=judgment_list, pair_ids=pairs, at=timezone.now())
    lost = set(pairs) - kept
    judged = reports.own_judged(judgment_list=judgment_list, user=request.user, pair_ids=lost)
    own = screen.own_html(request, judgment_list)
    return screen.reply(request, judgment_list, kept=sorted(kept), judged=judged, own=own)


@require_safe
def text(request: MemberRequest, pk: int) -> HttpResponse:
    """A part of a document's text that is too long for its card."""
    judgment_list = screen.judged_list(request, pk)
    if "pair" not in request.GET:
        return redirect(screen.address(judgment_list))
    pair_id = screen.key_of(request.GET, "pair") or 0
    pair = reports.readable_pair(judgment_list=judgment_list, user=request.user, pair_id=pair_id)
    if pair is None:
        raise Http404
    number = max(1, min(screen.key_of(request.GET, "part") or 1, 10_000))
    part = part_of_body(pair=pair, query=pair.query.text, number=number)
    context = {
        "judgment_list": judgment_list,
        "pair": pair,
        "part": part,
        "trail": screen.trail(judgment_list, here="Full text"),
    }
    name = "judgments/judging/judge_text.html#part" if request.htmx else "judgments/judging/judge_text.html"
    return render(request, name, context)


@require_POST
@in_archive_too
@not_for_long
def answer(request: MemberRequest, pk: int) -> HttpResponse:
    """Saves one answer, or with `answers` several that the script kept while it waited."""
    judgment_list = screen.judged_list(request, pk)
    if (stranger := _other_account(request)) is not None:
        return stranger
    if "answers" in request.POST:
        return _answer_several(request, judgment_list)
    status, said = _save(request, judgment_list, request.POST)
    if screen.by_script(request):
        saved = status == HTTPStatus.OK
        return (
            screen.reply(request, judgment_list, **said)
            if saved
            else screen.to_script(request, said, status=status)
        )
    if status == HTTPStatus.CONFLICT:
        typed = request.POST.get("comment", "")
        return screen.card_page(
            request, judgment_list, pair_id=said["pair"], conflict=said["problem"], typed=typed, status=status
        )
    if status != HTTPStatus.OK:
        return _refused(request, judgment_list, said["problem"])
    if practice := said["practice"]:
        level = messages.SUCCESS if practice["right"] else messages.WARNING
        messages.add_message(request, level, f"{practice['title']}. {practice['text']}")
    for note in said["notes"]:
        messages.info(request, note)
    messages.success(request, f"{said['saved']['text']} {said['saved']['at']}")
    return redirect(_onward(judgment_list, request, said["saved"]["pair"]))


def _answer_several(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    """Each answer is saved or refused by itself, in its own transaction; the next cards come with all of them.

    Where one fails on the server the whole request fails. The script then sends them one by one, and those that were
    saved before change nothing when they come again.
    """
    form = AnswersForm(request.POST)
    if not form.is_valid():
        return _refused(request, judgment_list, form.errors.as_text())
    results = [_save(request, judgment_list, fields) for fields in form.cleaned_data["answers"]]
    return screen.reply(
        request, judgment_list, answers=[said | {"status": status} for status, said in results]
    )


def _save(
    request: MemberRequest, judgment_list: JudgmentList, fields: Mapping[str, Any]
) -> tuple[HTTPStatus, dict[str, Any]]:
    """Saves one answer: the HTTP status and what to say of it."""
    form = AnswerForm(fields)
    if not form.is_valid():
        return _refusal(form.problem(), fields)
    try:
        recorded = _record(request, judgment_list, form.cleaned_data)
    except judging.JudgedBeforeError as error:
        return HTTPStatus.CONFLICT, _conflict(judgment_list, error.judgment)
    except JudgmentsError as error:
        return _refusal(str(error), fields)
    given = recorded.judgment
    name = answer_in_words(judgment_list.scale, given)
    return HTTPStatus.OK, {
        "saved": {"text": f"{name} saved", "at": second(given.updated_at), "pair": given.pair_id},
        "notes": _notes(recorded),
        "practice": _practice(request, judgment_list, recorded),
    }


def _refusal(problem: str, fields: Mapping[str, Any]) -> tuple[HTTPStatus, dict[str, Any]]:
    content = {"problem": problem, "kind": "refused", "pair": screen.key_of(fields, "pair")}
    return HTTPStatus.UNPROCESSABLE_ENTITY, content


def _onward(judgment_list: JudgmentList, request: MemberRequest, pair_id: int) -> str:
    """Where a form leads: to the next document, or in list mode back to the query and its row."""
    page = screen.address(judgment_list)
    query = screen.key_of(request.POST, "query")
    in_list = request.POST.get("view") == View.LIST and query is not None
    return f"{page}?query={query}#pair-{pair_id}" if in_list else page


def _record(request: MemberRequest, judgment_list: JudgmentList, data: dict[str, Any]) -> judging.Recorded:
    return judging.record_judgment(
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


def _notes(recorded: judging.Recorded) -> list[str]:
    """What is out of the ordinary: no slot was left."""
    if recorded.withdrawn:
        return ["You had taken this answer back in another tab; it stays taken back."]
    if recorded.judgment.extra and recorded.earlier is None and not recorded.repeated:
        return [
            "Somebody else had taken this document over meanwhile. Your judgment is kept and counts as well."
        ]
    return []


def _practice(
    request: MemberRequest, judgment_list: JudgmentList, recorded: judging.Recorded
) -> dict[str, Any] | None:
    """The right answer and why, after an answer in practice; after the last one also how practice went."""
    feedback = recorded.feedback
    if feedback is None:
        return None
    right = name_of(judgment_list.scale, feedback.value, "")
    also = [name_of(judgment_list.scale, value, "") for value in feedback.also]
    title = "Practice: right" if feedback.right else f"Practice: the right answer is {right}"
    words = [f"{', '.join(also)} would count as right, too." if also else "", feedback.explanation]
    words.append(practice_summary(judgment_list=judgment_list, user=request.user, at=timezone.now()))
    return {"right": feedback.right, "title": title, "text": " ".join(filter(None, words))}


def _other_account(request: MemberRequest) -> HttpResponse | None:
    """Judgments kept in a browser are saved for the account that gave them, whoever is signed in by now."""
    if request.POST.get("account", str(request.user.pk)) == str(request.user.pk):
        return None
    problem = f"You are signed in as {request.user.username}; these judgments are of another account."
    return screen.to_script(request, {"problem": problem, "kind": "account"}, status=409)


def _conflict(judgment_list: JudgmentList, earlier: Judgment) -> dict[str, Any]:
    before = answer_in_words(judgment_list.scale, earlier)
    told = f"You judged this {before} on {moment(earlier.updated_at)}."
    return {"problem": told, "kind": "conflict", "pair": earlier.pair_id, "before": before}


@require_POST
@in_archive_too
@not_for_long
def undo(request: MemberRequest, pk: int) -> HttpResponse:
    judgment_list = screen.judged_list(request, pk)
    if (stranger := _other_account(request)) is not None:
        return stranger
    form = UndoForm(request.POST)
    if not form.is_valid():
        return _refused(request, judgment_list, form.errors.as_text())
    undone = judging.undo(
        user=request.user,
        judgment_list=judgment_list,
        at=timezone.now(),
        request_id=form.cleaned_data["undo_id"],
        answer=form.cleaned_data["answer"],
        skipped=form.cleaned_data["pair"],
    )
    named = form.cleaned_data["answer"] or form.cleaned_data["pair"]
    if undone is None and named:
        told = "Nothing to undo: you changed or took back this answer in another tab"
    elif undone is None:
        told = "There is nothing to undo in this list."
    elif undone.skip:
        told = "Undone: the document is not put off any more"
    elif undone.restored is None:
        told = "Undone: your last judgment is withdrawn"
    else:
        before = answer_in_words(judgment_list.scale, undone.restored)
        told = f"Undone: your earlier answer, {before}, holds again"
    pair_id, card_id = (undone.pair_id, undone.card) if undone else (None, None)
    if screen.by_script(request):
        return screen.reply(
            request,
            judgment_list,
            saved={"text": told, "at": second(timezone.now()), "pair": pair_id, "card": card_id},
            own=screen.own_html(request, judgment_list),
        )
    messages.success(request, told)
    return redirect(screen.address(judgment_list, pair_id, card_id))


@require_POST
@in_archive_too
@not_for_long
def skip(request: MemberRequest, pk: int) -> HttpResponse:
    judgment_list = screen.judged_list(request, pk)
    if (stranger := _other_account(request)) is not None:
        return stranger
    form = SkipForm(request.POST)
    if not form.is_valid():
        return _refused(request, judgment_list, "This document cannot be put off: its number is missing.")
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
        return _refused(request, judgment_list, str(error))
    told = "Put off until the end of the query"
    if screen.by_script(request):
        saved = {"text": told, "at": second(timezone.now()), "pair": pair_id}
        return screen.reply(request, judgment_list, saved=saved)
    messages.success(request, told)
    return redirect(_onward(judgment_list, request, pair_id))


@require_safe
def review(request: MemberRequest, pk: int, query: int) -> HttpResponse:
    """The rater's own answers to one query side by side, each leading to its card, to find slips."""
    judgment_list = screen.judged_list(request, pk)
    found = reports.reviewable_query(judgment_list=judgment_list, user=request.user, query_id=query)
    if found is None:
        raise Http404
    context = {
        "judgment_list": judgment_list,
        "query": found,
        "rows": reports.review(judgment_list=judgment_list, user=request.user, query_id=found.pk),
        "trail": screen.trail(judgment_list, here="Your grades"),
    }
    name = (
        "judgments/judging/judge_review.html#answers"
        if request.htmx
        else "judgments/judging/judge_review.html"
    )
    return render(request, name, context)


def _refused(request: MemberRequest, judgment_list: JudgmentList, problem: str) -> HttpResponse:
    """The card again with what is wrong and what was typed; the earlier answer stays as it was."""
    if screen.by_script(request):
        status, content = _refusal(problem, request.POST)
        return screen.to_script(request, content, status=status)
    pair_id = screen.key_of(request.POST, "pair")
    if pair_id is None:
        return screen.lost_page(request, judgment_list, problem)
    typed = request.POST.get("comment", "")
    return screen.card_page(request, judgment_list, pair_id=pair_id, problem=problem, typed=typed, status=422)


@require_POST
def keys(request: MemberRequest) -> HttpResponse:
    """The rater's own keys for the commands of the screen."""
    form = KeysForm({} if "reset" in request.POST else request.POST)
    if form.is_valid():
        set_keys(user=request.user, keys=own_keys(form.cleaned_data))
        messages.success(request, "Your keys are saved.")
    else:
        messages.error(request, f"Your keys were not saved. {' '.join(map(str, form.non_field_errors()))}")
    return redirect_to_next(request, reverse("account"))
