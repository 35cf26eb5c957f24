"""Keeping the headline of the agreement, for pages that show it and compute nothing."""

from datetime import datetime
from typing import Any

from judgments.models import AgreementHeadline, JudgmentList


def keep_headline(
    *, judgment_list: JudgmentList, figures: dict[str, Any], judgments: int, at: datetime
) -> None:
    """`judgments` is how many the list had before `figures` were computed. One statement, but for the first time."""
    values = {"judgments": judgments, "figures": figures, "computed_at": at}
    if AgreementHeadline.objects.filter(judgment_list=judgment_list).update(**values):
        return
    kept = AgreementHeadline(judgment_list=judgment_list, query_set_id=judgment_list.query_set_id, **values)
    AgreementHeadline.objects.bulk_create(
        [kept],
        update_conflicts=True,  # of two people who open the page at once
        unique_fields=["judgment_list"],
        update_fields=list(values),
    )
