"""Writes the preset scales."""

from typing import Any

from django.db import transaction

from judgments.lists.presets import PRESETS, PresetScale
from judgments.models import Grade, Scale


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
