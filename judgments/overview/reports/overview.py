"""The overview of a list: progress, outlook, and what to review. It reads stored counts, so that its cost is limited."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from judgments.lists.reports import coverage
from judgments.models import JudgmentList
from judgments.overview.reports import attention
from judgments.overview.reports.outlook import outlook
from judgments.raters.sql.recent_judgments import recent_judgments


def overview(judgment_list: JudgmentList, *, with_raters: bool, at: datetime) -> dict[str, Any]:
    """For the template. Six statements, two more `with_raters`, whose names only admins may see."""
    counts = coverage(judgment_list)
    recent = recent_judgments(judgment_list.pk)
    ahead = outlook(judgment_list, pairs=counts["pairs"], at=at, missing=counts["missing"], recent=recent)
    today = timezone.localtime(at).date()
    return {
        "coverage": counts,
        "outlook": ahead,
        "agreement": attention.latest_agreement(judgment_list, counts["judgments"]),
        "to_review": attention.review_queries(judgment_list, pairs=counts["pairs"]),
        "raters": attention.raters_now(judgment_list, ahead.activity, recent, today=today)
        if with_raters
        else None,
    }
