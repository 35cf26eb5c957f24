"""Saves a rater's answer to a pair. Locks follow the order of `judgments.base.sql`. Undo is in `undo`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.judging.actions import repeats
from judgments.judging.actions.answers import (
    AnswerError,
    RequestReusedError,
    Timing,
    following,
    remember,
    validate,
)
from judgments.judging.actions.queue import UnknownPairError, first_place, unless_archived
from judgments.judging.actions.undo import undo
from judgments.judging.sql import slots
from judgments.judging.sql.visits import Visit
from judgments.lists.actions.held_slots import let_go
from judgments.models import (
    Gold,
    GoldDraw,
    GoldPair,
    Judgment,
    JudgmentHistory,
    JudgmentList,
    Pair,
    RaterQueue,
    RepeatAnswer,
    RepeatDraw,
    Slot,
    SlotState,
    User,
)

COMPARED_FIELDS = ("value", "reason", "comment")
"""An answer that differs in none of these replaces nothing."""

__all__ = [
    "AnswerError",
    "JudgedBeforeError",
    "Outcome",
    "PracticeError",
    "RequestReusedError",
    "Timing",
    "record_judgment",
    "undo",
]


class PracticeError(JudgmentsError):
    sentence = "You can’t change an answer given in practice, because you have seen the right one."


class JudgedBeforeError(JudgmentsError):
    """The rater already judged the pair in another tab or on another device, and this answer wasn't meant to change that one."""

    def __init__(self, judgment: Judgment) -> None:
        super().__init__("You already judged this document in another tab or on another device.")
        self.judgment = judgment


@dataclass(frozen=True, slots=True)
class Feedback:
    """The right answer, which a rater sees after an answer in practice."""

    right: bool
    value: float
    also: tuple[float, ...]
    explanation: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The judgment that an answer became. `earlier` is set if it replaced another one of the same rater.

    A repeated request changes nothing (`already_saved`): `judgment` is then the current one of its pair, or, if that was
    `withdrawn` meanwhile, the answer that the request had given, without a key.
    """

    judgment: Judgment
    already_saved: bool = False
    earlier: JudgmentHistory | None = None
    withdrawn: bool = False
    feedback: Feedback | None = None


@transaction.atomic
def record_judgment(
    *,
    user: User,
    judgment_list: JudgmentList,
    pair_id: int,
    request_id: UUID,
    at: datetime,
    value: float | None = None,
    reason: str = "",
    comment: str = "",
    evidence: Sequence[Mapping[str, Any]] = (),
    confidence: int | None = None,
    timing: Timing | None = None,
    may_replace: bool = True,
    card: UUID | None = None,
) -> Outcome:
    """Saves one answer, a grade's value or a reason, and all its consequences.

    The same `request_id` twice changes nothing, however late and whatever was changed or undone since. A second
    answer replaces the first, which goes to the history. No answer is refused because a lease ran out or the list is
    paused: if no slot is left it is marked extra. Unless it `may_replace` one, an answer that differs from the rater's
    current one to the pair raises JudgedBeforeError. If the `card` shows a repeat, all this applies to the answers to
    the repeat, and the judgment doesn't change.
    """
    queue, pair, previous, mine, repeat = _enter(user, judgment_list, pair_id, request_id, card)
    if previous is not None:
        return _already_saved(previous, mine, pair)
    if repeat is not None and (outcome := _already_answered(repeat, pair, request_id)):
        return outcome
    answer = validate(
        queue.judgment_list,
        judgment_list.scale,
        value=value,
        reason=reason,
        comment=comment,
        evidence=evidence,
        confidence=confidence,
    )
    details = answer | (timing or Timing()).details()
    details |= {
        "guidelines_version": queue.judgment_list.guidelines_version,
        "request_id": request_id,
        "updated_at": at,
    }
    if mine is not None and repeat is not None:
        return _answer_to_repeat(repeat, pair, mine, details, at, may_replace)
    if mine is not None:
        if not may_replace and any(getattr(mine, name) != answer[name] for name in COMPARED_FIELDS):
            raise JudgedBeforeError(mine)
        return Outcome(mine, earlier=_change(queue, pair, mine, details, at))
    gold: GoldPair | None = getattr(pair, "gold", None)  # selected with the pair
    in_use = gold is not None and gold.retired_at is None
    if in_use and (draw := GoldDraw.objects.filter(pair=pair, rater=queue.rater, answered=False).first()):
        return _answer_to_gold(queue, pair, draw, details, at)
    return Outcome(_first_answer(queue, pair, details, at))


def _enter(
    user: User, judgment_list: JudgmentList, pair_id: int, request_id: UUID, card: UUID | None
) -> tuple[RaterQueue, Pair, Judgment | JudgmentHistory | None, Judgment | None, RepeatDraw | None]:
    """The rater's place and the pair, locked; the answer of an earlier request with this ID; the rater's current judgment.

    Last, the repeat that the answer is to, if any.
    """
    visit = Visit(user, judgment_list)
    queue, pair, judgments, history, repeat = visit.enter_to_answer(pair_id, request_id, card)
    previous: Judgment | JudgmentHistory | None = (
        next((judgment for judgment in judgments if judgment.request_id == request_id), None) or history
    )
    again = repeat is not None and repeat.answers.filter(request_id=request_id).exists()
    if queue is None or (previous is None and not again):  # an answer saved before the archiving stays saved
        queue = unless_archived(queue) or first_place(visit, user, judgment_list)
    if pair is None:
        raise UnknownPairError
    own = (pair.pk, queue.rater_id)
    mine = next((judgment for judgment in judgments if (judgment.pair_id, judgment.rater_id) == own), None)
    if previous is not None and (previous.pair_id, previous.rater_id) != own:
        raise RequestReusedError
    if repeat is not None and (repeat.pair_id, repeat.rater_id) != own:
        if again:
            raise RequestReusedError
        repeat = None
    return queue, pair, previous, mine, repeat


def _already_saved(previous: Judgment | JudgmentHistory, mine: Judgment | None, pair: Pair) -> Outcome:
    """The outcome of a request that was saved before."""
    if isinstance(previous, Judgment):
        return Outcome(previous, already_saved=True, feedback=_feedback_of(pair, previous))
    if mine is not None:
        return Outcome(mine, already_saved=True)
    return Outcome(_as_judgment(pair, previous, previous.answered_at), already_saved=True, withdrawn=True)


def _already_answered(repeat: RepeatDraw, pair: Pair, request_id: UUID) -> Outcome | None:
    """The outcome of a request that answered this repeat before."""
    answer = repeat.answers.filter(request_id=request_id).first()
    if answer is None:
        return None
    standing = repeats.standing_answer(repeat)
    judgment = _as_judgment(pair, standing or answer, (standing or answer).given_at)
    return Outcome(judgment, already_saved=True, withdrawn=standing is None)


def _as_judgment(pair: Pair, answer: JudgmentHistory | RepeatAnswer, at: datetime) -> Judgment:
    """The answer as a judgment that isn't stored."""
    fields = {name: getattr(answer, name) for name in COMPARED_FIELDS}
    return Judgment(pair=pair, created_at=at, updated_at=at, **fields)


