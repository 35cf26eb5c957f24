"""What the views of the rating screen share: the page, its cards, and the answers to its script."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from judgments.base.cleaning import guidelines_html
from judgments.base.keys import key_in
from judgments.judging.actions import queue
from judgments.judging.reports import judging as reports
from judgments.judging.reports.handing_out import Nothing, nothing_left
from judgments.judging.reports.own_share import own_share
from judgments.judging.shortcuts import ALL_COMMANDS, COMMANDS, fixed_signs, key_map, keys_of
from judgments.models import JudgmentList, Reason, View
from judgments.pages.http import MemberRequest, images_allowed

SURENESS = ((1, "Guessing"), (2, "Fairly"), (3, "Sure"))
BIGGEST_KEY = 2**63 - 1
PANEL = "judgments/judging/judge.html#panel"
AT_ONCE = 5
"""So many cards are brought with one answer."""


def judged_list(request: MemberRequest, pk: int) -> JudgmentList:
    found = reports.judged_list(user=request.user, list_id=pk)
    if found is None:
        raise Http404
    return found


def by_script(request: MemberRequest) -> bool:
    """Whether the page's script asks, which takes JSON; a form without it gets a page or a redirect."""
    return "application/json" in request.headers.get("Accept", "")


def key_of(data: Mapping[str, Any], name: str) -> int | None:
    """A key out of the address or a form; None for what is no key."""
    return key_in(data.get(name))


def card_id_of(data: Mapping[str, Any]) -> uuid.UUID | None:
    """Which card the address or a form is about; None where it says nothing that could be one."""
    try:
        return uuid.UUID(data.get("card", ""))
    except ValueError:
        return None


def address(judgment_list: JudgmentList, pair_id: int | None = None, card_id: uuid.UUID | None = None) -> str:
    page = reverse("judge", args=[judgment_list.pk])
    if not pair_id:
        return page
    return f"{page}?pair={pair_id}&card={card_id}" if card_id else f"{page}?pair={pair_id}"


def trail(judgment_list: JudgmentList, *, here: str = "") -> list[dict[str, str]]:
    steps = [{"name": "Home", "url": reverse("home")}]
    if here:
        return [*steps, {"name": judgment_list.name, "url": address(judgment_list)}, {"name": here}]
    return [*steps, {"name": judgment_list.name}]


# --- pages -----------------------------------------------------------------------------------------------------


def next_page(
    request: MemberRequest, judgment_list: JudgmentList, *, with_skipped: bool = False
) -> HttpResponse:
    at = timezone.now()
    held = queue.claim(user=request.user, judgment_list=judgment_list, at=at, with_skipped=with_skipped)
    if held:
        return card_page(request, judgment_list, pair_id=held[0].pair_id, handed=held[0])
    return render_screen(request, judgment_list, nothing_context(request, judgment_list))


