"""Who is named for a list, and what raters hold."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.judging.actions.queue import let_go
from judgments.log.actions import one_act, record_act
from judgments.models import (
    Assignment,
    GoldDraw,
    JudgmentList,
    Rater,
    RaterQueue,
    Slot,
    SlotState,
    User,
    Verb,
)

MOST_QUOTA = 2**31 - 1


class AssignmentError(JudgmentsError):
    """Someone is named who cannot judge the list, or for a number of judgments that is none."""


@transaction.atomic
def assign(*, judgment_list: JudgmentList, user: User, quota: int | None = None) -> Assignment:
    """Names a rater for the list, for `quota` judgments or any number; named again, the quota changes.

    It counts once the list is assigned to named raters only.
    """
    if quota is not None and not 1 <= quota <= MOST_QUOTA:
        raise AssignmentError("A quota is a number of judgments, 1 or more; leave it empty for any number.")
    if not JudgmentList.objects.judgeable_by(user).filter(pk=judgment_list.pk).exists():
        raise AssignmentError(f"{user.display_name} is not a member of the query set of this list.")
    earlier = Assignment.objects.filter(judgment_list=judgment_list, user=user).first()
    assignment, _ = Assignment.objects.update_or_create(
        judgment_list=judgment_list, user=user, defaults={"quota": quota}
    )
    record_act(
        Verb.CHANGED if earlier else Verb.ASSIGNED,
        f"the quota of {user.display_name} in list {judgment_list}"
        if earlier
        else f"{user.display_name} to list {judgment_list}",
        judgment_list=judgment_list,
        before={"quota": earlier.quota} if earlier else None,
        after={"quota": quota},
    )
    return assignment


@transaction.atomic
def unassign(*, judgment_list: JudgmentList, user: User, at: datetime) -> None:
    """The rater is handed nothing more once raters are named; what was held becomes free, what was judged stays."""
    Assignment.objects.filter(judgment_list=judgment_list, user=user).delete()
    with one_act():
        released = sum(
            release_rater(judgment_list=judgment_list, rater=rater, at=at)
            for rater in Rater.objects.filter(query_set_id=judgment_list.query_set_id, user=user)
        )
    record_act(
        Verb.UNASSIGNED,
        f"{user.display_name} off list {judgment_list}",
        judgment_list=judgment_list,
        after={"released_pairs": released},
    )


@transaction.atomic
def release_slot(*, judgment_list: JudgmentList, slot_id: int, at: datetime) -> bool:
    """Frees one slot that a rater holds; False where it is judged or free already. An answer that comes is still saved."""
    locks.lock_list(judgment_list.pk, shared=True)
    slot = _held(judgment_list, at).filter(pk=slot_id).select_related("rater__user").first()
    if slot is None:
        return False
    _stop(judgment_list, slot.rater_id)
    released = let_go(_held(judgment_list, at).filter(pk=slot_id, rater=slot.rater_id), at)
    _record_release(judgment_list, slot.rater, released)
    return bool(released)


@transaction.atomic
def release_rater(*, judgment_list: JudgmentList, rater: Rater, at: datetime) -> int:
    """Frees all that a rater holds in the list, gold pairs included; the number of pairs."""
    locks.lock_list(judgment_list.pk, shared=True)
    _stop(judgment_list, rater.pk)
    drawn = GoldDraw.objects.filter(judgment_list=judgment_list, rater=rater, answered=False)
    forgotten, _ = drawn.delete()
    released = forgotten + let_go(_held(judgment_list, at).filter(rater=rater), at)
    _record_release(judgment_list, rater, released)
    return released


def _record_release(judgment_list: JudgmentList, rater: Rater | None, pairs: int) -> None:
    if rater is not None and pairs:
        name = rater.user.display_name if rater.user else rater.name
        record_act(
            Verb.RELEASED,
            f"{name} in list {judgment_list}",
            judgment_list=judgment_list,
            after={"pairs": pairs},
        )


def _stop(judgment_list: JudgmentList, rater_id: int | None) -> None:
    """Waits until an answer of this rater is saved, and holds up the next: it must find its slot or find it gone."""
    queues = RaterQueue.objects.filter(judgment_list=judgment_list, rater=rater_id)
    queues.select_for_update(no_key=True).first()


def _held(judgment_list: JudgmentList, at: datetime) -> QuerySet[Slot]:
    return Slot.objects.filter(
        judgment_list=judgment_list, state=SlotState.OPEN, rater__isnull=False, lease_until__gt=at
    )
