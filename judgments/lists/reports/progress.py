"""Progress of judgment lists, from the counts in ListQuery."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import Exists, F, OuterRef, Subquery, Sum
from django.db.models import QuerySet as Rows
from django.db.models.functions import Coalesce

from judgments.models import Assignment, AssignmentMode, JudgmentList, QuerySet, RaterQueue, User


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A list as its rater sees it: `mine` are this rater's judgments, and `missing` those that the list still requires.

    `quota` is the most judgments that this rater may make, None for any number.
    """

    judgment_list: JudgmentList
    pairs: int
    mine: int
    missing: int
    quota: int | None = None

    @property
    def left(self) -> int:
        """At most how many pairs this rater can still judge within the quota."""
        most = min(self.pairs - self.mine, self.missing)
        return max(0, most if self.quota is None else min(most, self.quota - self.mine))


def with_progress(lists: Rows[JudgmentList]) -> Rows[JudgmentList]:
    """Annotates `pair_count`, `graded_count`, `judgment_count`, `required_count` and `done_count`, from the lists' queries.

    Required judgments include those that the list has; gold pairs require none.
    """
    return lists.annotate(
        pair_count=Coalesce(Sum("list_queries__pair_count"), 0),
        graded_count=Coalesce(Sum("list_queries__graded_count"), 0),
        judgment_count=Coalesce(Sum("list_queries__judgment_count"), 0),
        required_count=F("judgment_count") + Coalesce(Sum("list_queries__open_count"), 0),
        done_count=F("judgment_count"),
    )


def queue_of(user: User) -> list[QueueEntry]:
    """Lists that `user` may judge outside the archive, unpaused ones with most left first. One query."""
    mine = RaterQueue.objects.filter(judgment_list=OuterRef("pk"), rater__user=user)
    assignments = Assignment.objects.filter(judgment_list=OuterRef("pk"), user=user)
    lists = (
        JudgmentList.objects.judgeable_by(user)
        .filter(query_set__archived_at=None)
        .select_related("query_set", "scale")
        .annotate(
            pair_count=Coalesce(Sum("list_queries__pair_count"), 0),
            missing=Coalesce(Sum("list_queries__open_count"), 0),
            is_assigned=Exists(assignments),
            quota=Subquery(assignments.values("quota")),
            mine=Coalesce(Subquery(mine.values("judgment_count")), 0),
        )
    )
    entries = [
        QueueEntry(
            judgment_list=row, pairs=row.pair_count, mine=row.mine, missing=row.missing, quota=_quota(row)
        )
        for row in cast(Iterable[Any], lists)
    ]
    return sorted(entries, key=lambda entry: (entry.judgment_list.paused, -entry.left))


def _quota(judgment_list: Any) -> int | None:
    """Zero for a rater who isn't assigned to a list of assigned raters."""
    if judgment_list.assignment == AssignmentMode.OPEN:
        return None
    quota: int | None = judgment_list.quota if judgment_list.is_assigned else 0
    return quota


def lists_of(query_set: QuerySet) -> Rows[JudgmentList]:
    """The lists of a query set with their progress, by name."""
    return with_progress(query_set.judgment_lists.select_related("scale").order_by("name"))
