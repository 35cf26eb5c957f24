"""The rating screen. Each POST writes by one action and answers the next card, or redirects to it without htmx."""

import uuid
from typing import Any

from csp.decorators import csp_update
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.views.decorators.http import require_GET, require_POST

from judgments.actions import judging, queue
from judgments.cleaning import guidelines_html
from judgments.errors import JudgmentsError
from judgments.forms.judge import AnswerForm, PairForm
from judgments.models import JudgmentList, Reason
from judgments.reports import judging as reports
from judgments.views.http import MemberRequest

BIGGEST_KEY = 2**63 - 1


def _list(request: MemberRequest, pk: int) -> JudgmentList:
    lists = JudgmentList.objects.judgeable_by(request.user)
    return get_object_or_404(
        lists.select_related("query_set", "scale").prefetch_related("scale__grades"), pk=pk
    )


@require_GET
def judge(request: MemberRequest, pk: int) -> HttpResponse:
    """The next pair of the rater's queue; with `?pair=` a certain one, with `?skipped=1` also what was put off."""
    judgment_list = _list(request, pk)
    wanted = _key(request.GET, "pair")
    if wanted is not None:
        return _screen(request, judgment_list, pair_id=wanted)
    return _next(request, judgment_list, with_skipped="skipped" in request.GET)


@require_POST
def answer(request: MemberRequest, pk: int) -> HttpResponse:
    judgment_list = _list(request, pk)
    form = AnswerForm(request.POST, scale=judgment_list.scale)
    if not form.is_valid():
        return _refused(request, judgment_list, form.problem())
    data = form.cleaned_data
    at = timezone.now()
    try:
        recorded = judging.record_judgment(
            user=request.user,
            judgment_list=judgment_list,
            pair_id=data["pair"],
            request_id=data["request_id"],
            value=data["grade"],
            reason=data["reason"],
            comment=data["comment"],
            timing=judging.Timing(data["active_ms"], data["wall_ms"], data["method"], data["device"]),
            at=at,
        )
    except JudgmentsError as error:
        return _refused(request, judgment_list, str(error))
    _tell(request, judgment_list, recorded, meant=data["known"])
    given = recorded.judgment
    name = "Cannot judge" if given.reason else reports.name_of(judgment_list.scale, given.value, "")
    return _onward(request, judgment_list, saved=f"{name} saved {_time(given.updated_at)}")


def _tell(
    request: MemberRequest, judgment_list: JudgmentList, recorded: judging.Recorded, *, meant: bool
) -> None:
    """Says what is out of the ordinary: judged in another tab meanwhile, or no slot left."""
    earlier = recorded.earlier
    if earlier is not None and not meant:
        before = reports.name_of(judgment_list.scale, earlier.value, earlier.reason)
        messages.warning(
            request,
            f"You had judged this document in another tab ({before}, {_time(earlier.answered_at)}). "
            "Your new answer replaces it.",
        )
    elif recorded.judgment.extra and earlier is None and not recorded.repeated:
        messages.info(
            request, "Others had judged this document meanwhile. Your judgment is kept and counts as well."
        )


@require_POST
def undo(request: MemberRequest, pk: int) -> HttpResponse:
    judgment_list = _list(request, pk)
    undone = judging.undo(user=request.user, judgment_list=judgment_list, at=timezone.now())
    if undone is None:
        messages.info(request, "There is nothing to undo in this list.")
        return _onward(request, judgment_list)
    if undone.restored is None:
        saved = "Undone: your last judgment is withdrawn"
    else:
        before = reports.name_of(judgment_list.scale, undone.restored.value, undone.restored.reason)
        saved = f"Undone: your earlier answer, {before}, holds again"
    return _onward(request, judgment_list, pair_id=undone.pair_id, saved=saved)


@require_POST
def skip(request: MemberRequest, pk: int) -> HttpResponse:
    judgment_list = _list(request, pk)
    form = PairForm(request.POST)
    if not form.is_valid():
        return _refused(request, judgment_list, "This document cannot be put off: its number is missing.")
    try:
        queue.skip(
            user=request.user,
            judgment_list=judgment_list,
            pair_id=form.cleaned_data["pair"],
            at=timezone.now(),
        )
    except JudgmentsError as error:
        return _refused(request, judgment_list, str(error))
    return _onward(request, judgment_list, saved="Put off until the end of the query")


@require_GET
def done(request: MemberRequest, pk: int) -> HttpResponse:
    judgment_list = _list(request, pk)
    page = reports.own_judgments(
        judgment_list=judgment_list, user=request.user, before=_key(request.GET, "before")
    )
    choices: dict[float | None, reports.Choice] = {
        choice.grade.value: choice for choice in reports.choices(judgment_list.scale, None)
    }
    rows = [(judgment, choices.get(judgment.value)) for judgment in page.judgments]
    context = {
        "judgment_list": judgment_list,
        "rows": rows,
        "before": page.before,
        "trail": _trail(judgment_list, done=True),
    }
    return render(request, "judgments/judge_done.html", context)


