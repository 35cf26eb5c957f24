"""What a rater says of a pair. Locks follow the order of `judgments.base.sql`. Taking back is in `undo`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.judging.actions import repeats
from judgments.judging.actions.answers import AnswerError, Timing, checked
from judgments.judging.actions.counts import following
from judgments.judging.actions.history import RequestReusedError, remember
from judgments.judging.actions.queue import UnknownPairError, arrived, at_work, let_go, visit_of
from judgments.judging.actions.undo import Undone, undo
from judgments.judging.reports.known_answers import tolerance_of
from judgments.judging.sql import saving
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
from touchstone_core.grades.accuracy import is_right

SAID = ("value", "reason", "comment")

__all__ = [
    "AnswerError",
    "Feedback",
    "JudgedBeforeError",
    "PracticeError",
    "Recorded",
    "RequestReusedError",
    "Timing",
    "Undone",
    "record_judgment",
    "undo",
]


class PracticeError(JudgmentsError):
    def __init__(self) -> None:
        super().__init__("An answer given in practice stays as it is, since the right one was shown.")


class JudgedBeforeError(JudgmentsError):
    """The rater has judged the pair already, in another tab, and this answer was not meant to change that one."""

    def __init__(self, judgment: Judgment) -> None:
        super().__init__("You have judged this document in another tab.")
        self.judgment = judgment


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a rater learns after an answer in practice."""

    right: bool
    value: float
    also: tuple[float, ...]
    explanation: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of an answer. `earlier` is set where it replaced another one of the same rater.

    A request that comes again changes nothing (`repeated`): `judgment` is then what stands for its pair now, or,
    where that was `withdrawn` meanwhile, the answer that the request had given, without a key.
    """

    judgment: Judgment
    repeated: bool = False
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
) -> Recorded:
    """Saves one answer, a grade's value or a reason, and everything that follows from it.

    The same `request_id` twice changes nothing, however late and whatever was changed or undone since. A second
    answer replaces the first, which goes to the history. It is never refused because a lease ran out or the list is
    paused: where no slot is left it is marked extra. Unless it `may_replace` one, an answer that differs from the
    rater's own to the pair raises JudgedBeforeError. Where the `card` shows a repeat, all this goes for the answers to
    the repeat, and the judgment stays as it is.
    """
    queue, pair, known, mine, repeat = _entered(user, judgment_list, pair_id, request_id, card)
    if known is not None:
        return _repeated(known, mine, pair)
    if repeat is not None and (came_before := _repeat_came_before(repeat, pair, request_id)):
        return came_before
    answer = checked(
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
        if not may_replace and any(getattr(mine, name) != answer[name] for name in SAID):
            raise JudgedBeforeError(mine)
        return Recorded(mine, earlier=_change(queue, pair, mine, details, at))
    if draw := _draw(queue, pair):
        return _answer_to_gold(queue, pair, draw, details, at)
    return Recorded(_first_answer(queue, pair, details, at))


def _entered(
    user: User, judgment_list: JudgmentList, pair_id: int, request_id: UUID, card: UUID | None
) -> tuple[RaterQueue, Pair, Judgment | JudgmentHistory | None, Judgment | None, RepeatDraw | None]:
    """The rater's place and the pair, locked; what this very request gave before; the rater's judgment as it stands.

    At the end the repeat that the answer is to, if any.
    """
    visit = visit_of(user, judgment_list)
    queue, pair, given, before, repeat = visit.enter_to_answer(pair_id, request_id, card)
    known: Judgment | JudgmentHistory | None = (
        next((one for one in given if one.request_id == request_id), None) or before
    )
    again = repeat is not None and repeat.answers.filter(request_id=request_id).exists()
    if queue is None or (known is None and not again):  # what was saved before the archiving stays saved
        queue = at_work(queue) or arrived(visit, user, judgment_list)
    if pair is None:
        raise UnknownPairError
    own = (pair.pk, queue.rater_id)
    mine = next((one for one in given if (one.pair_id, one.rater_id) == own), None)
    if known is not None and (known.pair_id, known.rater_id) != own:
        raise RequestReusedError
    if repeat is not None and (repeat.pair_id, repeat.rater_id) != own:
        if again:
            raise RequestReusedError
        repeat = None
    return queue, pair, known, mine, repeat


def _repeated(known: Judgment | JudgmentHistory, mine: Judgment | None, pair: Pair) -> Recorded:
    """What to say to a request that was applied before."""
    if isinstance(known, Judgment):
        return Recorded(known, repeated=True, feedback=_feedback_of(pair, known))
    if mine is not None:
        return Recorded(mine, repeated=True)
    return Recorded(_as_judgment(pair, known, known.answered_at), repeated=True, withdrawn=True)


def _as_judgment(pair: Pair, said: JudgmentHistory | RepeatAnswer, at: datetime) -> Judgment:
    """What a rater said, as a judgment that isn't stored."""
    was = Judgment(pair=pair, value=said.value, reason=said.reason, comment=said.comment)
    was.created_at = was.updated_at = at
    return was


