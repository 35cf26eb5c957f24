"""Replies to the script of the rating screen: cards, and what else it needs."""

from typing import Any

from django.http import JsonResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils import timezone

from judgments.base.cleaning import guidelines_html
from judgments.base.keys import key_in, keys_in
from judgments.judging.actions import queue
from judgments.judging.reports import judging as reports
from judgments.judging.sql.slots import HeldPair
from judgments.judging.views.judge_screen import (
    card_context,
    has_picture,
    is_done,
    nothing_context,
    numbered_card,
    own_context,
)
from judgments.models import JudgmentList
from judgments.pages.http import MemberRequest

PANEL = "judgments/judging/judge.html#panel"
AT_ONCE = 5
"""How many cards come with one reply."""


def by_script(request: MemberRequest) -> bool:
    """Whether the request comes from the page's script, which expects JSON; a form gets a page or a redirect."""
    return "application/json" in request.headers.get("Accept", "")


def reply(request: MemberRequest, judgment_list: JudgmentList, **more: Any) -> JsonResponse:
    """A reply to the script: the pairs that the rater holds, in order, and those of their cards that the script lacks.

    In `have` the script names the pairs whose cards it keeps, and in `ahead` how many it needs in total. They come a few
    at a time, so that no reply takes long. `enough` asks for none now, and in list mode (`rows`) all are on the page.
    """
    if "rows" in request.POST or ("enough" in request.POST and not judgment_list.paused):
        return to_script(request, _guidelines(request, judgment_list) | more)
    have = pairs_of(request)
    ahead = key_in(request.POST.get("ahead")) or AT_ONCE
    pairs = queue.claim(
        user=request.user,
        judgment_list=judgment_list,
        at=timezone.now(),
        count=min(ahead, reports.MOST_AHEAD, len(have) + AT_ONCE),
        with_skipped="skipped" in request.POST,
    )
    content: dict[str, Any] = {
        "held": [(pair.pair_id, pair.number, pair.documents) for pair in pairs],
        "cards": _cards(request, judgment_list, [pair for pair in pairs if pair.pair_id not in have]),
    }
    if not pairs:
        context = nothing_context(request, judgment_list)
        content["reason"] = context["nothing"].reason
        if is_done(context["nothing"]):
            more["own"] = own_html(request, judgment_list, done=True)
        content["nothing"] = render_to_string("judgments/judging/judge.html#nothing", context, request)
    return to_script(request, content | _guidelines(request, judgment_list) | more)


def _guidelines(request: MemberRequest, judgment_list: JudgmentList) -> dict[str, Any]:
    """The guidelines, if those on the page are outdated."""
    if request.POST.get("guidelines") in (None, str(judgment_list.guidelines_version)):
        return {}
    html = guidelines_html(judgment_list.guidelines)
    return {"guidelines": {"version": judgment_list.guidelines_version, "html": html}}


def to_script(request: MemberRequest, content: dict[str, Any], *, status: int = 200) -> JsonResponse:
    response = JsonResponse({"account": request.user.pk} | content, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _cards(
    request: MemberRequest, judgment_list: JudgmentList, pairs: list[HeldPair]
) -> list[dict[str, Any]]:
    by_pair = {pair.pair_id: pair for pair in pairs}
    cards = [
        numbered_card(card, by_pair[card.pair_id])
        for card in reports.cards(judgment_list=judgment_list, user=request.user, pair_ids=by_pair)
    ]
    # Cards without an answer have the same choices, but for the reason about pictures. They take most of the time of rendering.
    fresh = {has_picture(card): card for card in cards if card.answer is None}
    panels = {
        pictured: render_to_string(PANEL, card_context(request, judgment_list, card))
        for pictured, card in fresh.items()
    }
    return [
        {
            "pair": card.pair_id,
            "html": card_html(
                request, judgment_list, card, panel="" if card.answer else panels[has_picture(card)]
            ),
        }
        for card in cards
    ]


def card_html(request: MemberRequest, judgment_list: JudgmentList, card: reports.Card, **more: Any) -> str:
    """The card alone: the context of whole pages costs a statement for each card."""
    context = card_context(request, judgment_list, card) | {"csrf_token": get_token(request)} | more
    return render_to_string("judgments/judging/judge.html#card", context)


def pairs_of(request: MemberRequest) -> set[int]:
    """The pairs whose cards the script already has."""
    return set(keys_in(request.POST.get("have", "")[:2000].split(",")))


def own_html(request: MemberRequest, judgment_list: JudgmentList, *, done: bool = False) -> str:
    """The rater's own numbers, which the script puts into the footer."""
    context = own_context(request, judgment_list)
    if done:
        context["share"] = context["share"].when_done
    return render_to_string("judgments/judging/judge_base.html#own", context)
