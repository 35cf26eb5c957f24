"""Who may judge a list, and the pairs whose right answer is known."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q, Value

from judgments.base.digits import written
from judgments.models.access import AdminQuerySet
from judgments.models.judgment import Rater
from judgments.models.judgment_list import JudgmentList, Pair
from judgments.models.query_set import REPEATED, QuerySet
from judgments.models.user import User

_Row = TypeVar("_Row", bound=models.Model, covariant=True)


class AssignmentQuerySet(AdminQuerySet["Assignment"]):
    path = "judgment_list__query_set"


class Assignment(models.Model):
    """A rater who is named for a list, with the number of judgments required of this person; None for any number."""

    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="assignments")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="assignments")
    quota = models.PositiveIntegerField(null=True, blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["judgment_list", "id"]
        constraints = [models.UniqueConstraint(fields=["judgment_list", "user"], name="assignment_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.judgment_list}"


class GoldPairQuerySet(AdminQuerySet["GoldPair"]):
    """For admins: raters must not know which pairs are gold."""

    def in_use(self) -> GoldPairQuerySet:
        return self.filter(retired_at=None)


class GoldPair(models.Model):
    """A pair whose right grade an admin knows. It is handed to each rater once at most, and fills no slot.

    `value` is the right grade, `also` holds further ones that count as right. A retired gold pair is an ordinary one
    again; the answers to it stay marked. List and query set repeat the pair's.
    """

    pair = models.OneToOneField(Pair, on_delete=models.CASCADE, related_name="gold")
    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, **REPEATED)
    judgment_list = models.ForeignKey(
        JudgmentList, on_delete=models.CASCADE, related_name="gold_pairs", db_constraint=False
    )
    value = models.FloatField()
    also = ArrayField(
        models.FloatField(),
        default=list,
        db_default=Value([], ArrayField(models.FloatField())),
        blank=True,
        help_text="Further grades that count as right.",
    )
    explanation = models.TextField(blank=True, help_text="Why. Shown after an answer in practice.")
    made_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    made_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True, blank=True)

    objects = GoldPairQuerySet.as_manager()

    class Meta:
        ordering = ["judgment_list", "id"]

    def __str__(self) -> str:
        return f"gold {written(self.value)} for pair {self.pair_id}"

    @property
    def right_values(self) -> tuple[float, ...]:
        return (self.value, *self.also)


class DrawQuerySet(AdminQuerySet[_Row]):
    """For admins: raters must not know what was drawn."""

    path: ClassVar[str] = "judgment_list__query_set"


class Draw(models.Model):
    """A pair that was drawn for a rater in addition to the slots. It waits for this rater until it is answered.

    `after` is its place among the documents of its query: right after the pair with this shuffle.
    """

    judgment_list = models.ForeignKey(
        JudgmentList, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="+", db_index=False)
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="+", db_index=False)
    query_position = models.BigIntegerField()
    after = models.BigIntegerField(default=0)
    priority = models.SmallIntegerField(default=0)
    answered = models.BooleanField(default=False)
    drawn_at = models.DateTimeField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.pair_id} for {self.rater_id}"


class GoldDraw(Draw):
    """A gold pair that was drawn for a rater."""

    practice = models.BooleanField(default=False)

    objects = DrawQuerySet["GoldDraw"].as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pair", "rater"], name="gold_draw_once")]
        indexes = [
            models.Index(fields=["judgment_list", "rater"], name="gold_draw_by_rater"),
            models.Index(
                fields=["rater", "judgment_list", "id"], condition=Q(answered=False), name="gold_draw_held"
            ),
        ]
