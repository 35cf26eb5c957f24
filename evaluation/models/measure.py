"""Values of further measures beside the four NDCGs, and the saved formulas of a query set."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from evaluation.models.run import Run
from judgments.models import JudgmentList, MemberQuerySet, Query, QuerySet, User, Version


class MeasureEvaluation(models.Model):
    """One run against one judgment list under one measure. `measure` is its canonical text; `digits` are the decimals
    that each value is rounded to, as some tools do (-1: not rounded).

    `counted` queries have a value; a policy of the measure may leave some out. Current as long as `revision` equals the
    list's fingerprint or the version's, as for Evaluation. -1 before the first computation.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+", db_index=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="measures", db_index=False)
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="measures")
    version = models.ForeignKey(Version, null=True, on_delete=models.CASCADE, related_name="measures")
    measure = models.CharField(max_length=200, db_collation="C")
    digits = models.SmallIntegerField(default=-1)
    revision = models.BigIntegerField(default=-1)
    computed_at = models.DateTimeField(null=True)
    counted = models.PositiveIntegerField(default=0)
    mean = models.FloatField(null=True)
    median = models.FloatField(null=True)
    weighted = models.FloatField(null=True)

    objects = MemberQuerySet["MeasureEvaluation"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "judgment_list", "version", "measure", "digits"],
                nulls_distinct=False,
                name="measure_evaluation_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} under {self.measure}"


class MeasureScore(models.Model):
    """One query's value; None if a policy leaves the query out. `revision` is the query's at that time."""

    pk = models.CompositePrimaryKey("query_set_id", "evaluation_id", "query_id")
    query_set = models.ForeignKey(
        QuerySet, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    evaluation = models.ForeignKey(MeasureEvaluation, on_delete=models.CASCADE, related_name="scores")
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="+")
    revision = models.BigIntegerField()
    value = models.FloatField(null=True)

    objects = MemberQuerySet["MeasureScore"].as_manager()

    def __str__(self) -> str:
        return f"query {self.query_id} of {self.evaluation_id}"


class SavedFormula(models.Model):
    """A formula that a query set saves under a name: the canonical text of Formula, and further measures.

    `measures` are canonical texts separated by single spaces; each is a column. At most one saved formula is the default
    that the query set's pages start with.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="formulas")
    name = models.CharField(max_length=80)
    formula = models.CharField(max_length=200)
    measures = models.CharField(max_length=2000, blank=True)
    is_default = models.BooleanField(default=False)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MemberQuerySet["SavedFormula"].as_manager()

    class Meta:
        ordering = ["query_set", "name"]
        constraints = [
            models.UniqueConstraint("query_set", Lower("name"), name="saved_formula_name_unique"),
            models.UniqueConstraint(
                fields=["query_set"], condition=Q(is_default=True), name="saved_formula_one_default"
            ),
        ]

    def __str__(self) -> str:
        return self.name
