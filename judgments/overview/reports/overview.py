"""The overview of a list: how far it is, how it goes on, what to look at. Reads what is kept; bounded cost."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from judgments.lists.reports.lists import Coverage, coverage
from judgments.models import JudgmentList
from judgments.overview.reports import attention
from judgments.overview.reports.outlook import Outlook, outlook
from judgments.raters.sql.recent_judgments import recent_judgments


@dataclass(frozen=True, slots=True)
class Overview:
    """`raters` is None for whoever must not see their names."""

    coverage: Coverage
    outlook: Outlook
    agreement: attention.Known | None
    worth: attention.Queries
    raters: attention.RatersNow | None


def overview(judgment_list: JudgmentList, *, named: bool, at: datetime) -> Overview:
    """Six statements, two more where raters are named."""
    found = coverage(judgment_list)
    recent = recent_judgments(judgment_list.pk)
    ahead = outlook(judgment_list, pairs=found.pairs, at=at, missing=found.missing, recent=recent)
    today = timezone.localtime(at).date()
    return Overview(
        coverage=found,
        outlook=ahead,
        agreement=attention.known_agreement(judgment_list, found.judgments),
        worth=attention.queries_worth_a_look(judgment_list, pairs=found.pairs),
        raters=attention.raters_now(judgment_list, ahead.given, recent, today=today) if named else None,
    )
