"""Assigns raters to a list."""

from datetime import datetime

from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.lists.actions.held_slots import let_go
from judgments.log.actions import one_act, record_act
from judgments.models import Assignment, GoldDraw, JudgmentList, Rater, RaterQueue, User, Verb
from judgments.raters.reports.raters import leased_slots

MOST_QUOTA = 2**31 - 1


class AssignmentError(JudgmentsError):
    """The person can't judge the list, or the quota isn't valid."""


@transaction.atomic
def assign(*, judgment_list: JudgmentList, user: User, quota: int | None = None) -> Assignment:
    """Assigns a rater to the list, for at most `quota` judgments if given. If the rater is assigned already, sets the quota.

    Assignments have an effect once only assigned raters get pairs.
    """
    if quota is not None and not 1 <= quota <= MOST_QUOTA:
        raise AssignmentError("The quota must be at least 1. Leave it empty for any number of judgments.")
    if not JudgmentList.objects.judgeable_by(user).filter(pk=judgment_list.pk).exists():
        raise AssignmentError(
            f"{user.display_name} isn’t a member of this list’s query set. Add {user.display_name} as a member first."
        )
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
    """Ends an assignment. The rater's pairs are released, and the judgments stay."""
    Assignment.objects.filter(judgment_list=judgment_list, user=user).delete()
    with one_act():
        pairs = sum(
            release_rater(judgment_list=judgment_list, rater=rater, at=at)
            for rater in Rater.objects.filter(query_set_id=judgment_list.query_set_id, user=user)
        )
    record_act(
        Verb.UNASSIGNED,
        f"{user.display_name} off list {judgment_list}",
        judgment_list=judgment_list,
        after={"released_pairs": pairs},
    )


@transaction.atomic
def release_slot(*, judgment_list: JudgmentList, slot_id: int, at: datetime) -> bool:
    """Releases one slot from its rater. False if it's judged or free already. A late answer is still saved."""
    locks.lock_list(judgment_list.pk, shared=True)
    slot = leased_slots(judgment_list, at).filter(pk=slot_id).select_related("rater__user").first()
    if slot is None:
        return False
    _wait_for_answers(judgment_list, slot.rater_id)
    pairs = let_go(leased_slots(judgment_list, at).filter(pk=slot_id, rater=slot.rater_id), at)
    _record_release(judgment_list, slot.rater, pairs)
    return bool(pairs)


@transaction.atomic
def release_rater(*, judgment_list: JudgmentList, rater: Rater, at: datetime) -> int:
    """Releases all pairs that a rater holds in the list, even gold pairs. Returns their number."""
    locks.lock_list(judgment_list.pk, shared=True)
    _wait_for_answers(judgment_list, rater.pk)
    draws = GoldDraw.objects.filter(judgment_list=judgment_list, rater=rater, answered=False)
    gold_pairs, _ = draws.delete()
    pairs = gold_pairs + let_go(leased_slots(judgment_list, at).filter(rater=rater), at)
    _record_release(judgment_list, rater, pairs)
    return pairs


def _record_release(judgment_list: JudgmentList, rater: Rater | None, pairs: int) -> None:
    if rater is not None and pairs:
        record_act(
            Verb.RELEASED,
            f"{rater.display_name} in list {judgment_list}",
            judgment_list=judgment_list,
            after={"pairs": pairs},
        )


def _wait_for_answers(judgment_list: JudgmentList, rater_id: int | None) -> None:
    """Waits until an answer of this rater is saved and blocks the next one, which then finds the slot released."""
    queues = RaterQueue.objects.filter(judgment_list=judgment_list, rater=rater_id)
    queues.select_for_update(no_key=True).first()
