"""The agreement of a list as it was last computed, for pages that only show the headline."""

from __future__ import annotations

from django.db import models

from judgments.models.access import MemberQuerySet
from judgments.models.judgment_list import JudgmentList
from judgments.models.query_set import QuerySet


class AgreementHeadlineQuerySet(MemberQuerySet["AgreementHeadline"]):
    """For engineers and admins."""


class AgreementHeadline(models.Model):
    """Krippendorff's alpha of a list with its interval, and the number of judgments that it was computed from.

    Read by the overview, which computes nothing; made anew by whatever computes the agreement (see reports).
    `figures` holds what the headline says: alpha, low, high, pairs, percent, and a sentence where alpha is undefined.
    """

    judgment_list = models.OneToOneField(
        JudgmentList, on_delete=models.CASCADE, primary_key=True, related_name="agreement_headline"
    )
    query_set = models.ForeignKey(
        QuerySet, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    judgments = models.PositiveBigIntegerField()
    figures = models.JSONField(default=dict)
    computed_at = models.DateTimeField()

    objects = AgreementHeadlineQuerySet.as_manager()

    def __str__(self) -> str:
        return f"agreement of {self.judgment_list_id}"