def _repeat_came_before(repeat: RepeatDraw, pair: Pair, request_id: UUID) -> Recorded | None:
    """What to say to a request that has answered this repeat already."""
    given = repeat.answers.filter(request_id=request_id).first()
    if given is None:
        return None
    standing = repeats.standing_answer(repeat)
    said = _as_judgment(pair, standing or given, (standing or given).given_at)
    return Recorded(said, repeated=True, withdrawn=standing is None)


def _answer_to_repeat(
    repeat: RepeatDraw,
    pair: Pair,
    mine: Judgment,
    details: Mapping[str, Any],
    at: datetime,
    may_replace: bool,
) -> Recorded:
    """The judgment `mine` stays as it is."""
    standing = repeats.standing_answer(repeat)
    if standing and not may_replace and any(getattr(standing, name) != details[name] for name in SAID):
        raise JudgedBeforeError(_as_judgment(pair, standing, standing.given_at))
    given = repeats.save_answer(repeat, mine, details, at)
    return Recorded(_as_judgment(pair, given, at))


def _first_answer(queue: RaterQueue, pair: Pair, details: Mapping[str, Any], at: datetime) -> Judgment:
    with following(queue, pair, at) as change:
        judgment = _made(queue, pair, details, at)
        surplus = saving.save(judgment, queue_id=queue.pk, at=at)
        if surplus is None:  # what an excluded rater holds is for others
            let_go(Slot.objects.filter(pair=pair, rater=queue.rater, state=SlotState.OPEN), at)
        change.judgments += 1
        change.more_open -= int(surplus is False)
        change.unsettled |= bool(surplus)
    if surplus and not change.more_open:  # no other slot went in its stead
        judgment.extra = True
        judgment.save(update_fields=["extra"])
    return judgment


def _answer_to_gold(
    queue: RaterQueue, pair: Pair, draw: GoldDraw, details: Mapping[str, Any], at: datetime
) -> Recorded:
    """Fills no slot and does not count toward the overlap. In practice the right answer is told."""
    draw.answered = True
    draw.save(update_fields=["answered"])
    mark = Gold.PRACTICE if draw.practice else Gold.TEST
    with following(queue, pair, at):
        judgment = _made(queue, pair, details, at, gold=mark)
        judgment.save(force_insert=True)
        saving.count_own(queue_id=queue.pk, guidelines=judgment.guidelines_version, practice=draw.practice)
    return Recorded(judgment, feedback=_feedback_of(pair, judgment))


def _made(queue: RaterQueue, pair: Pair, details: Mapping[str, Any], at: datetime, **more: Any) -> Judgment:
    """Unsaved."""
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
    at = max(at, mine.created_at)  # two machines' clocks may differ
    earlier = remember(mine, JudgmentHistory.Action.CHANGED, at)
    with following(queue, pair, at):
        for name, value in details.items():
            setattr(mine, name, value)
        mine.updated_at = at
        mine.save(update_fields=list(details))
    return earlier


def _draw(queue: RaterQueue, pair: Pair) -> GoldDraw | None:
    """How this pair came to the rater, if as a gold pair."""
    if _gold_of(pair) is None:
        return None
    return GoldDraw.objects.filter(pair=pair, rater=queue.rater, answered=False).first()


def _gold_of(pair: Pair) -> GoldPair | None:
    """Reads what was selected with the pair."""
    gold: GoldPair | None = getattr(pair, "gold", None)
    return gold if gold is not None and gold.retired_at is None else None


def _feedback_of(pair: Pair, judgment: Judgment) -> Feedback | None:
    gold = getattr(pair, "gold", None)
    if gold is None or judgment.gold != Gold.PRACTICE:
        return None
    accepted = (gold.value, *gold.also)
    tolerance = tolerance_of(pair.judgment_list.scale)
    right = judgment.value is not None and is_right(judgment.value, accepted, tolerance)
    return Feedback(right, gold.value, tuple(gold.also), gold.explanation)
