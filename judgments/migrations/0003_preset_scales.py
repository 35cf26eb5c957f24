"""Writes the preset scales."""

from django.db import migrations

from judgments.presets import PRESETS


def write_presets(apps, schema_editor):
    Scale = apps.get_model("judgments", "Scale")
    Grade = apps.get_model("judgments", "Grade")
    for preset in PRESETS:
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


def remove_presets(apps, schema_editor):
    apps.get_model("judgments", "Scale").objects.filter(query_set=None).delete()


class Migration(migrations.Migration):
    dependencies = [("judgments", "0002_invariants")]

    operations = [migrations.RunPython(write_presets, remove_presets)]
