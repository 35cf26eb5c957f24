"""Shared by the views of the rating screen: the page, its cards, the replies to its script, and how it opens without a network."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from judgments.base.cleaning import guidelines_html
from judgments.base.digits import written
from judgments.base.keys import key_in, keys_in
from judgments.judging.actions import queue
from judgments.judging.reports import judging as reports
from judgments.judging.reports.own_share import Nothing, nothing_left, own_share
from judgments.judging.shortcuts import ALL_COMMANDS, COMMANDS, fixed_signs, key_map, keys_of
from judgments.judging.sql import cards
from judgments.judging.sql.slots import HeldPair
from judgments.models import JudgmentList, Reason, View
from judgments.pages.fetching import is_administered
from judgments.pages.http import MemberRequest, images_allowed
from judgments.pages.trails import trail as base_trail

SURENESS = ((1, "Guessing"), (2, "Fairly"), (3, "Sure"))
PANEL = "judgments/judging/judge.html#panel"
AT_ONCE = 5
"""How many cards come with one reply."""


def list_to_judge(request: MemberRequest, pk: int) -> JudgmentList:
    """The list with query set, scale and grades. 404 unless this account may judge it."""
    judgment_list = cards.list_to_judge(request.user, pk)
    if judgment_list is None:
        raise Http404
    return judgment_list


def by_script(request: MemberRequest) -> bool:
    """Whether the request comes from the page's script, which expects JSON; a form gets a page or a redirect."""
    return "application/json" in request.headers.get("Accept", "")


def key_of(data: Mapping[str, Any], name: str) -> int | None:
    """A key from the address or a form; None if it isn't one."""
    return key_in(data.get(name))


def card_id_of(data: Mapping[str, Any]) -> uuid.UUID | None:
    """The ID of the card that the address or a form names; None if it isn't one."""
    try:
        return uuid.UUID(data.get("card", ""))
    except ValueError:
        return None


def address(judgment_list: JudgmentList, pair_id: int | None = None, card_id: uuid.UUID | None = None) -> str:
    query = {"pair": pair_id, "card": card_id} if card_id else {"pair": pair_id} if pair_id else None
    return reverse("judge", args=[judgment_list.pk], query=query)


def trail(judgment_list: JudgmentList, here: str) -> list[dict[str, str]]:
    return base_trail(("Home", reverse("home")), (judgment_list.name, address(judgment_list)), here)


# --- pages -----------------------------------------------------------------------------------------------------


def next_page(
    request: MemberRequest, judgment_list: JudgmentList, *, with_skipped: bool = False
) -> HttpResponse:
    at = timezone.now()
    pairs = queue.claim(user=request.user, judgment_list=judgment_list, at=at, with_skipped=with_skipped)
    if pairs:
        return card_page(request, judgment_list, pair_id=pairs[0].pair_id, pair=pairs[0])
    return render_screen(request, judgment_list, nothing_context(request, judgment_list))


