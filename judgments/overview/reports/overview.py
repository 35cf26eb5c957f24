"""The overview of a list: how far it is, how it goes on, what to look at. Reads what is kept; bounded cost."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from judgments.lists.reports.lists import coverage
from judgments.models import JudgmentList
from judgments.overview.reports import attention
from judgments.overview.reports.outlook import outlook
from judgments.raters.sql.recent import recent_judgments


def overview(judgment_list: JudgmentList, *, named: bool, at: datetime) -> dict[str, Any]:
    """`raters` is None for whoever must not see their names. Six statements, two more where raters are named."""
    found = coverage(judgment_list)
    recent = recent_judgments(judgment_list.pk)
    ahead = outlook(judgment_list, pairs=found.pairs, at=at, missing=found.missing, recent=recent)
    today = timezone.localtime(at).date()
    return {
        "coverage": found,
        "outlook": ahead,
        "agreement": attention.known_agreement(judgment_list, found.judgments),
        "worth": attention.queries_worth_a_look(judgment_list, pairs=found.pairs),
        "raters": attention.raters_now(judgment_list, ahead.given, recent, today=today) if named else None,
    }
