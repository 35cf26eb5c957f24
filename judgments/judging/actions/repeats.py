"""Hidden repeats: pairs that a rater judged, shown again without a word. For actions that hold the rater's place.

Nothing here touches a judgment, a slot or a count, so a repeat can't change a grade or anybody's progress (ADR 39).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from judgments.judging.actions.gold import is_due, place_before
from judgments.judging.actions.history import ANSWER
from judgments.judging.sql import repeats as sql
from judgments.judging.sql import slots
from judgments.models import Judgment, Pair, RaterQueue, RepeatAnswer, RepeatDraw


def waiting(queue: RaterQueue, place: slots.Place) -> list[slots.Held]:
    """The repeats that wait for this rater; none while the list asks for none."""
    return sql.waiting(place) if queue.judgment_list.repeat_rate else []


def mix_in(
    queue: RaterQueue, place: slots.Place, held: Sequence[slots.Held], fresh: Collection[int]
) -> list[slots.Held]:
    """Draws a repeat before each of the `fresh` pairs of what is held whose number chance chose, once for each number.

    The odds are rate to 100 - rate, so that `rate` of a hundred cards are repeats.
    """
    rate, number = queue.judgment_list.repeat_rate, queue.judgment_count
    due: dict[int, tuple[slots.Held, slots.Held | None]] = {}
    before: slots.Held | None = None
    for one in held:
        if one.repeat is None:
            number += 1
            if one.pair_id in fresh and is_due(f"{queue.seed} repeat {number}", rate, 100 - rate):
                due[number] = one, before
        before = one
    if not due:
        return []
    own = RepeatDraw.objects.filter(judgment_list=place.list_id, rater=place.rater_id, number__in=due)
    drawn = []
    for number in sorted(due.keys() - set(own.values_list("number", flat=True))):
        found = sql.pool(place, guidelines=queue.judgment_list.guidelines_version, number=number)
        if found is None:
            break
        drawn.append(_draw(place, *found, number, *due[number]))
    return drawn


def _draw(
    place: slots.Place, pair_id: int, position: int, number: int, one: slots.Held, before: slots.Held | None
) -> slots.Held:
    after, priority = place_before(one, before, position)
    draw = RepeatDraw.objects.create(
        judgment_list_id=place.list_id,
        rater_id=place.rater_id,
        pair_id=pair_id,
        query_position=position,
        after=after,
        priority=priority,
        number=number,
        drawn_at=place.at,
    )
    return slots.Held(pair_id, position, priority, None, after, drawn=True, repeat=draw.card)


def standing_answer(draw: RepeatDraw) -> RepeatAnswer | None:
    """The last answer to the repeat that wasn't taken back."""
    return draw.answers.filter(withdrawn_at=None).order_by("-pk").first()


def save_answer(draw: RepeatDraw, mine: Judgment, details: Mapping[str, Any], at: datetime) -> RepeatAnswer:
    """Keeps an answer beside the grade of the rater's judgment `mine` as it is now."""
    given = RepeatAnswer.objects.create(
        draw=draw,
        first_value=mine.value,
        first_at=mine.updated_at,
        request_id=details["request_id"],
        given_at=at,
        **{name: details[name] for name in ANSWER},
    )
    _set_answered(draw, True)
    return given


def put_off(queue: RaterQueue, pair: Pair, card: UUID, at: datetime) -> bool:
    """Puts the repeat on this card off for good; False where the card shows none of this rater's repeats."""
    draw = RepeatDraw.objects.filter(card=card, pair=pair, rater=queue.rater).first()
    if draw is None:
        return False
    if not draw.answered and draw.put_off_at is None:
        draw.put_off_at = at
        draw.save(update_fields=["put_off_at"])
    return True


@dataclass(frozen=True, slots=True)
class RepeatAct:
    """What a rater did with a repeat: the `answer`, or None where it was put off."""

    draw: RepeatDraw
    at: datetime
    answer: RepeatAnswer | None = None


def last_act(queue: RaterQueue, *, answer: UUID | None, skipped: int | None) -> RepeatAct | None:
    """The answer of this request, the putting off of this pair, or the rater's last act of both kinds; if it stands."""
    acts = []
    if skipped is None:
        acts.append(_last_answer(queue, answer))
    if answer is None:
        acts.append(_last_put_off(queue, skipped))
    return max((act for act in acts if act), key=lambda act: act.at, default=None)


def _last_answer(queue: RaterQueue, request_id: UUID | None) -> RepeatAct | None:
    answers = RepeatAnswer.objects.filter(
        draw__judgment_list=queue.judgment_list_id, draw__rater=queue.rater, withdrawn_at=None
    )
    if request_id is not None:
        answers = answers.filter(request_id=request_id)
    found = answers.select_related("draw").order_by("-pk").first()
    if found is None or standing_answer(found.draw) != found:
        return None
    return RepeatAct(found.draw, found.given_at, found)


def _last_put_off(queue: RaterQueue, pair_id: int | None) -> RepeatAct | None:
    draws = RepeatDraw.objects.filter(
        judgment_list=queue.judgment_list_id, rater=queue.rater, put_off_at__isnull=False
    )
    if pair_id is not None:
        draws = draws.filter(pair=pair_id)
    found = draws.order_by("-put_off_at").first()
    return RepeatAct(found, found.put_off_at) if found and found.put_off_at else None


def take_back(act: RepeatAct, at: datetime, undo_id: UUID | None) -> RepeatAnswer | None:
    """The repeat waits again, or the answer before holds again, which is what comes back."""
    draw, given = act.draw, act.answer
    if given is None:
        draw.put_off_at = None
        draw.save(update_fields=["put_off_at"])
        return None
    given.withdrawn_at, given.undo_id = at, undo_id
    given.save(update_fields=["withdrawn_at", "undo_id"])
    earlier = standing_answer(draw)
    _set_answered(draw, earlier is not None)
    return earlier


def _set_answered(draw: RepeatDraw, answered: bool) -> None:
    draw.answered = answered
    draw.save(update_fields=["answered"])
