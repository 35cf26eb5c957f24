"""Judgment lists in numbers: rule, raters, progress, versions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from django.db import models
from django.db.models import Count, Exists, OuterRef, Q, Subquery, Sum
from django.db.models import QuerySet as Rows
from django.db.models.functions import Coalesce

from judgments.base.digits import written
from judgments.lists.sql import versions as sql
from judgments.lists.sql.received_judgments import received_count
from judgments.models import (
    Assignment,
    AssignmentMode,
    ConsensusGrade,
    Exclusion,
    Grade,
    JudgmentList,
    ListQuery,
    Membership,
    QuerySet,
    RaterQueue,
    User,
    Version,
)


def able_accounts(judgment_list: JudgmentList) -> models.QuerySet[User]:
    """Active accounts that are members or administer the site, aren't excluded, and are named if the list names raters.

    ELIGIBLE says the same in SQL, for raters who have opened the list and have something left to judge.
    """
    here = Q(judgment_list=judgment_list.pk)
    member = Membership.objects.filter(query_set=judgment_list.query_set_id, user=OuterRef("pk"))
    excluded = Exclusion.objects.standing().filter(here, rater__user=OuterRef("pk"))
    able = User.objects.filter(Q(is_superuser=True) | Exists(member), ~Exists(excluded), is_active=True)
    if judgment_list.assignment == AssignmentMode.OPEN:
        return able
    return able.filter(Exists(Assignment.objects.filter(here, user=OuterRef("pk"))))


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
    """Annotates `pair_count`, `graded_count` and `judgment_count`, from the lists' queries."""
    return lists.annotate(
        pair_count=Coalesce(Sum("list_queries__pair_count"), 0),
        graded_count=Coalesce(Sum("list_queries__graded_count"), 0),
        judgment_count=Coalesce(Sum("list_queries__judgment_count"), 0),
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


def rule_in_words(judgment_list: JudgmentList) -> str:
    rule, tie = judgment_list.consensus_rule.rule, judgment_list.consensus_rule.tie
    return f"{rule.words}; between two grades, {tie.words}." if rule.has_ties else f"{rule.words}."


def raters_in_words(judgment_list: JudgmentList) -> str:
    """How many raters judge each pair, and when one more does."""
    step, most = judgment_list.adaptive_step, judgment_list.overlap_most
    if step is None:
        return f"{judgment_list.overlap}"
    by = f" by {written(step)} or more" if judgment_list.scale.has_order else ""
    return f"{judgment_list.overlap}, one more where grades differ{by}, {most} at most"


def coverage(judgment_list: JudgmentList) -> dict[str, int]:
    """How far a list has come, from the counts of its queries; `missing` judgments are still required."""
    counts: dict[str, int] = judgment_list.list_queries.aggregate(
        queries=models.Count("pk"),
        pairs=models.Sum("pair_count", default=0),
        graded=models.Sum("graded_count", default=0),
        judgments=models.Sum("judgment_count", default=0),
        missing=models.Sum("open_count", default=0),
    )
    return counts


def coverage_by_query(judgment_list: JudgmentList) -> models.QuerySet[ListQuery]:
    """The queries in the order of judging."""
    return judgment_list.list_queries.select_related("query").order_by("position")


def with_received(
    judgment_list: JudgmentList, page: models.QuerySet[ListQuery]
) -> models.QuerySet[ListQuery]:
    """The queries of a page of these, annotated with the `received_count` of their required judgments. Counts only this page."""
    return (
        coverage_by_query(judgment_list)
        .filter(pk__in=page.values("pk"))
        .annotate(received_count=received_count())
    )


def live_counts(judgment_list: JudgmentList) -> dict[str, Any]:
    """How many grades freezing now would include and leave out, and by which rule. One query."""
    counts = ConsensusGrade.objects.filter(judgment_list=judgment_list).aggregate(
        grades=Count("value"), undecided=Count("pk", filter=Q(undecided=True))
    )
    return {**counts, "rule": rule_in_words(judgment_list)}


def since_last(judgment_list: JudgmentList) -> tuple[Version, sql.ChangeCounts] | None:
    """The latest version, and how many live grades differ from it; None without versions. Two queries."""
    last = judgment_list.versions.order_by("-number").first()
    if last is None:
        return None
    return last, sql.count_differences(list_id=judgment_list.pk, earlier=last.pk, later=None)


def grade_counts(version: Version) -> list[tuple[Grade, int, float]]:
    """Grades of a version from low to high, each with count and percentage; nothing for a scale without levels. Two queries."""
    if version.scale.continuous:
        return []
    counts = sql.count_grades(version.pk)
    return [
        (grade, counts.get(grade.value, 0), 100 * counts.get(grade.value, 0) / version.grade_count)
        for grade in version.scale.grades.all()
    ]


def hashed_text(version: Version) -> Iterator[str]:
    """The text of the version's hash."""
    return sql.canonical_lines(version.pk)
