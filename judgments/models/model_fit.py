"""Fits of the Dawid-Skene model: a list's grades and its raters' habits, as last computed."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q, Value

from judgments.models.access import AdminQuerySet
from judgments.models.judgment_list import JudgmentList, Pair
from judgments.models.query_set import REPEATED, QuerySet
from touchstone_core.grades.rules import MODEL_RULES


class ModelFit(models.Model):
    """The latest fit of one variant of the model to a list; `fitted_at` is None while none has succeeded.

    For admins, because it tells how good each rater is.

    `scale` are the grades, rising; `shares` how frequent the model holds each to be. `habits` has for each rater
    `rater` (id), `labels` (how many judgments went in) and `matrix` (the chance of each grade given, by the right one).
    `checksum` is taken over the judgments that went in: while those of the list have the same, the fit is not stale.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+", db_index=False)
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="model_fits")
    rule = models.CharField(max_length=10, help_text="The consensus rule that reads its grades.")
    fitted_at = models.DateTimeField(null=True)
    pairs = models.PositiveIntegerField(default=0)
    raters = models.PositiveIntegerField(default=0)
    labels = models.PositiveIntegerField(default=0)
    rounds = models.PositiveIntegerField(default=0)
    converged = models.BooleanField(default=False)
    scale = ArrayField(models.FloatField(), default=list)
    shares = ArrayField(models.FloatField(), default=list)
    habits = models.JSONField(default=list)
    checksum = models.BigIntegerField(default=0)
    comparison = models.JSONField(
        default=dict,
        db_default=Value({}, models.JSONField()),
        help_text="Beside the plain rules on held-back judgments (touchstone_core.grades.held_back); empty where nothing could be held back.",
    )
    error = models.TextField(blank=True, help_text="Why the latest attempt failed, for people.")

    objects = AdminQuerySet["ModelFit"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgment_list", "rule"], name="model_fit_once"),
            models.CheckConstraint(condition=Q(rule__in=tuple(MODEL_RULES)), name="model_fit_rule_known"),
        ]

    def __str__(self) -> str:
        return f"{self.rule} of {self.judgment_list_id}"

    @property
    def beats_plain(self) -> bool:
        """Whether it predicts held-back judgments better than every plain rule, by more than chance."""
        return bool(self.comparison) and self.comparison["low"] > 0


class ModelGrade(models.Model):
    """The model's grade of a pair, the likeliest grade of the scale, and how certain that one is.

    `labels` is the number of judgments of this pair that went in.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, **REPEATED)
    fit = models.ForeignKey(ModelFit, on_delete=models.CASCADE, related_name="grades", db_index=False)
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="model_grades")
    value = models.FloatField()
    likeliest = models.FloatField()
    certainty = models.FloatField(help_text="The chance of the likeliest grade, 0 to 1.")
    labels = models.PositiveSmallIntegerField()

    objects = AdminQuerySet["ModelGrade"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["fit", "pair"], name="model_grade_once"),
            models.CheckConstraint(
                condition=Q(certainty__gte=0, certainty__lte=1), name="model_grade_certainty_is_a_chance"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.value:g}"
