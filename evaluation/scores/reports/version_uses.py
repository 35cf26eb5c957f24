"""What depends on a version: stored values of runs and saved comparisons."""

from evaluation.models import Comparison, Evaluation, MeasureEvaluation
from judgments.models import Version
from touchstone_core.words import counted


def uses_in_words(version: Version) -> str:
    """“3 stored averages of runs and the saved comparisons “A” and “B””; empty where nothing uses the version."""
    averages = sum(model.objects.filter(version=version).count() for model in (Evaluation, MeasureEvaluation))
    names = Comparison.objects.filter(version=version).order_by("name").values_list("name", flat=True)
    parts = [counted(averages, "stored average") + " of runs"] if averages else []
    if titles := ", ".join(f"“{name}”" for name in names):
        parts.append(f"the saved comparison{'s' if len(names) > 1 else ''} {titles}")
    return " and ".join(parts)