def _onward(
    request: MemberRequest, judgment_list: JudgmentList, *, pair_id: int | None = None, saved: str = ""
) -> HttpResponse:
    """After a POST: the next card as a part, or a redirect to it."""
    if request.htmx:
        if pair_id is None:
            response = _next(request, judgment_list, saved=saved)
        else:
            response = _screen(request, judgment_list, pair_id=pair_id, saved=saved)
        response["HX-Replace-Url"] = _address(judgment_list, pair_id)
        return response
    if saved:
        messages.success(request, saved)
    return redirect(_address(judgment_list, pair_id))


def _address(judgment_list: JudgmentList, pair_id: int | None = None) -> str:
    address = reverse("judge", args=[judgment_list.pk])
    return f"{address}?pair={pair_id}" if pair_id else address


def _next(
    request: MemberRequest, judgment_list: JudgmentList, *, with_skipped: bool = False, saved: str = ""
) -> HttpResponse:
    at = timezone.now()
    held = queue.claim(user=request.user, judgment_list=judgment_list, at=at, with_skipped=with_skipped)
    if held:
        return _screen(request, judgment_list, pair_id=held[0].pair_id, saved=saved)
    nothing = reports.nothing_left(judgment_list=judgment_list, user=request.user, at=at)
    may_add = nothing.reason == "empty" and _administers(request, judgment_list)
    return _render(request, judgment_list, {"nothing": nothing, "saved": saved, "may_add": may_add})


def _administers(request: MemberRequest, judgment_list: JudgmentList) -> bool:
    return JudgmentList.objects.administered_by(request.user).filter(pk=judgment_list.pk).exists()


def _screen(
    request: MemberRequest,
    judgment_list: JudgmentList,
    *,
    pair_id: int,
    saved: str = "",
    problem: str = "",
    typed: str = "",
    status: int = 200,
) -> HttpResponse:
    """One card. `typed` is the comment of an answer that was refused, so that it is not typed twice."""
    card = reports.card(judgment_list=judgment_list, user=request.user, pair_id=pair_id)
    if card is None and problem:
        return _lost(request, judgment_list, problem)
    if card is None:
        return _next(request, judgment_list, saved=saved)
    context = {
        "card": card,
        "choices": reports.choices(judgment_list.scale, card.given),
        "reasons": list(enumerate(Reason.choices, start=1)),
        "request_id": uuid.uuid4(),
        "saved": saved,
        "problem": problem,
        "comment": typed or (card.given.comment if card.given else ""),
    }
    return _render(request, judgment_list, context, status=status)


def _refused(request: MemberRequest, judgment_list: JudgmentList, problem: str) -> HttpResponse:
    """The card again with what is wrong and what was typed; the earlier answer stays as it was."""
    pair_id = _key(request.POST, "pair")
    if pair_id is None:
        return _lost(request, judgment_list, problem)
    typed = request.POST.get("comment", "")
    return _screen(request, judgment_list, pair_id=pair_id, problem=problem, typed=typed, status=422)


def _lost(request: MemberRequest, judgment_list: JudgmentList, problem: str) -> HttpResponse:
    """There is no card to go back to."""
    return _render(
        request, judgment_list, {"problem": problem, "nothing": reports.Nothing("lost")}, status=422
    )


def _render(
    request: MemberRequest, judgment_list: JudgmentList, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    template = "judgments/judge.html#screen" if request.htmx else "judgments/judge.html"
    scale = judgment_list.scale
    context |= {
        "judgment_list": judgment_list,
        "scale": scale,
        "guidelines": guidelines_html(judgment_list.guidelines),
        "timing_fields": ("active_ms", "wall_ms", "method", "device"),
        "shortcuts": request.user.single_key_shortcuts,
        "trail": _trail(judgment_list),
        "part": bool(request.htmx),
    }
    response = render(request, template, context, status=status)
    response["Cache-Control"] = "no-store"
    if judgment_list.query_set.show_images:
        # Parts are swapped into the first page, whose policy holds for them all: so every host is allowed.
        csp_update({"img-src": ["https:", "http:"]})(lambda _: response)(request)
    return response


def _trail(judgment_list: JudgmentList, *, done: bool = False) -> list[dict[str, str]]:
    judge_page = {"name": judgment_list.name, "url": reverse("judge", args=[judgment_list.pk])}
    steps = [{"name": "Home", "url": reverse("home")}]
    if done:
        return [*steps, judge_page, {"name": "Your judgments"}]
    return [*steps, {"name": judgment_list.name}]


def _key(data: QueryDict, name: str) -> int | None:
    """A key out of the address or a form; None for what is no key."""
    text = data.get(name, "")
    if not (text.isascii() and text.isdigit()):
        return None
    key = int(text[:20])
    return key if key <= BIGGEST_KEY else None


def _time(moment: Any) -> str:
    return date_format(timezone.localtime(moment), "H:i:s")
