"""How far judgment lists have come, read from the counts that ListQuery keeps."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import Exists, F, OuterRef, Subquery, Sum
from django.db.models import QuerySet as Rows
from django.db.models.functions import Coalesce

from judgments.models import Assignment, AssignmentMode, JudgmentList, QuerySet, RaterQueue, User


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A list as its rater sees it: own judgments of the pairs in it, and how many judgments it still wants of all.

    `quota` is how many this rater may give, None for any number.
    """

    judgment_list: JudgmentList
    pairs: int
    mine: int
    wanted: int
    quota: int | None = None

    @property
    def left(self) -> int:
        """At most how many pairs are left for this rater: not judged by this one, wanted still, within the quota."""
        left = min(self.pairs - self.mine, self.wanted)
        return max(0, left if self.quota is None else min(left, self.quota - self.mine))


def with_progress(lists: Rows[JudgmentList]) -> Rows[JudgmentList]:
    """Annotates `pair_count`, `graded_count`, `judgment_count`, `wanted_count` and `done_count`, from the lists' queries.

    Wanted are the judgments that were given and those that are still to come; gold pairs are wanted of nobody.
    """
    return lists.annotate(
        pair_count=Coalesce(Sum("list_queries__pair_count"), 0),
        graded_count=Coalesce(Sum("list_queries__graded_count"), 0),
        judgment_count=Coalesce(Sum("list_queries__judgment_count"), 0),
        wanted_count=F("judgment_count") + Coalesce(Sum("list_queries__open_count"), 0),
        done_count=F("judgment_count"),
    )


def queue_of(user: User) -> list[QueueEntry]:
    """The lists that `user` may judge and whose query sets are not archived, unpaused ones with most left first. One query."""
    mine = RaterQueue.objects.filter(judgment_list=OuterRef("pk"), rater__user=user)
    named = Assignment.objects.filter(judgment_list=OuterRef("pk"), user=user)
    lists = (
        JudgmentList.objects.judgeable_by(user)
        .filter(query_set__archived_at=None)
        .select_related("query_set", "scale")
        .annotate(
            pair_count=Coalesce(Sum("list_queries__pair_count"), 0),
            wanted=Coalesce(Sum("list_queries__open_count"), 0),
            named=Exists(named),
            quota=Subquery(named.values("quota")),
            mine=Coalesce(Subquery(mine.values("judgment_count")), 0),
        )
    )
    entries = [
        QueueEntry(
            judgment_list=found,
            pairs=found.pair_count,
            mine=found.mine,
            wanted=found.wanted,
            quota=_quota(found),
        )
        for found in cast(Iterable[Any], lists)
    ]
    return sorted(entries, key=lambda entry: (entry.judgment_list.paused, -entry.left))


def _quota(found: Any) -> int | None:
    """Whoever is not named for a list of named raters may give none."""
    if found.assignment == AssignmentMode.OPEN:
        return None
    quota: int | None = found.quota if found.named else 0
    return quota


def lists_of(query_set: QuerySet) -> Rows[JudgmentList]:
    """The lists with their progress, ready to be shown."""
    return with_progress(query_set.judgment_lists.select_related("scale").order_by("name"))
