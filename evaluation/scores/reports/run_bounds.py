"""Between which values the means of a run lie, whatever grades its unjudged documents get."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.base.reports import scale_info
from evaluation.models import Run
from evaluation.scores.sql.hits import Key
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import read_grades, read_hits
from judgments.models import JudgmentList, Version
from touchstone_core.bounds.means import PROVISIONAL, mean_bounds
from touchstone_core.bounds.universe import unjudged_of
from touchstone_core.bounds.values import bounds, has_bounds
from touchstone_core.comparison.values import fixed, percent_text
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import ladder

MOST_GRADES: Final = 20_000
"""What a page reads unasked: some 50 ms. Of more, people ask for the bounds."""


@dataclass(frozen=True, slots=True)
class RunBounds:
    """`ranges` by ideal, in words. Whatever else may exist that nobody retrieved or judged is allowed for: it raises the ideal
    of global. `coverage` is the share of the pages' weight that is judged, and below 95 % the means are `is_provisional`."""

    ranges: dict[str, str]
    coverage: str
    is_provisional: bool


def run_bounds(
    judgment_list: JudgmentList, version: Version | None, run: Run, formula: Formula
) -> RunBounds | None:
    """None if the formula has no bounds, or if nothing is judged. Two statements."""
    if not has_bounds(formula):
        return None
    grades = read_grades(judgment_list.pk, None, version)
    if not grades:
        return None
    index = GradeIndex(grades.values(), scale_info((version or judgment_list).scale))
    hits = read_hits(judgment_list.query_set_id, [Key(query, run.pk) for query in index.queries])
    judged = index.join(list(hits))
    steps, none_left_out = ladder(judged, formula), np.zeros(0, dtype=np.bool_)
    found = mean_bounds(
        np.array([steps.ndcg(ideal) for ideal in IDEALS]),
        bounds(judged, formula, unjudged_of(judged)),
        none_left_out,
    )
    low = found["low"] | {"global": found["any_low"]}
    return RunBounds(
        ranges={
            ideal: f"{fixed(low[ideal])} to {fixed(found['high'][ideal])}"
            for ideal in IDEALS
            if found["high"][ideal] is not None
        },
        coverage=percent_text(found["coverage"]),
        is_provisional=found["coverage"] < PROVISIONAL,
    )
