"""The agreement of a list as it was last computed: everything for its own page, and the headline for other pages."""

from __future__ import annotations

from django.db import models

from judgments.models.access import AdminQuerySet, MemberQuerySet
from judgments.models.judgment import Rater
from judgments.models.judgment_list import JudgmentList
from judgments.models.query_set import REPEATED, QuerySet


class AgreementHeadline(models.Model):
    """Krippendorff's alpha of a list with its interval, and the number of judgments that it was computed from.

    The overview only reads it. Every computation of the agreement updates it (see agreement.reports). `figures` are
    those of the headline: alpha, low, high, pairs, percent, and a sentence where alpha is undefined.
    """

    judgment_list = models.OneToOneField(
        JudgmentList, on_delete=models.CASCADE, primary_key=True, related_name="agreement_headline"
    )
    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, **REPEATED)
    judgments = models.PositiveBigIntegerField()
    figures = models.JSONField(default=dict)
    computed_at = models.DateTimeField()

    objects = MemberQuerySet["AgreementHeadline"].as_manager()

    def __str__(self) -> str:
        return f"agreement of {self.judgment_list_id}"


class AgreementResult(models.Model):
    """The figures of the agreement page, with one rater left out or none, computed once for each state of the judgments.

    `state` covers everything that `figures` depend on (see agreement.actions): if it differs, they are outdated.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, **REPEATED)
    judgment_list = models.ForeignKey(
        JudgmentList, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    without = models.ForeignKey(Rater, null=True, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=64)
    figures = models.JSONField()
    computed_at = models.DateTimeField()

    objects = AdminQuerySet["AgreementResult"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judgment_list", "without"], nulls_distinct=False, name="agreement_result_once"
            )
        ]

    def __str__(self) -> str:
        return f"agreement of {self.judgment_list_id}, {self.state}"
