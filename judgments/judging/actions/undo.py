"""Undo: takes back the rater's last act, or one that the request names."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from operator import itemgetter
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from judgments.judging.actions import repeats
from judgments.judging.actions.answers import RequestReusedError, following, remember, set_answer
from judgments.judging.actions.queue import LEASE, enter_with_list, locked_pair
from judgments.models import (
    GoldDraw,
    Judgment,
    JudgmentHistory,
    JudgmentList,
    RaterQueue,
    RepeatAnswer,
    Skip,
    Slot,
    SlotState,
    User,
)

WITHDRAWN = JudgmentHistory.Action.WITHDRAWN


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The pair to judge again, or, if a change was taken back, with the `answer` that holds again.

    `skip`: the pair had been put off, and no answer was taken back. `card` is that of a repeat.
    """

    pair_id: int
    answer: Judgment | RepeatAnswer | None = None
    skip: bool = False
    card: UUID | None = None


@transaction.atomic
def undo(
    *,
    user: User,
    judgment_list: JudgmentList,
    at: datetime,
    request_id: UUID | None = None,
    answer: UUID | None = None,
    skipped_pair: int | None = None,
) -> UndoResult | None:
    """Takes back the rater's last act in this list; None if there is nothing to undo.

    A first answer is withdrawn, and the rater keeps the pair. A changed answer becomes the earlier one again. A pair that
    was put off comes next again. Acts are taken back one by one, the newest first. `answer` names an act by the request
    that gave the answer, `skipped_pair` by the pair that was put off; None if that act no longer stands. The history
    keeps everything. The same `request_id` twice undoes once. Practice can't be undone.
    """
    queue = enter_with_list(user, judgment_list)
    if request_id and (result := _already_done(queue, request_id)):
        return result
    acts = _standing_acts(queue, answer, skipped_pair)
    newest = max(acts, key=itemgetter(0), default=None)  # of acts at the same moment, the first
    return None if newest is None else newest[1](at, request_id)


def _standing_acts(
    queue: RaterQueue, answer: UUID | None, skipped_pair: int | None
) -> Iterator[tuple[datetime, Callable[[datetime, UUID | None], UndoResult]]]:
    """When the rater's last change, first answer, skip and act on a repeat happened, and what takes each back.

    Only those that the request names, if it names one.
    """
    own = Judgment.objects.real().filter(judgment_list=queue.judgment_list, rater=queue.rater)
    if answer is not None:
        own = own.filter(request_id=answer)
    elif skipped_pair is not None:
        own = own.none()
    if last := own.order_by("-id").first():
        if change := _standing_change(queue, None if answer is None else last):
            yield change.replaced_at, partial(_restore, queue, change)
        yield last.created_at, partial(_withdraw, queue, last)
    if answer is None and (skip := _last_skip(queue, skipped_pair)):
        yield skip.at, partial(_take_skip_back, queue, skip)
    if repeat := repeats.last_act(queue, answer=answer, skipped_pair=skipped_pair):
        yield repeat.at, partial(_take_repeat_back, queue, repeat)


def _already_done(queue: RaterQueue, request_id: UUID) -> UndoResult | None:
    """The result of the same request when it came first."""
    if before := JudgmentHistory.objects.filter(undo_id=request_id).first():
        if before.rater_id != queue.rater_id:
            raise RequestReusedError
        current = Judgment.objects.filter(pair=before.pair_id, rater=queue.rater).first()
        return UndoResult(before.pair_id, current)
    if answer := RepeatAnswer.objects.filter(undo_id=request_id).select_related("draw").first():
        if answer.draw.rater_id != queue.rater_id:
            raise RequestReusedError
        return UndoResult(answer.draw.pair_id, repeats.standing_answer(answer.draw), card=answer.draw.card)
    if request_id == queue.undo_id and queue.undone_pair is not None:
        return UndoResult(queue.undone_pair, skip=True)
    return None


