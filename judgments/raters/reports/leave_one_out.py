"""The raters of a list who can be left out, and what that does to its grades."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import Count

from judgments.grades.sql.consensus import Changes
from judgments.models import CountingJudgment, JudgmentList, Rater
from judgments.raters.sql.leave_one_out import grades_without_each


@dataclass(frozen=True, slots=True)
class RaterCount:
    """A rater whose judgments count in the consensus, and how many."""

    rater_id: int
    name: str
    judgments: int


def raters_who_count(judgment_list: JudgmentList) -> list[RaterCount]:
    """By falling number of judgments. Two statements."""
    counting = CountingJudgment.objects.filter(judgment_list=judgment_list)
    counts = dict(counting.values_list("rater").annotate(count=Count("pk")))
    raters = Rater.objects.filter(pk__in=counts).select_related("user")
    rows = [RaterCount(one.pk, one.display_name, counts[one.pk]) for one in raters]
    return sorted(rows, key=lambda row: (-row.judgments, row.name, row.rater_id))


def without_each(judgment_list: JudgmentList, rater_ids: Collection[int]) -> Mapping[int, Changes]:
    """By rater, with the list's own rule. One statement that reads the pairs of these raters once."""
    return grades_without_each(judgment_list.pk, rater_ids, judgment_list.consensus_rule)
