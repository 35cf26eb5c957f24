"""Between which values the means of a run lie, whatever grades its unjudged documents get."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.base.reports import scale_info
from evaluation.models import Evaluation
from evaluation.scores.sql.hits import Key
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import read_grades, read_hits
from touchstone_core.bounds.means import mean_bounds
from touchstone_core.bounds.universe import unjudged_of
from touchstone_core.bounds.values import bounds, has_bounds
from touchstone_core.comparison.values import fixed
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import ladder

MOST_GRADES: Final = 20_000
"""What a page reads unasked: some 50 ms. Of more, people ask for the bounds."""


@dataclass(frozen=True, slots=True)
class RunBounds:
    """The lowest and highest means by ideal, None where no query has a value. Whatever else may exist that nobody retrieved or
    judged is allowed for: it raises the ideal of global."""

    low: dict[str, float | None]
    high: dict[str, float | None]

    def words(self, ideal: str) -> str:
        """Empty where no query has a value."""
        low, high = self.low[ideal], self.high[ideal]
        return "" if low is None or high is None else f"{fixed(low)} to {fixed(high)}"


def run_bounds(evaluation: Evaluation, formula: Formula) -> RunBounds | None:
    """Of a run with unjudged documents on its pages; None if the formula has no bounds, or if nothing is judged. Two statements."""
    if not evaluation.holes or not has_bounds(formula):
        return None
    judgment_list, version = evaluation.judgment_list, evaluation.version
    grades = read_grades(judgment_list.pk, None, version)
    if not grades:
        return None
    index = GradeIndex(grades.values(), scale_info((version or judgment_list).scale))
    hits = read_hits(judgment_list.query_set_id, [Key(query, evaluation.run_id) for query in index.queries])
    judged = index.join(list(hits))
    steps, none_left_out = ladder(judged, formula), np.zeros(0, dtype=np.bool_)
    found = mean_bounds(
        np.array([steps.ndcg(ideal) for ideal in IDEALS]),
        bounds(judged, formula, unjudged_of(judged)),
        none_left_out,
    )
    return RunBounds(found["low"] | {"global": found["any_low"]}, found["high"])
