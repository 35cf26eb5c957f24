"""Taking back what was said last."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F

from judgments.actions.counts import following
from judgments.actions.history import RequestReusedError, remember, standing_again
from judgments.actions.queue import LEASE, enter_with_list, locked_pair
from judgments.models import (
    Gold,
    GoldDraw,
    Judgment,
    JudgmentHistory,
    JudgmentList,
    RaterQueue,
    Slot,
    SlotState,
    User,
)

WITHDRAWN, CHANGED = JudgmentHistory.Action.WITHDRAWN, JudgmentHistory.Action.CHANGED


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the pair to judge again, or, where a change was, the judgment as it stands again."""

    pair_id: int
    restored: Judgment | None = None
    repeated: bool = False


@transaction.atomic
def undo(
    *, user: User, judgment_list: JudgmentList, at: datetime, request_id: UUID | None = None
) -> Undone | None:
    """Takes the rater's last act in this list back; None when there is nothing to undo.

    A first answer is withdrawn, and the pair kept for the same rater; an answer that replaced another one gives way to it
    again. What was undone stays in the history. The same `request_id` twice undoes once. Practice stays.
    """
    queue = enter_with_list(user, judgment_list)
    if request_id and (before := JudgmentHistory.objects.filter(undo_id=request_id).first()):
        if before.rater_id != queue.rater_id:
            raise RequestReusedError
        restored = Judgment.objects.filter(pair=before.pair_id, rater=queue.rater).first()
        return Undone(before.pair_id, restored=restored, repeated=True)
    last = (
        Judgment.objects.filter(judgment_list=judgment_list, rater=queue.rater)
        .exclude(gold=Gold.PRACTICE)
        .order_by("-id")
        .first()
    )
    if last is None:
        return None
    change = _standing_change(queue)
    if change is not None and change.replaced_at >= last.created_at:
        return _restore(queue, change, at, request_id)
    return _withdraw(queue, last, at, request_id)


def _standing_change(queue: RaterQueue) -> JudgmentHistory | None:
    """The rater's last change of an answer in this list, unless it was undone: then the judgment is newer than it."""
    changes = JudgmentHistory.objects.filter(
        rater=queue.rater, pair__judgment_list=queue.judgment_list, action=CHANGED
    )
    last = changes.order_by("-id").first()
    if last is None:
        return None
    now = Judgment.objects.filter(pair=last.pair_id, rater=queue.rater, updated_at=last.replaced_at)
    return last if now.exists() else None


def _restore(queue: RaterQueue, change: JudgmentHistory, at: datetime, request_id: UUID | None) -> Undone:
    pair = locked_pair(queue.judgment_list, change.pair_id)
    judgment = Judgment.objects.get(pair=pair, rater=queue.rater)
    remember(judgment, WITHDRAWN, at, undo_id=request_id)
    with following(queue, pair, at):
        standing_again(judgment, change)
        judgment.request_id = change.request_id
        judgment.updated_at = max(at, judgment.updated_at)
        judgment.save()
    return Undone(pair.pk, restored=judgment)


def _withdraw(queue: RaterQueue, last: Judgment, at: datetime, request_id: UUID | None) -> Undone:
    pair = locked_pair(queue.judgment_list, last.pair_id)
    remember(last, WITHDRAWN, at, undo_id=request_id)
    with following(queue, pair, at) as change:
        mine = Slot.objects.filter(pair=pair, rater=queue.rater, state=SlotState.DONE)
        change.more_open += mine.update(state=SlotState.OPEN, lease_until=at + LEASE)
        GoldDraw.objects.filter(pair=pair, rater=queue.rater).update(answered=False)
        change.judgments -= 0 if last.gold else 1
        change.unsettled = True  # the overlap may have been lowered since
        last.delete()
        RaterQueue.objects.filter(pk=queue.pk).update(judgment_count=F("judgment_count") - 1)
    return Undone(pair.pk)
