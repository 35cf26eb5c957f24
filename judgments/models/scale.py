"""Scales and their grades."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q

from judgments.base.digits import written
from judgments.models.access import Role, Viewer, in_reach
from judgments.models.query_set import QuerySet

if TYPE_CHECKING:
    from judgments.models.judgment import Answer

GRADE_KEYS = "0-9abdehijklmopqrvwyz"
"""What may be printed on a grade's button: the other letters are commands of the rating screen."""

CONTINUOUS_TOLERANCE = 0.1
"""On a continuous scale an answer within a tenth of the range is right."""


class Level(models.TextChoices):
    """The level of measurement: what may be said of two grades (Stevens 1946)."""

    NOMINAL = "nominal", "Nominal: grades are kinds, without an order"
    ORDINAL = "ordinal", "Ordinal: grades are ordered, steps need not be equal"
    INTERVAL = "interval", "Interval: steps are equal, means make sense"


class ScaleQuerySet(models.QuerySet["Scale"]):
    def visible_to(self, viewer: Viewer) -> ScaleQuerySet:
        """The presets, and the own scales of query sets that `viewer` belongs to."""
        if viewer.is_anonymous:
            return self.none()
        return self.filter(Q(query_set=None) | in_reach(viewer))

    def editable_by(self, viewer: Viewer) -> ScaleQuerySet:
        return self.filter(in_reach(viewer, Role.ADMIN), query_set__isnull=False)

    def usable_in(self, query_set: QuerySet) -> ScaleQuerySet:
        return self.filter(Q(query_set=None) | Q(query_set=query_set))

    def with_grades(self) -> ScaleQuerySet:
        return self.prefetch_related("grades")


class Scale(models.Model):
    """The grades that a rater can give: either a few levels (`grades`), or any value from `minimum` to `maximum`.

    A preset has no query set and is there for all. A scale in use can be relabelled, not revalued: the database
    refuses a change of values or gains once a judgment was given on it.
    """

    query_set = models.ForeignKey(
        QuerySet, null=True, blank=True, on_delete=models.CASCADE, related_name="scales"
    )
    name = models.CharField(max_length=80)
    description = models.TextField(blank=True)
    level = models.CharField(max_length=10, choices=Level.choices, default=Level.ORDINAL)
    continuous = models.BooleanField(default=False)
    minimum = models.FloatField(default=0.0)
    maximum = models.FloatField(default=0.0)
    step = models.FloatField(default=1.0)
    threshold = models.FloatField(
        "binary threshold",
        default=1.0,
        help_text="The least grade that counts as relevant in binary measures.",
    )

    objects = ScaleQuerySet.as_manager()

    class Meta:
        ordering = ["query_set", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["query_set", "name"], name="scale_name_unique", nulls_distinct=False
            ),
            models.CheckConstraint(condition=Q(minimum__lte=F("maximum")), name="scale_range_ordered"),
            models.CheckConstraint(condition=Q(step__gt=0), name="scale_step_positive"),
            models.CheckConstraint(condition=Q(level__in=Level.values), name="scale_level_known"),
        ]

    def __str__(self) -> str:
        return self.name

    def name_of(self, value: float | None) -> str:
        """The grade's label, or the number on a continuous scale; "" without a value."""
        if value is None:
            return ""
        labels = {grade.value: grade.label for grade in self.grades.all()}
        return labels.get(value) or written(value)

    def in_words(self, answer: Answer) -> str:
        """The grade's name, or that the document can't be judged, with the reason."""
        return (
            f"Cannot judge ({answer.get_reason_display()})" if answer.reason else self.name_of(answer.value)
        )

    @property
    def has_order(self) -> bool:
        """Whether grades have an order, so that an answer can be too high or too low."""
        return self.level != Level.NOMINAL

    @property
    def span(self) -> float:
        """How far two grades can be apart."""
        if self.continuous:
            return self.maximum - self.minimum
        values = [grade.value for grade in self.grades.all()]
        return max(values, default=0.0) - min(values, default=0.0)

    @property
    def tolerance(self) -> float:
        """How far an answer may be from the right one and still count as right."""
        return CONTINUOUS_TOLERANCE * self.span if self.continuous else 0.0

    def is_right(self, value: float | None, right_values: Iterable[float]) -> bool:
        """Whether the value is one of these, or near enough; never without a value."""
        return value is not None and any(abs(value - right) <= self.tolerance for right in right_values)


class GradeQuerySet(models.QuerySet["Grade"]):
    def visible_to(self, viewer: Viewer) -> GradeQuerySet:
        """The grades of the scales that `viewer` sees."""
        return self.filter(scale__in=Scale.objects.visible_to(viewer))


class Grade(models.Model):
    """One value on a scale."""

    scale = models.ForeignKey(Scale, on_delete=models.CASCADE, related_name="grades")
    value = models.FloatField()
    label = models.CharField(max_length=60)
    description = models.CharField(max_length=300, blank=True)
    gain = models.FloatField(help_text="What the gain “table” gives for this grade.")
    key = models.CharField(
        max_length=1,
        validators=[
            RegexValidator(
                f"^[{GRADE_KEYS}]$",
                "A key is one digit or one small letter other than c, f, g, n, s, t, u and x, which the rating screen uses.",
            )
        ],
        help_text="The key that gives this grade on the rating screen.",
    )
    color = models.CharField(
        max_length=7,
        blank=True,
        validators=[RegexValidator(r"^#[0-9a-f]{6}$", "A color is written #rrggbb.")],
    )

    objects = GradeQuerySet.as_manager()

    class Meta:
        ordering = ["scale", "value"]
        constraints = [
            models.UniqueConstraint(fields=["scale", "value"], name="grade_value_unique"),
            models.UniqueConstraint(fields=["scale", "key"], name="grade_key_unique"),
            models.CheckConstraint(condition=Q(gain__gte=0), name="grade_gain_not_negative"),
            models.CheckConstraint(condition=Q(key__regex=f"^[{GRADE_KEYS}]$"), name="grade_key_allowed"),
        ]

    def __str__(self) -> str:
        return f"{written(self.value)} {self.label}"
