"""How many judgments a rater may still give, and why there is nothing to judge."""

from dataclasses import dataclass
from datetime import datetime

from judgments.judging.sql import slots
from judgments.models import Assignment, AssignmentMode, JudgmentList, RaterQueue, User


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many judgments a rater may still give in a list, None for any number; `reason` explains why there are none."""

    remaining: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Nothing:
    """Why there is no pair to show: `archived`, `paused`, `unassigned`, `quota`, `empty`, `skipped`, `held` or `done`."""

    reason: str
    skip_count: int = 0
    until: datetime | None = None
    paused_by: str = ""
    paused_at: datetime | None = None
    note: str = ""
    quota: int | None = None
    judged: int = 0


def allowance(judgment_list: JudgmentList, user: User, judgment_count: int) -> Allowance:
    """Reads the assignment if raters are named. `judgment_count` is how many judgments the rater has given in the list."""
    if judgment_list.assignment == AssignmentMode.OPEN:
        return Allowance()
    assignment = Assignment.objects.filter(judgment_list=judgment_list, user=user).first()
    if assignment is None:
        return Allowance(0, "unassigned")
    if assignment.quota is None:
        return Allowance()
    remaining = max(0, assignment.quota - judgment_count)
    return Allowance(remaining, "" if remaining else "quota")


def nothing_left(*, judgment_list: JudgmentList, user: User, at: datetime) -> Nothing:
    """Why a claim returned no pairs."""
    if judgment_list.query_set.archived_at:
        return Nothing("archived")
    if judgment_list.paused:
        return Nothing(
            "paused",
            paused_by=judgment_list.paused_by.display_name if judgment_list.paused_by else "",
            paused_at=judgment_list.paused_at,
            note=judgment_list.pause_note,
        )
    queue = RaterQueue.objects.filter(judgment_list=judgment_list, rater__user=user).first()
    judgment_count = queue.judgment_count if queue else 0
    if reason := allowance(judgment_list, user, judgment_count).reason:
        return Nothing(reason, quota=judgment_count if reason == "quota" else None)
    if queue is None or not judgment_list.list_queries.filter(pair_count__gt=0).exists():
        return Nothing("empty")
    place = slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at)
    if skip_count := slots.count_skipped(place):
        return Nothing("skipped", skip_count=skip_count)
    if until := slots.next_lease_end(place):
        return Nothing("held", until=until)
    return Nothing("done", judged=judgment_count)
