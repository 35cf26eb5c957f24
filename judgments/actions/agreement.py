"""Keeping the headline of the agreement, for pages that show it and compute nothing."""

from datetime import datetime
from typing import Any

from judgments.models import AgreementHeadline, JudgmentList


def keep_headline(
    *, judgment_list: JudgmentList, figures: dict[str, Any], judgments: int, at: datetime
) -> None:
    """`judgments` is how many the list had before `figures` were computed. One statement."""
    kept = AgreementHeadline(
        judgment_list=judgment_list,
        query_set_id=judgment_list.query_set_id,
        judgments=judgments,
        figures=figures,
        computed_at=at,
    )
    AgreementHeadline.objects.bulk_create(
        [kept],
        update_conflicts=True,
        unique_fields=["judgment_list"],
        update_fields=["query_set", "judgments", "figures", "computed_at"],
    )
