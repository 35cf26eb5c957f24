"""Two runs query by query, as arrays that are computed once: what the table, the charts and the walk through it read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Final, Self

import numpy as np

from touchstone_core.comparison.causes import CAUSES, causes_of_worse
from touchstone_core.comparison.comparison import DCG, Figures, RunValues, cause_input, tested_values
from touchstone_core.comparison.json_arrays import pack_array, unpack_array
from touchstone_core.comparison.page_evidence import Evidence, Standing
from touchstone_core.impact.pages import Change
from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.significance.differences import differences


@dataclass(frozen=True, slots=True, eq=False)
class QueryTable:
    """A candidate beside the baseline; every array (Q,), in the order of the queries' IDs.

    `difference` is candidate minus baseline, 0 for a tie. A value is `known` unless nothing on its page is judged. `low` and `high` bound the difference of NDCG-global where that is
    compared, else of NDCG-max. Where the formula has no bounds (see `has_bounds`) `judged`
    is False, and change, standing, ceiling, low and high say nothing.
    """

    queries: Ints
    baseline: Floats
    candidate: Floats
    difference: Floats
    baseline_holes: Ints
    candidate_holes: Ints
    baseline_known: Mask
    candidate_known: Mask
    cause: Ints  # where the candidate is worse, the place of the main cause in CAUSES, else -1
    unanswered: Mask  # the candidate has no results, whether it lacks the query or its ranking is empty
    change: Ints
    standing: Ints
    ceiling: Floats
    low: Floats
    high: Floats
    judged: bool

    def figures(self) -> Figures:
        """For a JSON field: each array packed, a few hundred kilobytes for 7,000 queries."""
        return {field.name: pack_array(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def of(cls, figures: Figures) -> Self:
        """What `figures` packed."""
        return cls(**{name: unpack_array(value) for name, value in figures.items()})

    def mask(self, show: str) -> Mask:
        """(Q,) the queries that a filter of `FILTERS` keeps; every one for a name that is none."""
        predicate = FILTERS.get(show)
        return np.ones(len(self.queries), dtype=np.bool_) if predicate is None else predicate(self)

    def order(self, key: str) -> Ints:
        """(Q,) places by a column, ascending or, with a minus before it, descending; equal ones by the query's ID."""
        values = SORTS[key.removeprefix("-")](self)
        return np.argsort(-values if key.startswith("-") else values, kind="stable")


def _by_cause(place: int) -> Callable[[QueryTable], Mask]:
    return lambda table: np.asarray(table.cause == place)


BY_CAUSE: Final = {cause: f"lost-{cause.replace(' ', '-')}" for cause in CAUSES}
"""The filter of the queries that got worse by each cause."""
FILTERS: Final[Mapping[str, Callable[[QueryTable], Mask]]] = {
    **{BY_CAUSE[cause]: _by_cause(place) for place, cause in enumerate(CAUSES)},
    "won": lambda table: table.difference > 0,
    "lost": lambda table: table.difference < 0,
    "tied": lambda table: table.difference == 0,
    "changed": lambda table: table.change != Change.NONE,
    "order": lambda table: table.change == Change.ORDER,
    "documents": lambda table: table.change == Change.DOCUMENTS,
    "decided": lambda table: np.isin(table.standing, (Standing.CANDIDATE, Standing.BASELINE)),
    "for-run": lambda table: table.standing == Standing.CANDIDATE,
    "for-baseline": lambda table: table.standing == Standing.BASELINE,
    "even": lambda table: table.standing == Standing.EVEN,
    "open": lambda table: table.standing == Standing.OPEN,
    "unanswered": lambda table: table.unanswered,
    "holes": lambda table: table.baseline_holes + table.candidate_holes > 0,
}
NEED_BOUNDS: Final = frozenset(
    {"changed", "order", "documents", "decided", "for-run", "for-baseline", "even", "open"}
)
SORTS: Final[Mapping[str, Callable[[QueryTable], Floats | Ints]]] = {
    "difference": lambda table: table.difference,
    "size": lambda table: np.abs(table.difference),
    "impact": lambda table: table.ceiling,
    "baseline": lambda table: table.baseline,
    "candidate": lambda table: table.candidate,
    "baseline-holes": lambda table: table.baseline_holes,
    "candidate-holes": lambda table: table.candidate_holes,
    "low": lambda table: table.low,
    "high": lambda table: table.high,
    "change": lambda table: table.change,
    "standing": lambda table: table.standing,
}


def query_table(run_values: RunValues, on: str, place: int, evidence: Evidence | None) -> QueryTable:
    """The run at this place beside the baseline, on queries that every run has a value for; `evidence` is of the same queries,
    None where there are no bounds."""
    values, holes = tested_values(run_values, on), run_values.shown - run_values.judged
    # Further measures may be about what is judged.
    known = (run_values.judged > 0) | (run_values.shown == 0) | (on not in (*IDEALS, DCG))
    is_global = on == "global"
    nothing, whole = np.zeros(len(run_values.queries)), np.zeros(len(run_values.queries), dtype=np.int64)
    difference = differences(values[0], values[place])
    return QueryTable(
        queries=run_values.queries,
        baseline=values[0],
        candidate=values[place],
        difference=difference,
        baseline_holes=holes[0],
        candidate_holes=holes[place],
        baseline_known=known[0],
        candidate_known=known[place],
        cause=causes_of_worse(cause_input(run_values, values), place, difference),
        unanswered=run_values.shown[place] == 0,
        change=whole if evidence is None else evidence.change,
        standing=whole if evidence is None else evidence.standing,
        ceiling=nothing if evidence is None else evidence.ceiling,
        low=nothing if evidence is None else evidence.global_low if is_global else evidence.low,
        high=nothing if evidence is None else evidence.global_high if is_global else evidence.high,
        judged=evidence is not None,
    )
