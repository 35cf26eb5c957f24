"""How far judgment lists have come, read from the counts that ListQuery keeps."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import F, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Least

from judgments.models import JudgmentList, RaterQueue, User


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A list as its rater sees it: own judgments of the pairs in it, and how many judgments it still wants of all."""

    judgment_list: JudgmentList
    pairs: int
    mine: int
    wanted: int

    @property
    def left(self) -> int:
        """At most how many pairs are left for this rater: not judged by this one, and wanted still."""
        return max(0, min(self.pairs - self.mine, self.wanted))


def with_progress(lists: QuerySet[JudgmentList]) -> QuerySet[JudgmentList]:
    """Annotates `pair_count`, `graded_count`, `judgment_count`, `wanted_count` and `done_count`, from the lists' queries.

    More judgments than wanted may be given, by import or before the overlap was lowered; no more than these are done.
    """
    return lists.annotate(
        pair_count=Coalesce(Sum("list_queries__pair_count"), 0),
        graded_count=Coalesce(Sum("list_queries__graded_count"), 0),
        judgment_count=Coalesce(Sum("list_queries__judgment_count"), 0),
        wanted_count=F("pair_count") * F("overlap"),
        done_count=Least("judgment_count", "wanted_count"),
    )


def queue_of(user: User) -> list[QueueEntry]:
    """The lists that `user` may judge, unpaused ones with most left first. One query."""
    mine = RaterQueue.objects.filter(judgment_list=OuterRef("pk"), rater__user=user)
    lists = (
        JudgmentList.objects.judgeable_by(user)
        .select_related("query_set", "scale")
        .annotate(
            pair_count=Coalesce(Sum("list_queries__pair_count"), 0),
            judgment_count=Coalesce(Sum("list_queries__judgment_count"), 0),
            mine=Coalesce(Subquery(mine.values("judgment_count")), 0),
        )
    )
    entries = [
        QueueEntry(
            judgment_list=found,
            pairs=found.pair_count,
            mine=found.mine,
            wanted=found.pair_count * found.overlap - found.judgment_count,
        )
        for found in cast(Iterable[Any], lists)
    ]
    return sorted(entries, key=lambda entry: (entry.judgment_list.paused, -entry.left))
