"""What admins decide about judgments. Raters' judgments stay as they are; every decision can be taken back."""

from datetime import datetime

from django.db import transaction

from judgments.actions.answers import check_on_scale
from judgments.actions.consensus import refresh_consensus, refresh_within
from judgments.actions.queue import locked_pair
from judgments.errors import JudgmentsError
from judgments.ingest import locks
from judgments.models import Adjudication, Cause, Exclusion, JudgmentList, Rater, User


class AdjudicationError(JudgmentsError):
    """What an admin decided cannot be stored."""


@transaction.atomic
def adjudicate(
    *,
    judgment_list: JudgmentList,
    pair_id: int,
    value: float,
    cause: str,
    note: str = "",
    user: User,
    at: datetime,
) -> Adjudication:
    """The grade of the pair from now on, whatever raters say; an earlier decision is withdrawn by it.

    Raises AnswerError for a grade that is not on the scale, AdjudicationError for an unknown cause, UnknownPairError
    for a pair of another list.
    """
    check_on_scale(judgment_list.scale, value)
    if cause not in Cause.values:
        raise AdjudicationError(f"There is no cause “{cause}”.")
    _lock(judgment_list, pair_id)
    _withdraw(pair_id, user, at)
    made = Adjudication.objects.create(
        query_set_id=judgment_list.query_set_id,
        judgment_list=judgment_list,
        pair_id=pair_id,
        value=value,
        cause=cause,
        note=note.strip(),
        by=user,
        at=at,
    )
    refresh_within(judgment_list=judgment_list, pair_ids=[pair_id])
    return made


@transaction.atomic
def withdraw_adjudication(*, judgment_list: JudgmentList, pair_id: int, user: User, at: datetime) -> bool:
    """The pair's grade is again what its judgments make it. False where no decision stands."""
    _lock(judgment_list, pair_id)
    withdrawn = _withdraw(pair_id, user, at)
    if withdrawn:
        refresh_within(judgment_list=judgment_list, pair_ids=[pair_id])
    return withdrawn


@transaction.atomic
def exclude_rater(
    *, judgment_list: JudgmentList, rater: Rater, note: str = "", user: User, at: datetime
) -> int:
    """Leaves the rater's judgments out of the list's consensus; gives the number of grades that changed.

    Does nothing where the rater is left out already. The rater may go on judging and is not told.
    """
    locks.lock_list(judgment_list.pk)
    if Exclusion.objects.standing().filter(judgment_list=judgment_list, rater=rater).exists():
        return 0
    Exclusion.objects.create(
        query_set_id=judgment_list.query_set_id,
        judgment_list=judgment_list,
        rater=rater,
        note=note.strip(),
        by=user,
        at=at,
    )
    return refresh_consensus(judgment_list=judgment_list)


@transaction.atomic
def include_rater(*, judgment_list: JudgmentList, rater: Rater, user: User, at: datetime) -> int:
    """Takes an exclusion back; gives the number of grades that changed."""
    locks.lock_list(judgment_list.pk)
    standing = Exclusion.objects.standing().filter(judgment_list=judgment_list, rater=rater)
    if not standing.update(lifted_by=user, lifted_at=at):
        return 0
    return refresh_consensus(judgment_list=judgment_list)


def _lock(judgment_list: JudgmentList, pair_id: int) -> None:
    locks.lock_list(judgment_list.pk, shared=True)
    locked_pair(judgment_list, pair_id)
    judgment_list.refresh_from_db(fields=["rule", "tie"])


def _withdraw(pair_id: int, user: User, at: datetime) -> bool:
    standing = Adjudication.objects.standing().filter(pair=pair_id)
    return bool(standing.update(withdrawn_by=user, withdrawn_at=at))
