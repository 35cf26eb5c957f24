"""The overview of a list: progress, outlook, and what to review. It reads stored counts, so that its cost is limited."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Exists, OuterRef
from django.utils import timezone

from judgments.agreement.reports.agreement import reading
from judgments.lists.reports.lists import coverage
from judgments.models import AgreementHeadline, Judgment, JudgmentList, Rater, RaterKind
from judgments.overview.reports.outlook import nth_query, outlook
from judgments.overview.sql import CANNOT, DIFFER, FEW, Daily, QueryToReview, queries_to_review
from judgments.raters.reports.accuracy import rater_accuracy
from judgments.raters.sql.recent_judgments import RecentJudgment, recent_judgments

EACH = 5
MOST_RATERS = 12
MOST_MACHINES = 5


@dataclass(frozen=True, slots=True)
class LatestAgreement:
    """The agreement as it was last computed. `behind` is the change of the number of judgments since then."""

    figures: dict[str, Any]
    computed_at: datetime
    behind: int

    @property
    def reading(self) -> str:
        return reading(self.figures["alpha"], self.figures.get("level", "ordinal"))


def latest_agreement(judgment_list: JudgmentList, judgments: int) -> LatestAgreement | None:
    """None if it was never computed. No statement if the list was read with `select_related("agreement_headline")`.

    `judgments` is the number of the list's judgments now. Changing a judgment leaves it, and the headline, as it was.
    """
    try:
        headline = judgment_list.agreement_headline
    except AgreementHeadline.DoesNotExist:
        return None
    return LatestAgreement(headline.figures, headline.computed_at, abs(judgments - headline.judgments))


def review_queries(judgment_list: JudgmentList, *, pairs: int) -> dict[str, list[QueryToReview]]:
    """The worst few of each kind. One statement; of a long list, disagreement and “cannot judge” in every nth query."""
    by_kind: dict[str, list[QueryToReview]] = {FEW: [], DIFFER: [], CANNOT: []}
    for one in queries_to_review(judgment_list.pk, every=nth_query(pairs), most=EACH) if pairs else ():
        by_kind[one.kind].append(one)
    return by_kind


@dataclass(frozen=True, slots=True)
class RaterNow:
    """A rater's judgments today and in the last days, and reasons to review them; nothing happens automatically."""

    name: str
    today: int
    days: int
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class RatersNow:
    """The first few raters: those to review, then those with the most judgments. `today` counts all who judged today."""

    rows: list[RaterNow]
    more: int
    today: int


def raters_now(
    judgment_list: JudgmentList, activity: Sequence[Daily], recent: Iterable[RecentJudgment], *, today: date
) -> RatersNow:
    """Everyone who judged in the last days or has a flag. Two statements."""
    days: Counter[int] = Counter()
    now = {one.rater_id: one.judgments for one in activity if one.day == today}
    for one in activity:
        days[one.rater_id] += one.judgments
    rows = [
        RaterNow(one.rater.display_name, now.get(one.rater.pk, 0), days[one.rater.pk], one.flag_sentences)
        for one in rater_accuracy(judgment_list, recent)
        if one.rater.pk in days or one.flags
    ]
    rows.sort(key=lambda row: (not row.warnings, -row.today, -row.days, row.name))
    return RatersNow(rows[:MOST_RATERS], max(0, len(rows) - MOST_RATERS), len(now))


def machines_to_let_count(judgment_list: JudgmentList, *, pairs: int, graded: int) -> list[Rater]:
    """The machines that could give the list grades, where it has none: of labels of a machine nothing counts by itself.

    A statement only where no pair has a grade.
    """
    if not pairs or graded:
        return []
    judged = Judgment.objects.filter(judgment_list=judgment_list, rater=OuterRef("pk"))
    left_out = judgment_list.exclusions.standing().filter(rater=OuterRef("pk"))
    machines = judgment_list.query_set.raters.filter(Exists(left_out), Exists(judged), kind=RaterKind.MACHINE)
    return list(machines.order_by("name")[:MOST_MACHINES])


def overview(judgment_list: JudgmentList, *, with_raters: bool, at: datetime) -> dict[str, Any]:
    """For the template. Six statements, two more `with_raters`, whose names only admins may see, and one while nothing is graded."""
    counts = coverage(judgment_list)
    recent = recent_judgments(judgment_list.pk)
    ahead = outlook(judgment_list, pairs=counts["pairs"], at=at, missing=counts["missing"], recent=recent)
    today = timezone.localtime(at).date()
    return {
        "coverage": counts,
        "outlook": ahead,
        "agreement": latest_agreement(judgment_list, counts["judgments"]),
        "to_review": review_queries(judgment_list, pairs=counts["pairs"]),
        "machines_to_let_count": machines_to_let_count(
            judgment_list, pairs=counts["pairs"], graded=counts["graded"]
        )
        if with_raters
        else [],
        "raters": raters_now(judgment_list, ahead.activity, recent, today=today) if with_raters else None,
    }
