"""Creates and changes own scales, and writes those that come with the program. A scale in use can get new labels, but no new values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from judgments.base.digits import written
from judgments.base.errors import JudgmentsError
from judgments.base.names import given_once
from judgments.content.reports.content import refuse_if_changed
from judgments.lists.presets import PRESETS, PresetScale
from judgments.log.actions import readable_fields, record_act
from judgments.models import Adjudication, Grade, Judgment, QuerySet, Scale, Verb, Version

FEWEST = 2

UNIQUE_NAME = "scale_name_unique"


class ScaleError(JudgmentsError):
    """A scale as a whole makes no sense."""


class ThresholdError(ScaleError):
    """No grade would count as relevant."""

    def __init__(self, top: float) -> None:
        super().__init__(f"No grade reaches this threshold: the top grade is {written(top)}.")


@dataclass(frozen=True, slots=True)
class GradeSpec:
    """One level of a scale. `key` and `value` are unique on the scale."""

    value: float
    label: str
    key: str
    gain: float | None = None
    description: str = ""
    color: str = ""

    @property
    def worth(self) -> float:
        """The gain, which is the value unless somebody sets another."""
        return self.value if self.gain is None else self.gain


def in_use(scale: Scale) -> bool:
    """Whether there are judgments, decisions or versions on this scale, as the database checks it, too."""
    return (
        Judgment.objects.filter(judgment_list__scale=scale).exists()
        or Version.objects.filter(scale=scale).exists()
        or Adjudication.objects.filter(judgment_list__scale=scale).exists()
    )


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
    """Creates an own scale of a query set. Raises ScaleError for fewer than two levels, or for a value or key that occurs twice.

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
    seen_mark: str | None = None,
) -> None:
    """Replaces the levels. Raises ScaleError where the scale is in use and its values or gains would change.

    Also raises what `create_scale` raises. `seen_mark` is as for `change_list`, of `scale_in_words`.
    """
    _check(grades, threshold)
    scale = Scale.objects.select_for_update().get(pk=scale.pk)
    before = scale_in_words(scale)
    refuse_if_changed("scale", scale, before, seen_mark)
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
    """The settings and grades as the log keeps them."""
    grades = [grade_in_words(grade, grade.gain) for grade in scale.grades.order_by("value")]
    return readable_fields(scale, "name", "description", "level", "threshold") | {"grades": grades}


def grade_in_words(grade: Grade | GradeSpec, gain: float) -> str:
    return f"{written(grade.value)} {grade.label}: gain {written(gain)}, key {grade.key}" + "".join(
        f", {more}" for more in (grade.color, grade.description) if more
    )


def _relabel(scale: Scale, grades: Sequence[GradeSpec]) -> None:
    by_value = {grade.value: grade for grade in scale.grades.all()}
    if {grade.value: grade.gain for grade in by_value.values()} != {one.value: one.worth for one in grades}:
        raise ScaleError(
            "This scale is in use: you can change labels, but not values or gains, and not add or remove grades."
        )
    # The database checks that keys are unique after each statement, so two grades swap keys by way of a free one.
    taken_keys = {grade.key for grade in grades} | {grade.key for grade in by_value.values()}
    free = iter(sorted(set("0123456789abdehijklmopqrvwyz") - taken_keys))
    for spec in grades:
        grade = by_value[spec.value]
        if grade.key != spec.key:
            Grade.objects.filter(pk=grade.pk).update(key=next(free))
    for spec in grades:
        Grade.objects.filter(pk=by_value[spec.value].pk).update(
            label=spec.label, description=spec.description, key=spec.key, color=spec.color
        )


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


@transaction.atomic
def write_presets(**_: Any) -> None:
    """Creates preset scales that are missing and leaves the others as they are. Runs after every migrate."""
    names = set(Scale.objects.filter(query_set=None).values_list("name", flat=True))
    for preset in PRESETS:
        if preset.name not in names:
            _write(preset)


def _write(preset: PresetScale) -> None:
    values = [grade.value for grade in preset.grades]
    scale = Scale.objects.create(
        name=preset.name,
        description=preset.description,
        level=preset.level,
        continuous=not preset.grades,
        minimum=min(values, default=0.0),
        maximum=max(values, default=preset.maximum),
        step=preset.step,
        threshold=preset.threshold,
    )
    Grade.objects.bulk_create(Grade(scale=scale, **grade._asdict()) for grade in preset.grades)
