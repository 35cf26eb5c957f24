"""List mode of the rating screen: all documents of one query, each with a row of grades, saved one by one."""

import hashlib
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from judgments.base.cleaning import guidelines_html
from judgments.judging.actions import queue
from judgments.judging.reports import judging as reports
from judgments.judging.views import judge_screen as screen
from judgments.models import JudgmentList, View
from judgments.pages.http import MemberRequest

MOST_ROWS = 100


def wanted(request: MemberRequest, judgment_list: JudgmentList) -> bool:
    """Whether this rater sees the list as lists: as the admin chose, or as the rater did where that is left open."""
    if judgment_list.view != View.CHOICE:
        return judgment_list.view == View.LIST
    chosen = request.GET.get("view", "")
    if chosen in (View.LIST, View.DOCUMENT):
        request.session["judge_view"] = chosen
    return bool(request.session.get("judge_view") == View.LIST)


def list_page(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    """The documents of the next query, or with `?query=` of a certain one: those held, and those judged before."""
    user, at = request.user, timezone.now()
    held = queue.claim(
        user=user,
        judgment_list=judgment_list,
        at=at,
        count=MOST_ROWS,
        with_skipped="skipped" in request.GET,
        ahead=False,
        with_repeats=False,
    )
    query = screen.key_of(request.GET, "query") or _query_of(judgment_list, held)
    if query is None:
        return _nothing(request, judgment_list)
    own = reports.own_pairs_of_query(judgment_list=judgment_list, user=user, query_id=query)
    places = {one.pair_id: one for one in held}
    waiting = reports.pairs_of_query(pair_ids=places, query_id=query)
    pairs = sorted({*own, *waiting}, key=lambda pair: _shuffled(user.pk, pair))
    if len(pairs) > MOST_ROWS:  # what is to be judged comes first, on the first page
        pairs.sort(key=lambda pair: pair not in places)
    parts = Paginator(pairs, MOST_ROWS)
    part = parts.get_page(screen.key_of(request.GET, "part"))
    found = reports.cards(judgment_list=judgment_list, user=user, pair_ids=part.object_list)
    cards = [screen.placed(card, places.get(card.pair_id)) for card in found]
    if not cards:
        return redirect("judge", judgment_list.pk) if held else _nothing(request, judgment_list)
    context = {"part": part, "total": len(pairs), "open": len(waiting)}
    return _page(request, judgment_list, cards, context)


def _nothing(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    return screen.render_screen(request, judgment_list, screen.nothing_context(request, judgment_list))


def _page(
    request: MemberRequest, judgment_list: JudgmentList, cards: list[reports.Card], more: dict[str, Any]
) -> HttpResponse:
    context: dict[str, Any] = screen.page_context(request, judgment_list, View.LIST) | {
        "rows": [screen.card_context(request, judgment_list, card) for card in cards],
        "card": cards[0],
        "guidelines": guidelines_html(judgment_list.guidelines),
    }
    context |= more
    return screen.with_images(
        request, judgment_list, render(request, "judgments/judging/judge_list.html", context)
    )


def _query_of(judgment_list: JudgmentList, held: list[queue.Handed]) -> int | None:
    return reports.query_of(judgment_list=judgment_list, pair_id=held[0].pair_id) if held else None


def _shuffled(user_id: int, pair_id: int) -> bytes:
    """The order of the documents is this rater's own, and the same at every visit."""
    return hashlib.blake2b(f"{user_id} {pair_id}".encode(), digest_size=8).digest()