def card_page(
    request: MemberRequest,
    judgment_list: JudgmentList,
    *,
    pair_id: int,
    pair: HeldPair | None = None,
    problem: str = "",
    conflict: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page with one card: of a `pair` that was just claimed, or of one that was handed out before.

    The comment of an answer that was refused stays, so that nobody has to type it again.
    """
    card_id = card_id_of(request.POST if request.method == "POST" else request.GET)
    if pair:
        card = reports.card(judgment_list=judgment_list, user=request.user, pair_id=pair_id)
    else:
        card = reports.reopened_card(
            judgment_list=judgment_list, user=request.user, pair_id=pair_id, card_id=card_id
        )
    if card is None:
        return lost_page(request, judgment_list, problem) if problem else next_page(request, judgment_list)
    card = numbered_card(card, pair)
    context = card_context(request, judgment_list, card)
    context |= {
        "near": reports.neighbors(judgment_list=judgment_list, user=request.user, card=card),
        "problem": problem,
        "conflict": conflict,
        "comment": request.POST.get("comment") or context["comment"],
        "on_page": True,
    }
    return render_screen(request, judgment_list, context, status=status)


def lost_page(request: MemberRequest, judgment_list: JudgmentList, problem: str) -> HttpResponse:
    """The page for an answer that names no card."""
    context = {"problem": problem, "nothing": Nothing("lost")}
    return render_screen(request, judgment_list, context, status=422)


def render_screen(
    request: MemberRequest, judgment_list: JudgmentList, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    context |= page_context(request, judgment_list) | {"ahead": reports.cards_ahead(judgment_list)}
    if is_done(context.get("nothing")):
        context["share"] = context["share"].when_done
    response = render(request, "judgments/judging/judge.html", context, status=status)
    return with_images(request, judgment_list, response)


def page_context(
    request: MemberRequest, judgment_list: JudgmentList, view: str = View.DOCUMENT
) -> dict[str, Any]:
    keys = keys_of(request.user.keys)
    places = {"", view}
    places |= {"slider"} if judgment_list.scale.continuous else set()
    places |= {"confidence"} if judgment_list.confidence else set()
    return own_context(request, judgment_list) | {
        "judgment_list": judgment_list,
        "scale": judgment_list.scale,
        "shortcuts": request.user.single_key_shortcuts,
        "keys": keys,
        "commands": [(command, keys[command.name]) for command in COMMANDS],
        "fixed_keys": [
            (command, fixed_signs(command))
            for command in ALL_COMMANDS
            if command.fixed_keys and command.where in places
        ],
        "key_map": json.dumps(key_map(request.user.keys)),
        "demo_account": settings.DEMO and not request.user.has_usable_password(),
        "choice": judgment_list.view == View.CHOICE,
    }


def is_done(nothing: Nothing | None) -> bool:
    return nothing is not None and nothing.reason == "done"


def own_context(request: MemberRequest, judgment_list: JudgmentList) -> dict[str, Any]:
    share = own_share(judgment_list=judgment_list, user=request.user, at=timezone.now())
    return {"share": share, "goal": request.user.daily_goal}


def own_html(request: MemberRequest, judgment_list: JudgmentList, *, done: bool = False) -> str:
    """The rater's own numbers, which the script puts into the footer."""
    context = own_context(request, judgment_list)
    if done:
        context["share"] = context["share"].when_done
    return render_to_string("judgments/judging/judge_base.html#own", context)


def with_images(request: MemberRequest, judgment_list: JudgmentList, response: HttpResponse) -> HttpResponse:
    """Lets images load if the query set allows it. The policy of the first page also applies to later cards."""
    response["Cache-Control"] = "no-store"
    return images_allowed(request, judgment_list.query_set, response)


def numbered_card(card: reports.Card, pair: HeldPair | None) -> reports.Card:
    """The card with its number in the rater's queue, if the pair was just claimed. A repeat doesn't show the judgment."""
    if pair is None:
        return card
    card = replace(card, number=pair.number, documents=pair.documents, practice=pair.practice)
    return card if pair.repeat is None else reports.as_repeat(card, pair.repeat)


def card_context(request: MemberRequest, judgment_list: JudgmentList, card: reports.Card) -> dict[str, Any]:
    scale = judgment_list.scale
    evidence_grades = judgment_list.evidence_grades
    evidence = card.answer.evidence if card.answer else []
    return {
        "judgment_list": judgment_list,
        "scale": scale,
        "low": written(scale.minimum),
        "high": written(scale.maximum),
        "step": written(scale.step),
        "card": card,
        "choices": reports.choices(scale, card.answer),
        "reasons": _reasons(card),
        "request_id": uuid.uuid4(),
        # Every card has an ID, so that it doesn't give a repeat away.
        "card_id": card.repeat or uuid.uuid4(),
        "comment": card.answer.comment if card.answer else "",
        "sureness": SURENESS,
        "evidence_json": json.dumps(evidence),
        "evidence_grades": json.dumps(evidence_grades),
        "evidence_labels": ", ".join(map(scale.name_of, evidence_grades)),
        "quotes": "\n".join(passage.get("quote", "") for passage in evidence),
        "keys": keys_of(request.user.keys),
        "shortcuts": request.user.single_key_shortcuts,
    }


def _reasons(card: reports.Card) -> list[tuple[int, tuple[str, str]]]:
    """Digits and reasons."""
    return [
        (number, choice)
        for number, choice in enumerate(Reason.choices, start=1)
        if choice[0] != Reason.PICTURE_MISSING or _has_picture(card)
    ]


def _has_picture(card: reports.Card) -> bool:
    """Whether a picture that doesn't load can be the reason: where there is a picture, or where that was the answer."""
    return bool(card.document.image or (card.answer and card.answer.reason == Reason.PICTURE_MISSING))


def nothing_context(request: MemberRequest, judgment_list: JudgmentList) -> dict[str, Any]:
    nothing = nothing_left(judgment_list=judgment_list, user=request.user, at=timezone.now())
    may_add = nothing.reason == "empty" and is_administered(request, judgment_list.pk)
    return {"nothing": nothing, "may_add": may_add, "judgment_list": judgment_list}


# --- replies to the script ---------------------------------------------------------------------------------------


def reply(request: MemberRequest, judgment_list: JudgmentList, **more: Any) -> JsonResponse:
    """A reply to the script: the pairs that the rater holds, in order, and those of their cards that the script lacks.

    In `have` the script names the pairs whose cards it keeps, and in `ahead` how many it needs in total. They come a few
    at a time, so that no reply takes long. `enough` asks for none now, and in list mode (`rows`) all are on the page.
    """
    if "rows" in request.POST or ("enough" in request.POST and not judgment_list.paused):
        return to_script(request, _guidelines(request, judgment_list) | more)
    have = pairs_of(request)
    ahead = key_of(request.POST, "ahead") or AT_ONCE
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
    fresh = {_has_picture(card): card for card in cards if card.answer is None}
    panels = {
        has_picture: render_to_string(PANEL, card_context(request, judgment_list, card))
        for has_picture, card in fresh.items()
    }
    return [
        {
            "pair": card.pair_id,
            "html": card_html(
                request, judgment_list, card, panel="" if card.answer else panels[_has_picture(card)]
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


WORKER = "js/judging/worker.js"


@login_not_required
@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """The script is under /lists/, since a service worker can only answer for addresses below its own."""
    path = finders.find(WORKER)
    if not path:
        raise Http404
    response = HttpResponse(Path(path).read_bytes(), content_type="text/javascript; charset=utf-8")
    response["Cache-Control"] = "no-cache"
    return response


@require_safe
def shell(request: MemberRequest, pk: int) -> HttpResponse:
    """The page of the rating screen that the browser keeps: without a card, and without messages meant for the next page."""
    context = {"from_device": True, "messages": []}
    return render_screen(request, list_to_judge(request, pk), context)
