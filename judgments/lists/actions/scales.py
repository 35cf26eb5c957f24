"""Writes about own scales. A scale in use can be relabelled, not revalued."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from judgments.base.digits import written
from judgments.base.errors import ChangedSinceError, JudgmentsError
from judgments.base.names import given_once
from judgments.content.reports.content import mark_of_facts
from judgments.log.actions import readable_fields, record_act
from judgments.models import Grade, Judgment, QuerySet, Scale, Verb

FEWEST = 2

UNIQUE_NAME = "scale_name_unique"


class ScaleError(JudgmentsError):
    """What is wrong with a scale as a whole."""


class ThresholdError(ScaleError):
    """No grade would count as relevant."""

    def __init__(self, top: float) -> None:
        super().__init__(f"No grade reaches this threshold: the top grade is {written(top)}.")


@dataclass(frozen=True, slots=True)
class GradeSpec:
    """One level as a person describes it. `key` and `value` are unique on the scale."""

    value: float
    label: str
    key: str
    gain: float | None = None
    description: str = ""
    color: str = ""

    @property
    def worth(self) -> float:
        """The gain; the value where none is given."""
        return self.value if self.gain is None else self.gain


def in_use(scale: Scale) -> bool:
    """Whether a judgment was given on it."""
    return Judgment.objects.filter(judgment_list__scale=scale).exists()


@transaction.atomic
def create_scale(
    *,
    query_set: QuerySet,
    name: str,
    description: str,
    level: str,
    threshold: float,
    grades: Sequence[GradeSpec],
) -> Scale:
    """An own scale of a query set. Raises ScaleError for fewer than two levels, a value or a key twice.

    Raises ThresholdError for a threshold above the top grade.
    """
    _check(grades, threshold)
    values = [grade.value for grade in grades]
    with given_once(name, constraint=UNIQUE_NAME):
        scale = Scale.objects.create(
            query_set=query_set,
            name=name,
            description=description,
            level=level,
            threshold=threshold,
            minimum=min(values),
            maximum=max(values),
        )
    _write_grades(scale, grades)
    record_act(Verb.CREATED, f"scale {scale}", query_set=scale.query_set_id, after=scale_in_words(scale))
    return scale


@transaction.atomic
def change_scale(
    *,
    scale: Scale,
    name: str,
    description: str,
    level: str,
    threshold: float,
    grades: Sequence[GradeSpec],
    seen: str | None = None,
) -> None:
    """Replaces the levels. Raises ScaleError where the scale is in use and its values or gains would change.

    `seen` is as for `change_list`, of `scale_in_words`; raises ChangedSinceError.

    Raises ScaleError and ThresholdError as `create_scale` does.
    """
    _check(grades, threshold)
    scale = Scale.objects.select_for_update().get(pk=scale.pk)
    before = scale_in_words(scale)
    if seen is not None and seen != mark_of_facts(before):
        raise ChangedSinceError("scale", scale)
    values = [grade.value for grade in grades]
    scale.name, scale.description, scale.level, scale.threshold = name, description, level, threshold
    scale.minimum, scale.maximum = min(values), max(values)
    if in_use(scale):
        _relabel(scale, grades)
    else:
        scale.grades.all().delete()
        _write_grades(scale, grades)
    with given_once(name, constraint=UNIQUE_NAME):
        scale.save()
    record_act(
        Verb.CHANGED,
        f"scale {scale}",
        query_set=scale.query_set_id,
        before=before,
        after=scale_in_words(scale),
    )


def scale_in_words(scale: Scale) -> dict[str, Any]:
    """What the audit log keeps: the settings, and of each grade what is seen and counted."""
    grades = [grade_in_words(grade, grade.gain) for grade in scale.grades.order_by("value")]
    return readable_fields(scale, "name", "description", "level", "threshold") | {"grades": grades}


def grade_in_words(grade: Grade | GradeSpec, gain: float) -> str:
    return f"{written(grade.value)} {grade.label}: gain {written(gain)}, key {grade.key}" + "".join(
        f", {more}" for more in (grade.color, grade.description) if more
    )


def _relabel(scale: Scale, grades: Sequence[GradeSpec]) -> None:
    known = {grade.value: grade for grade in scale.grades.all()}
    if {grade.value: grade.gain for grade in known.values()} != {one.value: one.worth for one in grades}:
        raise ScaleError(
            "This scale is in use: its grades can be relabelled, not revalued, added or removed."
        )
    # Keys are unique at every moment, so that two which change places must not pass through each other.
    free = iter(sorted(set("0123456789abdehijklmopqrvwyz") - {one.key for one in grades} - _keys(known)))
    for spec in grades:
        grade = known[spec.value]
        if grade.key != spec.key:
            Grade.objects.filter(pk=grade.pk).update(key=next(free))
    for spec in grades:
        Grade.objects.filter(pk=known[spec.value].pk).update(
            label=spec.label, description=spec.description, key=spec.key, color=spec.color
        )


def _keys(grades: dict[float, Grade]) -> set[str]:
    return {grade.key for grade in grades.values()}


def _write_grades(scale: Scale, grades: Sequence[GradeSpec]) -> None:
    Grade.objects.bulk_create(
        Grade(
            scale=scale,
            value=one.value,
            label=one.label,
            description=one.description,
            gain=one.worth,
            key=one.key,
            color=one.color,
        )
        for one in grades
    )


def _check(grades: Sequence[GradeSpec], threshold: float) -> None:
    if len(grades) < FEWEST:
        raise ScaleError("A scale needs at least two grades.")
    if len({grade.value for grade in grades}) < len(grades):
        raise ScaleError("Every grade needs a value of its own.")
    if len({grade.key for grade in grades}) < len(grades):
        raise ScaleError("Every grade needs a key of its own.")
    if threshold > (top := max(grade.value for grade in grades)):
        raise ThresholdError(top)
