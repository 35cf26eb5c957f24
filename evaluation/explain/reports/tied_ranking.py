"""How ties affect one ranking: the table of the drill-down, and which ranks share a score."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from touchstone_core.comparison.values import Value, value
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.ties import RunSpreads, TieSpread, first_tie, ranking_spreads, tie_groups
from touchstone_core.metrics.types import Floats
from touchstone_core.metrics.worked_query import WorkedQuery


@dataclass(frozen=True, slots=True)
class TieRow:
    """A measure for the ranking as ordered, and over all orders of its ties; dashes where no spread is defined."""

    name: str
    measure: str
    ordered: Value
    expected: Value
    least: Value
    greatest: Value

    @property
    def spread(self) -> dict[str, float | None]:
        return {name: getattr(self, name).number for name in ("expected", "least", "greatest")}


@dataclass(frozen=True, slots=True)
class RankingTies:
    """`undefined`: some NDCG has no spread, because its ideal changes with the order or is 0."""

    first_tie: int
    rows: list[TieRow]

    @property
    def undefined(self) -> bool:
        return any(row.expected.number is None for row in self.rows)

    @property
    def words(self) -> str:
        """For the badge."""
        return f"Equal scores from rank {self.first_tie} on: another order of them may give another value"

    def as_json(self) -> dict[str, Any]:
        """Spreads by canonical text; null where there is none. As `evaluation.scores.reports.ties.tie_json`."""
        values = {row.measure: None if row.expected.number is None else row.spread for row in self.rows}
        return {"first_tie": self.first_tie, "values": values}


def ranking_ties(
    scores: Sequence[float], judged: Sequence[float], worked: WorkedQuery, formula: Formula, scale: ScaleInfo
) -> RankingTies | None:
    """The ties that matter, or None. `scores` (n,) are best first, empty if they didn't decide the order; `judged` is as in
    `ranking_spreads`.

    If unjudged documents are removed, a tie below the cutoff can move into it, and then matters as well.
    """
    numbers = np.array(scores, dtype=np.float64)
    first = first_tie(numbers)
    if first is None or (first > formula.cutoff and not formula.condenses):
        return None
    grades = as_array([row.grade for row in worked.rows])
    spreads = ranking_spreads(numbers, grades, judged, formula, scale)
    dcg = spreads.dcg.at(0)
    if first > formula.cutoff and dcg.least == dcg.greatest:
        return None
    return RankingTies(first, tie_rows(spreads, worked, formula))


def tied_ranks(scores: Sequence[float]) -> list[str]:
    """For each rank, the ranks that share its score, as “3–5”; empty if there are none."""
    groups = tie_groups(np.array(scores, dtype=np.float64), np.arange(1, len(scores) + 1))
    return [
        f"{start}–{start + size - 1}" if size > 1 else ""
        for start, size in zip(groups.start.tolist(), groups.size.tolist(), strict=True)
    ]


def as_array(grades: Sequence[float | None]) -> Floats:
    return np.array([np.nan if grade is None else grade for grade in grades])


def tie_rows(spreads: RunSpreads, worked: WorkedQuery, formula: Formula) -> list[TieRow]:
    rows = [_row("DCG", formula.dcg_measure(), worked.dcg, spreads.dcg.at(0))]
    for ideal in IDEALS:
        ordered, spread = worked.ndcg[ideal], spreads.ndcg[ideal].of(0)
        rows.append(_row(f"NDCG-{ideal}", formula.measure(ideal), ordered, spread))
    return rows


def _row(name: str, measure: str, ordered: float | None, spread: TieSpread | None) -> TieRow:
    numbers = (None,) * 3 if spread is None else (spread.expected, spread.least, spread.greatest)
    expected, least, greatest = (value(number) for number in numbers)
    return TieRow(name, measure, value(ordered), expected, least, greatest)
