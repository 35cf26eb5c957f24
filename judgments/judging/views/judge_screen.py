"""The pages of the rating screen, and what their templates need."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from judgments.base.digits import written
from judgments.judging.actions import queue
from judgments.judging.reports import judging as reports
from judgments.judging.reports.own_share import NothingLeft, nothing_left, own_share
from judgments.judging.shortcuts import ALL_COMMANDS, COMMANDS, fixed_signs, key_map, keys_of
from judgments.judging.sql import cards
from judgments.judging.sql.slots import HeldPair
from judgments.models import JudgmentList, Reason, View
from judgments.pages.http import MemberRequest, images_allowed
from judgments.pages.trails import trail as base_trail

SURENESS = ((1, "Guessing"), (2, "Fairly"), (3, "Sure"))


def list_to_judge(request: MemberRequest, pk: int) -> JudgmentList:
    """The list with query set, scale and grades. 404 unless this account may judge it."""
    judgment_list = cards.list_to_judge(request.user, pk)
    if judgment_list is None:
        raise Http404
    return judgment_list


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
    context = {"problem": problem, "nothing": NothingLeft("lost")}
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


def is_done(nothing: NothingLeft | None) -> bool:
    return nothing is not None and nothing.reason == "done"


def own_context(request: MemberRequest, judgment_list: JudgmentList) -> dict[str, Any]:
    share = own_share(judgment_list=judgment_list, user=request.user, at=timezone.now())
    return {"share": share, "goal": request.user.daily_goal}


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
        if choice[0] != Reason.PICTURE_MISSING or has_picture(card)
    ]


def has_picture(card: reports.Card) -> bool:
    """Whether a picture that doesn't load can be the reason: where there is a picture, or where that was the answer."""
    return bool(card.document.image or (card.answer and card.answer.reason == Reason.PICTURE_MISSING))


def nothing_context(request: MemberRequest, judgment_list: JudgmentList) -> dict[str, Any]:
    nothing = nothing_left(judgment_list=judgment_list, user=request.user, at=timezone.now())
    staffed = JudgmentList.objects.visible_to(request.user).filter(pk=judgment_list.pk)
    may_add = nothing.reason == "empty" and staffed.exists()
    return {"nothing": nothing, "may_add": may_add, "judgment_list": judgment_list}
