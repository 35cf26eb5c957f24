"""Why a rater gets nothing, and who holds what."""

from dataclasses import dataclass
from datetime import datetime

from judgments.judging.sql import slots
from judgments.models import Assignment, AssignmentMode, JudgmentList, RaterQueue, User


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many judgments a rater may still give in a list, None for any number; `reason` says why there are none."""

    left: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Nothing:
    """Why there is no pair to show.

    `archived`, `paused` (by whom, since when, with a note), `unassigned`, `quota`, `empty`, `skipped`, `held` (until) or `done`.
    """

    reason: str
    skipped: int = 0
    until: datetime | None = None
    paused_by: str = ""
    paused_at: datetime | None = None
    note: str = ""
    quota: int | None = None


def allowance(judgment_list: JudgmentList, user: User, judged: int) -> Allowance:
    """Reads the assignment where raters are named. `judged` is how many judgments the rater has given in the list."""
    if judgment_list.assignment == AssignmentMode.OPEN:
        return Allowance()
    named = Assignment.objects.filter(judgment_list=judgment_list, user=user).first()
    if named is None:
        return Allowance(0, "unassigned")
    if named.quota is None:
        return Allowance()
    left = max(0, named.quota - judged)
    return Allowance(left, "" if left else "quota")


def nothing_left(*, judgment_list: JudgmentList, user: User, at: datetime) -> Nothing:
    """Why a claim came back empty."""
    if judgment_list.query_set.archived_at:
        return Nothing("archived")
    if judgment_list.paused:
        return _paused(judgment_list)
    queue = RaterQueue.objects.filter(judgment_list=judgment_list, rater__user=user).first()
    judged = queue.judgment_count if queue else 0
    allowed = allowance(judgment_list, user, judged)
    if allowed.reason:
        return Nothing(allowed.reason, quota=judged if allowed.reason == "quota" else None)
    if queue is None or not judgment_list.list_queries.filter(pair_count__gt=0).exists():
        return Nothing("empty")
    place = slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at)
    if skipped := slots.count_skipped(place):
        return Nothing("skipped", skipped=skipped)
    if until := slots.held_until(place):
        return Nothing("held", until=until)
    return Nothing("done")


def _paused(judgment_list: JudgmentList) -> Nothing:
    by = judgment_list.paused_by
    return Nothing(
        "paused",
        paused_by=by.display_name if by else "",
        paused_at=judgment_list.paused_at,
        note=judgment_list.pause_note,
    )
