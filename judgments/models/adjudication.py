"""What admins decide about judgments: the grade of a pair, and whose judgments do not count."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from judgments.base.digits import written
from judgments.models.access import AdminQuerySet
from judgments.models.judgment import Rater, RaterQuerySet
from judgments.models.judgment_list import JudgmentList, Pair
from judgments.models.query_set import QuerySet
from judgments.models.user import User


class Cause(models.TextChoices):
    """Why raters disagreed, in an admin's view."""

    GUIDELINES = "guidelines", "A gap in the guidelines"
    QUERY = "query", "The query is ambiguous"
    SLIP = "slip", "A slip"
    DOCUMENT = "document", "The wrong document"
    DIFFERENCE = "difference", "A true difference of opinion"


class AdjudicationQuerySet(AdminQuerySet["Adjudication"]):
    """For admins."""

    def standing(self) -> AdjudicationQuerySet:
        return self.filter(withdrawn_at=None)


class Adjudication(models.Model):
    """The grade that an admin decided for a pair. It never overwrites the raters' judgments.

    A later decision withdraws this one and leaves its row. At most one decision on a pair stands. The database checks
    the value against the list's scale.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+", db_index=False)
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="adjudications")
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="adjudications")
    value = models.FloatField()
    cause = models.CharField(max_length=10, choices=Cause.choices)
    note = models.TextField(blank=True)
    by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    withdrawn_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    withdrawn_at = models.DateTimeField(null=True)

    objects = AdjudicationQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["pair"], condition=Q(withdrawn_at=None), name="adjudication_one_stands"
            ),
            models.CheckConstraint(condition=Q(cause__in=Cause.values), name="adjudication_cause_known"),
        ]

    def __str__(self) -> str:
        return f"{written(self.value)} for pair {self.pair_id}"


class ExclusionQuerySet(AdminQuerySet["Exclusion"]):
    """For admins."""

    def standing(self) -> ExclusionQuerySet:
        return self.filter(lifted_at=None)


class Exclusion(models.Model):
    """A rater whose judgments don't count for a list's consensus. Lifting the exclusion makes them count again.

    Lifted exclusions keep their rows, which tell who was left out when, and why.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+", db_index=False)
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="exclusions")
    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="exclusions")
    note = models.TextField(blank=True)
    by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    lifted_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    lifted_at = models.DateTimeField(null=True)

    objects = ExclusionQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["judgment_list", "rater"], condition=Q(lifted_at=None), name="exclusion_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.rater} left out of {self.judgment_list}"


class CountingJudgment(models.Model):
    """A judgment that counts for the consensus: not given in practice, nor by a rater who is excluded from the list.

    A row of a database view, which SQL reads too. It builds on the view `judgments_realjudgment`, which leaves out only
    practice. Both are for reading: lock or change rows of Judgment instead.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.DO_NOTHING, related_name="+")
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.DO_NOTHING, related_name="+")
    pair = models.ForeignKey(Pair, on_delete=models.DO_NOTHING, related_name="+")
    rater = models.ForeignKey(Rater, on_delete=models.DO_NOTHING, related_name="+")
    value = models.FloatField(null=True)
    gold = models.CharField(max_length=8)

    objects = RaterQuerySet["CountingJudgment"].as_manager()

    class Meta:
        managed = False
        db_table = "judgments_countingjudgment"

    def __str__(self) -> str:
        return "cannot judge" if self.value is None else written(self.value)