def _answer_to_repeat(
    repeat: RepeatDraw,
    pair: Pair,
    mine: Judgment,
    details: Mapping[str, Any],
    at: datetime,
    may_replace: bool,
) -> Outcome:
    """Saves an answer to the repeat. The judgment `mine` doesn't change."""
    standing = repeats.standing_answer(repeat)
    if (
        standing
        and not may_replace
        and any(getattr(standing, name) != details[name] for name in COMPARED_FIELDS)
    ):
        raise JudgedBeforeError(_as_judgment(pair, standing, standing.given_at))
    answer = repeats.save_answer(repeat, mine, details, at)
    return Outcome(_as_judgment(pair, answer, at))


def _first_answer(queue: RaterQueue, pair: Pair, details: Mapping[str, Any], at: datetime) -> Judgment:
    with following(queue, pair, at) as change:
        judgment = _judgment(queue, pair, details, at)
        surplus = slots.save(judgment, queue_id=queue.pk, at=at)
        if surplus is None:  # an excluded rater's slot is for others
            let_go(Slot.objects.filter(pair=pair, rater=queue.rater, state=SlotState.OPEN), at)
        change.judgments += 1
        change.more_open -= int(surplus is False)
        change.check_slots |= bool(surplus)
    if surplus and not change.more_open:  # no other slot was removed instead
        judgment.extra = True
        judgment.save(update_fields=["extra"])
    return judgment


def _answer_to_gold(
    queue: RaterQueue, pair: Pair, draw: GoldDraw, details: Mapping[str, Any], at: datetime
) -> Outcome:
    """Fills no slot and doesn't count toward the overlap. In practice the rater sees the right answer."""
    draw.answered = True
    draw.save(update_fields=["answered"])
    with following(queue, pair, at):
        judgment = _judgment(queue, pair, details, at, gold=Gold.PRACTICE if draw.practice else Gold.TEST)
        judgment.save(force_insert=True)
        slots.count_own(queue_id=queue.pk, guidelines=judgment.guidelines_version, practice=draw.practice)
    return Outcome(judgment, feedback=_feedback_of(pair, judgment))


def _judgment(
    queue: RaterQueue, pair: Pair, details: Mapping[str, Any], at: datetime, **more: Any
) -> Judgment:
    """A first judgment, unsaved."""
    return Judgment(
        query_set_id=pair.query_set_id,
        judgment_list_id=pair.judgment_list_id,
        pair=pair,
        rater=queue.rater,
        created_at=at,
        **details,
        **more,
    )


def _change(
    queue: RaterQueue, pair: Pair, mine: Judgment, details: Mapping[str, Any], at: datetime
) -> JudgmentHistory:
    if mine.gold == Gold.PRACTICE:
        raise PracticeError
    at = max(at, mine.created_at)  # the clocks of two machines may differ
    earlier = remember(mine, JudgmentHistory.Action.CHANGED, at)
    with following(queue, pair, at):
        for name, value in details.items():
            setattr(mine, name, value)
        mine.updated_at, mine.batch_id = at, None
        mine.save(update_fields=[*details, "batch"])
    return earlier


def _feedback_of(pair: Pair, judgment: Judgment) -> Feedback | None:
    gold = getattr(pair, "gold", None)
    if gold is None or judgment.gold != Gold.PRACTICE:
        return None
    right = pair.judgment_list.scale.is_right(judgment.value, gold.right_values)
    return Feedback(right, gold.value, tuple(gold.also), gold.explanation)
