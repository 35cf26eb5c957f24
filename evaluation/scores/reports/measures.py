"""Further measures of a run, with their averages."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.models import MeasureEvaluation, Run
from evaluation.scores.sql.measure_scores import stored_digits
from judgments.models import JudgmentList, Version
from touchstone_core.metrics.rounding import RoundedMeasure


@dataclass(frozen=True, slots=True)
class RunMeasure:
    """A further measure with its stored averages for the run."""

    measure: RoundedMeasure
    evaluation: MeasureEvaluation

    @property
    def text(self) -> str:
        """The canonical text, with the decimals that values are rounded to."""
        return str(self.measure)


def stored_measures(
    judgment_list: JudgmentList, run: Run, measures: Sequence[RoundedMeasure], version: Version | None = None
) -> list[RunMeasure] | None:
    """The stored averages of these measures; None if one isn't stored. At most one query."""
    if not measures:
        return []
    keys = [(str(one.measure), stored_digits(one.digits)) for one in measures]
    evaluations = MeasureEvaluation.objects.filter(
        judgment_list=judgment_list, version=version, run=run, measure__in=[text for text, _ in keys]
    )
    by_key = {(one.measure, one.digits): one for one in evaluations}
    if not by_key.keys() >= set(keys):
        return None
    return [RunMeasure(one, by_key[key]) for one, key in zip(measures, keys, strict=True)]
