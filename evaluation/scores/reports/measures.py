"""Further measures of a run, with their averages."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.models import MeasureEvaluation, Run
from evaluation.scores.sql.measure_scores import stored_digits
from judgments.models import JudgmentList, Version
from touchstone_core.metrics.rounding import RoundedMeasure


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure that was chosen, and what it says of the run."""

    chosen: RoundedMeasure
    evaluation: MeasureEvaluation

    @property
    def text(self) -> str:
        """The canonical text, with the decimals that values are rounded to."""
        return str(self.chosen)


def stored_measures(
    judgment_list: JudgmentList, run: Run, chosen: Sequence[RoundedMeasure], version: Version | None = None
) -> list[Measured] | None:
    """What is stored of these measures; None where one of them is not. At most one query."""
    if not chosen:
        return []
    texts = [str(one.measure) for one in chosen]
    found = MeasureEvaluation.objects.filter(judgment_list=judgment_list, version=version, run=run)
    found = found.filter(measure__in=texts)
    stored = {(one.measure, one.digits): one for one in found}
    keys = [(str(one.measure), stored_digits(one.digits)) for one in chosen]
    if not stored.keys() >= set(keys):
        return None
    return [Measured(one, stored[key]) for one, key in zip(chosen, keys, strict=True)]
