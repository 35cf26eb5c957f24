"""Hidden repeats: pairs that a rater judged, shown again unannounced. The caller has locked the rater's place.

Nothing here touches a judgment, a slot or a count, so a repeat can't change a grade or anybody's progress (ADR 39).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from judgments.judging.actions.gold import is_due, place_before
from judgments.judging.sql import draws, slots
from judgments.models import ANSWER_FIELDS, Judgment, Pair, RaterQueue, RepeatAnswer, RepeatDraw


def waiting_repeats(queue: RaterQueue, place: slots.Place) -> list[slots.HeldPair]:
    """The repeats that wait for this rater; none if the list asks for none."""
    if not queue.judgment_list.repeat_rate:
        return []
    return draws.repeats_waiting(place, guidelines=queue.judgment_list.guidelines_version)


def mix_in(
    queue: RaterQueue, place: slots.Place, pairs: Sequence[slots.HeldPair], fresh: Collection[int]
) -> list[slots.HeldPair]:
    """Draws a repeat before each of the `fresh` pairs whose number chance chooses, once for each number.

    The odds are rate to 100 - rate, so that `rate` percent of the cards are repeats.
    """
    rate, number = queue.judgment_list.repeat_rate, queue.judgment_count
    due: dict[int, tuple[slots.HeldPair, slots.HeldPair | None]] = {}
    before: slots.HeldPair | None = None
    for pair in pairs:
        if pair.repeat is None:
            number += 1
            if pair.pair_id in fresh and is_due(f"{queue.seed} repeat {number}", rate, 100 - rate):
                due[number] = pair, before
        before = pair
    if not due:
        return []
    own = RepeatDraw.objects.filter(judgment_list=place.list_id, rater=place.rater_id, number__in=due)
    repeats = []
    for number in sorted(due.keys() - set(own.values_list("number", flat=True))):
        pick = draws.pick_repeat(place, guidelines=queue.judgment_list.guidelines_version, number=number)
        if pick is None:
            break
        pair_id, position = pick
        after, priority = place_before(*due[number], position)
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
        repeats.append(
            slots.HeldPair(pair_id, position, priority, None, after, is_draw=True, repeat=draw.card)
        )
    return repeats


def standing_answer(draw: RepeatDraw) -> RepeatAnswer | None:
    """The last answer to the repeat that wasn't taken back."""
    return draw.answers.filter(withdrawn_at=None).order_by("-pk").first()


def save_answer(draw: RepeatDraw, mine: Judgment, details: Mapping[str, Any], at: datetime) -> RepeatAnswer:
    """Saves an answer to the repeat, beside the current grade of the rater's judgment `mine`."""
    answer = RepeatAnswer.objects.create(
        draw=draw,
        first_value=mine.value,
        first_at=mine.updated_at,
        request_id=details["request_id"],
        given_at=at,
        **{name: details[name] for name in ANSWER_FIELDS},
    )
    draw.answered = True
    draw.save(update_fields=["answered"])
    return answer


def put_off(queue: RaterQueue, pair: Pair, card: UUID, at: datetime) -> bool:
    """Puts the repeat on this card off for good; False if the card shows none of this rater's repeats."""
    draw = RepeatDraw.objects.filter(card=card, pair=pair, rater=queue.rater).first()
    if draw is None:
        return False
    if not draw.answered and draw.put_off_at is None:
        draw.put_off_at = at
        draw.save(update_fields=["put_off_at"])
    return True


@dataclass(frozen=True, slots=True)
class RepeatAct:
    """A rater's act on a repeat: the `answer`, or None if it was put off."""

    draw: RepeatDraw
    at: datetime
    answer: RepeatAnswer | None = None


def last_act(queue: RaterQueue, *, answer: UUID | None, skipped_pair: int | None) -> RepeatAct | None:
    """The answer of this request, the skip of this pair, or the rater's last act of either kind, if it still stands."""
    acts = []
    if skipped_pair is None:
        acts.append(_last_answer(queue, answer))
    if answer is None:
        acts.append(_last_put_off(queue, skipped_pair))
    return max((act for act in acts if act), key=lambda act: act.at, default=None)


def _last_answer(queue: RaterQueue, request_id: UUID | None) -> RepeatAct | None:
    answers = RepeatAnswer.objects.filter(
        draw__judgment_list=queue.judgment_list_id, draw__rater=queue.rater, withdrawn_at=None
    )
    if request_id is not None:
        answers = answers.filter(request_id=request_id)
    answer = answers.select_related("draw").order_by("-pk").first()
    if answer is None or standing_answer(answer.draw) != answer:
        return None
    return RepeatAct(answer.draw, answer.given_at, answer)


def _last_put_off(queue: RaterQueue, pair_id: int | None) -> RepeatAct | None:
    own = RepeatDraw.objects.filter(
        judgment_list=queue.judgment_list_id, rater=queue.rater, put_off_at__isnull=False
    )
    if pair_id is not None:
        own = own.filter(pair=pair_id)
    draw = own.order_by("-put_off_at").first()
    return RepeatAct(draw, draw.put_off_at) if draw and draw.put_off_at else None


def take_back(act: RepeatAct, at: datetime, undo_id: UUID | None) -> RepeatAnswer | None:
    """Takes the act back. Returns the answer before it, which holds again; if there is none, the repeat waits again."""
    draw, answer = act.draw, act.answer
    if answer is None:
        draw.put_off_at = None
        draw.save(update_fields=["put_off_at"])
        return None
    answer.withdrawn_at, answer.undo_id = at, undo_id
    answer.save(update_fields=["withdrawn_at", "undo_id"])
    earlier = standing_answer(draw)
    draw.answered = earlier is not None
    draw.save(update_fields=["answered"])
    return earlier
