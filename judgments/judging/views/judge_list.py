"""List mode of the rating screen: all documents of one query, each with a row of grades, saved one by one."""

import hashlib

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from judgments.base.keys import key_in
from judgments.judging.actions import queue
from judgments.judging.reports import judging as reports
from judgments.judging.views import judge_screen as screen
from judgments.models import JudgmentList, View
from judgments.pages.http import MemberRequest

MOST_ROWS = 100


def is_list_mode(request: MemberRequest, judgment_list: JudgmentList) -> bool:
    """Whether this rater judges in list mode: the admin's choice, or the rater's own if the admin allows it."""
    if judgment_list.view != View.CHOICE:
        return judgment_list.view == View.LIST
    view = request.GET.get("view", "")
    if view in (View.LIST, View.DOCUMENT):
        request.session["judge_view"] = view
    return bool(request.session.get("judge_view") == View.LIST)


def list_page(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    """The documents of the next query, or of `?query=`: those that the rater holds and those that are judged."""
    user, at = request.user, timezone.now()
    pairs_held = queue.claim(
        user=user,
        judgment_list=judgment_list,
        at=at,
        count=MOST_ROWS,
        with_skipped="skipped" in request.GET,
        ahead=False,
        with_repeats=False,
    )
    query = key_in(request.GET.get("query"))
    if query is None and pairs_held:
        query = reports.query_of(judgment_list=judgment_list, pair_id=pairs_held[0].pair_id)
    if query is None:
        return _nothing(request, judgment_list)
    own = reports.own_pairs_of_query(judgment_list=judgment_list, user=user, query_id=query)
    by_pair = {pair.pair_id: pair for pair in pairs_held}
    waiting = reports.pairs_of_query(pair_ids=by_pair, query_id=query)
    pairs = sorted({*own, *waiting}, key=lambda pair: _shuffle_key(user.pk, pair))
    if len(pairs) > MOST_ROWS:  # pairs to judge come first, on the first page
        pairs.sort(key=lambda pair: pair not in by_pair)
    parts = Paginator(pairs, MOST_ROWS)
    part = parts.get_page(key_in(request.GET.get("part")))
    cards = reports.cards(judgment_list=judgment_list, user=user, pair_ids=part.object_list)
    cards = [
        screen.numbered_card(card, by_pair.get(card.pair_id))
        for card in reports.with_practice(cards, judgment_list=judgment_list, user=user)
    ]
    if not cards:
        return redirect("judge", judgment_list.pk) if pairs_held else _nothing(request, judgment_list)
    context = screen.page_context(request, judgment_list, View.LIST) | {
        "rows": [screen.card_context(request, judgment_list, card) for card in cards],
        "card": cards[0],
        "part": part,
        "total": len(pairs),
        "open": len(waiting),
    }
    response = render(request, "judgments/judging/judge_list.html", context)
    return screen.with_images(request, judgment_list, response)


def _nothing(request: MemberRequest, judgment_list: JudgmentList) -> HttpResponse:
    return screen.render_screen(request, judgment_list, screen.nothing_context(request, judgment_list))


def _shuffle_key(user_id: int, pair_id: int) -> bytes:
    """Sorts documents in an order of this rater's own, which is the same at every visit."""
    return hashlib.blake2b(f"{user_id} {pair_id}".encode(), digest_size=8).digest()
