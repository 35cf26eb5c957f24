"""What is to be scored, for all functions that score it or say whether that is done."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.models import Run
from judgments.models import JudgmentList, Version
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.rounding import RoundedMeasure


@dataclass(frozen=True, slots=True)
class ScoringRequest:
    """Which runs, all of the list's query set, are scored against its grades, or with a `version` against the frozen ones.

    `bring_up_to_date` goes by the formula, and makes medians and weighted means only if it's `every_average`: they need all
    scores, the rest only those that changed. `bring_measures_up_to_date` goes by the measures.
    """

    judgment_list: JudgmentList
    runs: Sequence[Run]
    formula: Formula = field(default_factory=Formula)
    measures: Sequence[RoundedMeasure] = ()
    version: Version | None = None
    every_average: bool = False

    @property
    def run_ids(self) -> list[int]:
        """The keys of the runs, each once and in order."""
        return sorted({run.pk for run in self.runs})