def _standing_change(queue: RaterQueue, judgment: Judgment | None) -> JudgmentHistory | None:
    """The rater's last change, in this list or of one judgment, that was not undone.

    Every undo took back the last standing change of its pair, so the two cancel each other out, newest first.
    """
    history = JudgmentHistory.objects.filter(rater=queue.rater, pair__judgment_list=queue.judgment_list)
    if judgment is not None:
        history = history.filter(pair=judgment.pair_id)
    undo_counts: Counter[int] = Counter()
    for row in history.order_by("-id").iterator(100):
        if row.action == WITHDRAWN:
            undo_counts[row.pair_id] += 1
        elif undo_counts[row.pair_id]:
            undo_counts[row.pair_id] -= 1
        else:
            # Unless the whole answer was withdrawn since: then this change isn't one of the current judgment.
            current = Judgment.objects.filter(
                pair=row.pair_id, rater=queue.rater, created_at__lte=row.replaced_at
            )
            if current.exists():
                return row
    return None


def _last_skip(queue: RaterQueue, pair_id: int | None) -> Skip | None:
    """The rater's last skip, or the one of this pair, if it still stands."""
    skips = Skip.objects.filter(judgment_list=queue.judgment_list, rater=queue.rater)
    if pair_id is not None:
        skips = skips.filter(pair=pair_id)
    return skips.exclude(pair__judgments__rater=queue.rater).order_by("-at", "-id").first()


def _take_skip_back(queue: RaterQueue, skip: Skip, at: datetime, request_id: UUID | None) -> UndoResult:
    """The pair comes next, and is the rater's again unless somebody else has taken it over."""
    pair = locked_pair(queue.judgment_list, skip.pair_id)
    free = Slot.objects.filter(pair=pair, state=SlotState.OPEN).filter(
        Q(rater=None) | Q(rater=queue.rater) | Q(lease_until__lt=at)
    )
    if slot := free.select_for_update().order_by("id").first():
        slot.rater, slot.lease_until = queue.rater, at + LEASE
        slot.save(update_fields=["rater", "lease_until"])
        queue.query_position = slot.query_position
    queue.undo_id, queue.undone_pair = request_id, pair.pk
    queue.save(update_fields=["query_position", "undo_id", "undone_pair"])
    skip.delete()
    return UndoResult(pair.pk, skip=True)


def _take_repeat_back(
    queue: RaterQueue, act: repeats.RepeatAct, at: datetime, request_id: UUID | None
) -> UndoResult:
    pair_id, card = act.draw.pair_id, act.draw.card
    earlier = repeats.take_back(act, at, request_id)
    if act.answer is not None:
        return UndoResult(pair_id, earlier, card=card)
    queue.undo_id, queue.undone_pair = request_id, pair_id
    queue.save(update_fields=["undo_id", "undone_pair"])
    return UndoResult(pair_id, skip=True, card=card)


def _restore(queue: RaterQueue, change: JudgmentHistory, at: datetime, request_id: UUID | None) -> UndoResult:
    pair = locked_pair(queue.judgment_list, change.pair_id)
    judgment = Judgment.objects.get(pair=pair, rater=queue.rater)
    remember(judgment, WITHDRAWN, at, undo_id=request_id)
    with following(queue, pair, at):
        set_answer(judgment, change)
        judgment.request_id = change.request_id
        judgment.updated_at = max(at, judgment.updated_at)
        judgment.save()
    return UndoResult(pair.pk, judgment)


def _withdraw(queue: RaterQueue, last: Judgment, at: datetime, request_id: UUID | None) -> UndoResult:
    pair = locked_pair(queue.judgment_list, last.pair_id)
    remember(last, WITHDRAWN, at, undo_id=request_id)
    with following(queue, pair, at) as change:
        mine = Slot.objects.filter(pair=pair, rater=queue.rater, state=SlotState.DONE)
        change.more_open += mine.update(state=SlotState.OPEN, lease_until=at + LEASE)
        GoldDraw.objects.filter(pair=pair, rater=queue.rater).update(answered=False)
        change.judgments -= 0 if last.gold else 1
        change.check_slots = True  # the overlap may have been lowered since
        last.delete()
        RaterQueue.objects.filter(pk=queue.pk).update(judgment_count=F("judgment_count") - 1)
    return UndoResult(pair.pk)
