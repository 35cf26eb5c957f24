"""Taking back what was done last, or one act that is named."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from judgments.judging.actions import repeats
from judgments.judging.actions.counts import following
from judgments.judging.actions.history import RequestReusedError, remember, standing_again
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

WITHDRAWN, CHANGED = JudgmentHistory.Action.WITHDRAWN, JudgmentHistory.Action.CHANGED


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the pair to judge again, or, where a change was, the judgment as it stands again.

    `skip`: the pair had been put off, and no answer was taken back. `card` is that of a repeat.
    """

    pair_id: int
    restored: Judgment | RepeatAnswer | None = None
    repeated: bool = False
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
    skipped: int | None = None,
) -> Undone | None:
    """Takes the rater's last act in this list back; None when there is nothing to undo.

    A first answer is withdrawn, and the pair kept for the same rater; an answer that replaced another one gives way to it
    again; a pair that was put off is next again. Acts are taken back one by one, the newest first. `answer` names one by
    the request that gave it, `skipped` by the pair that was put off; None where that does not stand any more. What was
    undone stays in the history. The same `request_id` twice undoes once. Practice stays.
    """
    queue = enter_with_list(user, judgment_list)
    if request_id and (before := _undone_before(queue, request_id)):
        return before
    own = Judgment.objects.real().filter(judgment_list=queue.judgment_list, rater=queue.rater)
    repeat = repeats.last_act(queue, answer=answer, skipped=skipped)
    if answer is not None:
        named = own.filter(request_id=answer).first()
        if named is None:
            return _take_repeat_back(queue, repeat, at, request_id) if repeat else None
        return _take_back(queue, named, _standing_change(queue, named), at, request_id)
    skip = _last_skip(queue, skipped)
    last = None if skipped is not None else own.order_by("-id").first()
    change = last and _standing_change(queue)
    newest = max(
        (one for one in (last and last.created_at, change and change.replaced_at) if one), default=None
    )
    others = (newest, skip.at if skip else None)
    if repeat and all(other is None or repeat.at > other for other in others):
        return _take_repeat_back(queue, repeat, at, request_id)
    if skip and (newest is None or skip.at > newest):
        return _take_skip_back(queue, skip, at, request_id)
    if change and last and change.replaced_at >= last.created_at:
        last = own.get(pair=change.pair_id)
    else:
        change = None
    return None if last is None else _take_back(queue, last, change, at, request_id)


def _undone_before(queue: RaterQueue, request_id: UUID) -> Undone | None:
    """What this very request took back when it came first."""
    if before := JudgmentHistory.objects.filter(undo_id=request_id).first():
        if before.rater_id != queue.rater_id:
            raise RequestReusedError
        restored = Judgment.objects.filter(pair=before.pair_id, rater=queue.rater).first()
        return Undone(before.pair_id, restored=restored, repeated=True)
    if answer := RepeatAnswer.objects.filter(undo_id=request_id).select_related("draw").first():
        if answer.draw.rater_id != queue.rater_id:
            raise RequestReusedError
        standing = repeats.standing_answer(answer.draw)
        return Undone(answer.draw.pair_id, restored=standing, repeated=True, card=answer.draw.card)
    if request_id == queue.undo_id and queue.undone_pair is not None:
        return Undone(queue.undone_pair, repeated=True, skip=True)
    return None


def _take_back(
    queue: RaterQueue,
    judgment: Judgment,
    change: JudgmentHistory | None,
    at: datetime,
    request_id: UUID | None,
) -> Undone:
    return _restore(queue, change, at, request_id) if change else _withdraw(queue, judgment, at, request_id)


def _standing_change(queue: RaterQueue, judgment: Judgment | None = None) -> JudgmentHistory | None:
    """The rater's last change, in this list or of one judgment, that was not undone.

    Every undo took back the last change of its pair that stood then, so the two cancel each other out, newest first.
    """
    history = JudgmentHistory.objects.filter(rater=queue.rater, pair__judgment_list=queue.judgment_list)
    if judgment is not None:
        history = history.filter(pair=judgment.pair_id)
    undone: Counter[int] = Counter()
    for row in history.order_by("-id").iterator(100):
        if row.action == WITHDRAWN:
            undone[row.pair_id] += 1
        elif undone[row.pair_id]:
            undone[row.pair_id] -= 1
        else:
            # A change of an answer that was withdrawn altogether since is none of the one that stands.
            now = Judgment.objects.filter(
                pair=row.pair_id, rater=queue.rater, created_at__lte=row.replaced_at
            )
            if now.exists():
                return row
    return None


def _last_skip(queue: RaterQueue, pair_id: int | None) -> Skip | None:
    """What the rater put off last, or this pair, if it still is."""
    skips = Skip.objects.filter(judgment_list=queue.judgment_list, rater=queue.rater)
    if pair_id is not None:
        skips = skips.filter(pair=pair_id)
    return skips.exclude(pair__judgments__rater=queue.rater).order_by("-at", "-id").first()


def _take_skip_back(queue: RaterQueue, skip: Skip, at: datetime, request_id: UUID | None) -> Undone:
    """The pair is the rater's again where nobody else has taken it over, and comes next."""
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
    return Undone(pair.pk, skip=True)


def _take_repeat_back(
    queue: RaterQueue, act: repeats.RepeatAct, at: datetime, request_id: UUID | None
) -> Undone:
    pair_id, card = act.draw.pair_id, act.draw.card
    restored = repeats.take_back(act, at, request_id)
    if act.answer is not None:
        return Undone(pair_id, restored=restored, card=card)
    queue.undo_id, queue.undone_pair = request_id, pair_id
    queue.save(update_fields=["undo_id", "undone_pair"])
    return Undone(pair_id, skip=True, card=card)


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