def card_page(
    request: MemberRequest,
    judgment_list: JudgmentList,
    *,
    pair_id: int,
    handed: queue.Handed | None = None,
    problem: str = "",
    conflict: str = "",
    typed: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page with one card. `typed` is the comment of an answer that was refused, so that it is not typed twice."""
    card_id = card_id_of(request.POST if request.method == "POST" else request.GET)
    if handed:
        card = reports.card(judgment_list=judgment_list, user=request.user, pair_id=pair_id)
    else:
        card = reports.reopened(
            judgment_list=judgment_list, user=request.user, pair_id=pair_id, card_id=card_id
        )
    if card is None:
        return lost_page(request, judgment_list, problem) if problem else next_page(request, judgment_list)
    card = placed(card, handed)
    context = card_context(request, judgment_list, card)
    context |= {
        "near": reports.neighbors(judgment_list=judgment_list, user=request.user, card=card),
        "problem": problem,
        "conflict": conflict,
        "comment": typed or context["comment"],
        "on_page": True,
    }
    return render_screen(request, judgment_list, context, status=status)


def lost_page(request: MemberRequest, judgment_list: JudgmentList, problem: str) -> HttpResponse:
    """There is no card to go back to."""
    context = {"problem": problem, "nothing": Nothing("lost")}
    return render_screen(request, judgment_list, context, status=422)


def render_screen(
    request: MemberRequest, judgment_list: JudgmentList, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    context |= page_context(request, judgment_list) | {
        "guidelines": guidelines_html(judgment_list.guidelines),
        "ahead": reports.cards_ahead(judgment_list),
    }
    return with_images(
        request, judgment_list, render(request, "judgments/judging/judge.html", context, status=status)
    )


def page_context(
    request: MemberRequest, judgment_list: JudgmentList, view: str = View.DOCUMENT
) -> dict[str, Any]:
    keys = keys_of(request.user.keys)
    there = {
        "": True,
        view: True,
        "slider": judgment_list.scale.continuous,
        "confidence": judgment_list.confidence,
    }
    return own_context(request, judgment_list) | {
        "judgment_list": judgment_list,
        "scale": judgment_list.scale,
        "shortcuts": request.user.single_key_shortcuts,
        "keys": keys,
        "commands": [(command, keys[command.name]) for command in COMMANDS],
        "fixed_keys": [
            (command, fixed_signs(command))
            for command in ALL_COMMANDS
            if command.fixed and there.get(command.where)
        ],
        "key_map": json.dumps(key_map(request.user.keys)),
        "demo_account": settings.DEMO and not request.user.has_usable_password(),
        "choice": judgment_list.view == View.CHOICE,
        "trail": trail(judgment_list),
    }


def own_context(request: MemberRequest, judgment_list: JudgmentList) -> dict[str, Any]:
    share = own_share(judgment_list=judgment_list, user=request.user, at=timezone.now())
    return {"share": share, "goal": request.user.daily_goal}


def own_html(request: MemberRequest, judgment_list: JudgmentList) -> str:
    """The rater's own numbers, as the script puts them into the foot."""
    return render_to_string("judgments/judging/judge_base.html#own", own_context(request, judgment_list))


def with_images(request: MemberRequest, judgment_list: JudgmentList, response: HttpResponse) -> HttpResponse:
    """Lets images load where the query set allows it. Cards come into the first page, whose policy holds for all."""
    response["Cache-Control"] = "no-store"
    return images_allowed(request, judgment_list.query_set, response)


def placed(card: reports.Card, handed: queue.Handed | None) -> reports.Card:
    """The card with its place in the rater's queue, where it was handed out. A repeat shows nothing of the judgment."""
    if handed is None:
        return card
    card = replace(card, number=handed.number, documents=handed.documents, practice=handed.practice)
    return card if handed.repeat is None else reports.as_repeat(card, handed.repeat)


def card_context(request: MemberRequest, judgment_list: JudgmentList, card: reports.Card) -> dict[str, Any]:
    scale = judgment_list.scale
    needing = judgment_list.evidence_grades
    labels = {grade.value: grade.label for grade in scale.grades.all()}
    evidence = card.given.evidence if card.given else []
    return {
        "judgment_list": judgment_list,
        "scale": scale,
        "low": reports.written(scale.minimum),
        "high": reports.written(scale.maximum),
        "step": reports.written(scale.step),
        "card": card,
        "choices": reports.choices(scale, card.given),
        "reasons": _reasons(card),
        "request_id": uuid.uuid4(),
        # any other card has one too, so that it tells a rater nothing
        "card_id": card.repeat or uuid.uuid4(),
        "comment": card.given.comment if card.given else "",
        "sureness": SURENESS,
        "evidence_json": json.dumps(evidence),
        "evidence_grades": json.dumps(needing),
        "evidence_labels": ", ".join(labels.get(value) or reports.written(value) for value in needing),
        "quotes": "\n".join(passage.get("quote", "") for passage in evidence),
        "keys": keys_of(request.user.keys),
        "shortcuts": request.user.single_key_shortcuts,
    }


def _reasons(card: reports.Card) -> list[tuple[int, tuple[str, str]]]:
    """The reasons with their digits."""
    return list(enumerate(((str(value), str(label)) for value, label in Reason.choices), start=1))


def nothing_context(request: MemberRequest, judgment_list: JudgmentList) -> dict[str, Any]:
    nothing = nothing_left(judgment_list=judgment_list, user=request.user, at=timezone.now())
    may_add = nothing.reason == "empty" and _administers(request, judgment_list)
    return {"nothing": nothing, "may_add": may_add, "judgment_list": judgment_list}


def _administers(request: MemberRequest, judgment_list: JudgmentList) -> bool:
    return JudgmentList.objects.administered_by(request.user).filter(pk=judgment_list.pk).exists()


# --- answers to the script ---------------------------------------------------------------------------------------


def reply(request: MemberRequest, judgment_list: JudgmentList, **more: Any) -> JsonResponse:
    """What every answer to the script brings: what the rater holds, in order, and the cards of it that the script lacks.

    The script names in `have` the pairs whose cards it keeps, and in `ahead` how many it wants in all; they come a few
    at a time, so that no answer takes long. It says `enough` where it wants none now; in list mode (`rows`) all are on
    the page.
    """
    if "rows" in request.POST or ("enough" in request.POST and not judgment_list.paused):
        return to_script(request, _guidelines(request, judgment_list) | more)
    held = queue.claim(
        user=request.user,
        judgment_list=judgment_list,
        at=timezone.now(),
        count=_count(request),
        with_skipped="skipped" in request.POST,
    )
    content: dict[str, Any] = {
        "held": [(one.pair_id, one.number, one.documents) for one in held],
        "cards": _cards(request, judgment_list, held),
    }
    if not held:
        context = nothing_context(request, judgment_list)
        content["reason"] = context["nothing"].reason
        content["nothing"] = render_to_string("judgments/judging/judge.html#nothing", context, request)
    return to_script(request, content | _guidelines(request, judgment_list) | more)


def _count(request: MemberRequest) -> int:
    """How many cards the script shall hold after this answer."""
    ahead = key_of(request.POST, "ahead") or AT_ONCE
    return min(ahead, reports.MOST_AHEAD, len(pairs_of(request)) + AT_ONCE)


def _guidelines(request: MemberRequest, judgment_list: JudgmentList) -> dict[str, Any]:
    """The guidelines, where those on the page are not the present ones."""
    if request.POST.get("guidelines") in (None, str(judgment_list.guidelines_version)):
        return {}
    html = guidelines_html(judgment_list.guidelines)
    return {"guidelines": {"version": judgment_list.guidelines_version, "html": html}}


def to_script(request: MemberRequest, content: dict[str, Any], *, status: int = 200) -> JsonResponse:
    response = JsonResponse({"account": request.user.pk} | content, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _cards(
    request: MemberRequest, judgment_list: JudgmentList, held: list[queue.Handed]
) -> list[dict[str, Any]]:
    have = pairs_of(request)
    lacking = {one.pair_id: one for one in held if one.pair_id not in have}
    found = reports.cards(judgment_list=judgment_list, user=request.user, pair_ids=lacking)
    cards = [placed(card, lacking[card.pair_id]) for card in found]
    fresh = next((card for card in cards if card.given is None), None)
    # The choices are the same on every card without an answer, and most of the work of making it.
    panel = render_to_string(PANEL, card_context(request, judgment_list, fresh)) if fresh else ""
    return [
        {
            "pair": card.pair_id,
            "html": card_html(request, judgment_list, card, panel="" if card.given else panel),
        }
        for card in cards
    ]


def card_html(request: MemberRequest, judgment_list: JudgmentList, card: reports.Card, **more: Any) -> str:
    """Without what every page has, which costs a statement for each card."""
    context = card_context(request, judgment_list, card) | {"csrf_token": get_token(request)} | more
    return render_to_string("judgments/judging/judge.html#card", context)


def pairs_of(request: MemberRequest) -> set[int]:
    """The pairs whose cards the script has already."""
    words = request.POST.get("have", "")[:2000].split(",")
    return {key for word in words if (key := key_in(word)) is not None}
