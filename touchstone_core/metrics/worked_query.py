"""One query, worked out rank by rank, so that people can check every figure by hand.

It is plain Python and shares no arithmetic with `ladder`, because a test compares the two.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, log2

import numpy as np

from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.gain import check_gain
from touchstone_core.metrics.scale import ScaleInfo


@dataclass(frozen=True, slots=True)
class WorkedRow:
    """A rank of the ranking. An unjudged document has the `grade` None. Ranks below the cutoff contribute 0.

    `place` is the rank that counts. If the formula removes unjudged documents, it is the rank among the others, and None
    for a removed document.
    """

    rank: int
    place: int | None
    grade: float | None
    gain: float
    discount: float
    contribution: float
    cumulative: float
    inside: bool


@dataclass(frozen=True, slots=True)
class IdealRow:
    """A rank of an ideal list. `source` is the document's index in `ranking_grades` for local and recall, in `judged_grades`
    for global, and None for max."""

    rank: int
    grade: float | None
    gain: float
    discount: float
    contribution: float
    source: int | None


@dataclass(frozen=True, slots=True)
class WorkedIdeal:
    rows: tuple[IdealRow, ...]
    total: float


@dataclass(frozen=True, slots=True)
class WorkedQuery:
    """The keys of mappings are ideals (local, recall, global, max) or losses (order, depth, recall, content).

    An NDCG is None if the formula leaves the query out of its average. `counted` is False if it leaves it out of all.
    """

    rows: tuple[WorkedRow, ...]
    dcg: float
    ideals: Mapping[str, WorkedIdeal]
    ndcg: Mapping[str, float | None]
    losses: Mapping[str, float]
    counted: bool


def work_out(
    ranking_grades: Sequence[float | None],
    judged_grades: Sequence[float],
    formula: Formula,
    scale: ScaleInfo,
    *,
    answered: bool = True,
) -> WorkedQuery:
    """Works out one query from the grades of its ranking, best rank first, and of all its judged documents.

    `answered` is False if the run has no ranking at all. Raises MetricsError as `ladder` does.
    """
    check_gain(formula.gain, scale)
    hits = (grade for grade in ranking_grades if grade is not None)
    scale.check(np.array([*judged_grades, *hits], dtype=np.float64))
    rows = _rows(ranking_grades, formula, scale)
    dcg = sum((row.contribution for row in rows), 0.0)
    retrieved = [(place, row.grade) for place, row in enumerate(rows) if row.place is not None]
    ideals = {
        "local": _ideal(retrieved[: formula.cutoff], formula, scale),
        "recall": _ideal(retrieved[: formula.depth], formula, scale),
        "global": _ideal(enumerate(judged_grades), formula, scale),
        "max": _ideal([(None, _best_grade(formula, scale))] * formula.cutoff, formula, scale),
    }
    counted = answered or not formula.skips_missing
    # A query without an answer counts 0, unless its judgments hold no gain and the formula leaves out such queries.
    is_missed = not answered and (formula.zero_ndcg is not None or ideals["global"].total > 0)
    at_zero = 0.0 if is_missed else formula.zero_ndcg
    ndcg = {name: dcg / ideal.total if ideal.total > 0 else at_zero for name, ideal in ideals.items()}
    steps = [dcg, *(ideal.total for ideal in ideals.values())]
    # Sums in another order may differ in the last digit; that is no loss.
    order, depth, recall, content = (max(above - below, 0.0) for below, above in pairwise(steps))
    losses = {"order": order, "depth": depth, "recall": recall, "content": content}
    return WorkedQuery(rows, dcg, ideals, ndcg if counted else dict.fromkeys(ndcg), losses, counted)


def _rows(grades: Sequence[float | None], formula: Formula, scale: ScaleInfo) -> tuple[WorkedRow, ...]:
    rows = []
    cumulative = 0.0
    removals = 0
    for rank, grade in enumerate(grades, 1):
        place: int | None = rank - removals
        if formula.condenses and (grade is None or grade < 0):
            removals += 1
            place = None
        gain, discount = _gain(grade, formula, scale), 0.0 if place is None else _discount(place, formula)
        inside = place is not None and place <= formula.cutoff
        contribution = gain * discount if inside else 0.0
        cumulative += contribution
        rows.append(WorkedRow(rank, place, grade, gain, discount, contribution, cumulative, inside))
    return tuple(rows)


def _ideal(
    candidates: Iterable[tuple[int | None, float | None]], formula: Formula, scale: ScaleInfo
) -> WorkedIdeal:
    """Sorts the candidates by gain, at equal gain judged ones first, and cuts them at the cutoff."""
    worth = [(_gain(grade, formula, scale), grade is not None, grade, source) for source, grade in candidates]
    worth.sort(key=lambda candidate: candidate[:2], reverse=True)
    rows = []
    for rank, (gain, _, grade, source) in enumerate(worth[: formula.cutoff], 1):
        discount = _discount(rank, formula)
        rows.append(IdealRow(rank, grade, gain, discount, gain * discount, source))
    return WorkedIdeal(tuple(rows), sum((row.contribution for row in rows), 0.0))


def _best_grade(formula: Formula, scale: ScaleInfo) -> float:
    if formula.gain == "table":
        table = _levels(scale)
        return max(table, key=lambda level: (level[1], level[0]))[0]
    return scale.top_grade


def _gain(grade: float | None, formula: Formula, scale: ScaleInfo) -> float:
    if grade is None or grade < 0:
        return 0.0
    if formula.gain == "linear":
        return grade
    if formula.gain == "exp":
        return 2.0**grade - 1.0
    return _table_gain(grade, _levels(scale))


def _levels(scale: ScaleInfo) -> list[tuple[float, float]]:
    return sorted((scale.gains or {}).items())


def _table_gain(grade: float, levels: list[tuple[float, float]]) -> float:
    """The gain of a level; interpolated between two levels, outside them that of the nearest."""
    above = bisect_right(levels, grade, key=lambda level: level[0])
    if above == 0:
        return levels[0][1]
    if above == len(levels):
        return levels[-1][1]
    (low, low_gain), (high, high_gain) = levels[above - 1], levels[above]
    return low_gain + (high_gain - low_gain) * (grade - low) / (high - low)


def _discount(rank: int, formula: Formula) -> float:
    if formula.discount == "log2":
        return 1.0 / log2(rank + 1)
    if formula.discount == "reciprocal":
        return 1.0 / rank
    if formula.base is not None:
        return 1.0 / max(log(rank, formula.base), 1.0)  # the logarithm is below 1 before rank b
    return 1.0
