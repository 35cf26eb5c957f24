"""Values over all orders of documents with equal scores: expected, least and greatest, without listing the orders.

A tie matters within a cutoff k if two or more documents with equal scores begin at a rank of at most k. Then the
document IDs decide what is shown there. A ranking that follows the file's rank column has no ties.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun, condense, judged_run
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.gain import gains
from touchstone_core.metrics.ladder import Ladder, ladder
from touchstone_core.metrics.order import ScoreArray
from touchstone_core.metrics.query_sums import sums
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.types import Floats, Ints

WORDS: Final = (
    "Documents with equal retrieval scores are sorted by ID, descending, as trec_eval does. Like trec_eval, Touchstone compares "
    "scores in single precision, unless the run was read in double precision. The system did not decide their order, and "
    "another order may give another value.",
    "A tie matters within the cutoff k if two or more documents with equal scores begin at a rank of at most k. A run without "
    "scores has no ties, nor has one that follows the rank column of its file.",
    "Beside the value in this order, Touchstone shows three values over all orders of equal scores: the mean, which is expected "
    "if chance breaks the ties and which scikit-learn’s ndcg_score gives, the least and the greatest.",
    "No order changes the ideals global and max. The ideal local changes if a tie crosses the cutoff, and the ideal recall if "
    "one crosses the recall depth. NDCG then has no closed form over the orders, so none is shown.",
)
SOURCE: Final = "McSherry & Najork, ECIR 2008"

_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class TieSpread:
    """A value if ties are broken at random, in the worst order and in the best. All are equal if no tie matters."""

    expected: float
    least: float
    greatest: float


@dataclass(frozen=True, slots=True, eq=False)
class Spreads:
    """The spread of each query (Q,); NaN where it is not defined."""

    expected: Floats
    least: Floats
    greatest: Floats

    def at(self, query: int) -> TieSpread:
        return TieSpread(*(float(values[query]) for values in (self.expected, self.least, self.greatest)))

    def of(self, query: int) -> TieSpread | None:
        """Returns the spread of a query; None if it is not defined."""
        return None if np.isnan(self.expected[query]) else self.at(query)


@dataclass(frozen=True, slots=True, eq=False)
class RunSpreads:
    """The spreads of DCG, and of NDCG by ideal.

    No order changes the ideals global and max. Local and recall change if a tie crosses the cutoff or the recall depth
    and its documents differ in gain. Then NDCG has no closed form and is not defined here, nor is it if the ideal is 0.
    """

    dcg: Spreads
    ndcg: Mapping[str, Spreads]


@dataclass(frozen=True, slots=True, eq=False)
class TieGroups:
    """For each of H documents, the group with its score: the rank of its first document, from 1, and its size."""

    start: Ints
    size: Ints

    @classmethod
    def none(cls, ranks: Ints) -> Self:
        """Every document is a group of its own."""
        return cls(ranks, np.ones_like(ranks))

    @classmethod
    def concatenate(cls, groups: "list[TieGroups]") -> Self:
        """Concatenates the groups of several queries."""
        return cls(
            np.concatenate([one.start for one in groups] or [np.empty(0, np.int64)]),
            np.concatenate([one.size for one in groups] or [np.empty(0, np.int64)]),
        )


def first_tie(scores: ScoreArray) -> int | None:
    """The first rank with the same score as the next one; None if there is none. `scores` are best first."""
    equal = np.flatnonzero(scores[:-1] == scores[1:])
    return int(equal[0]) + 1 if equal.size else None


def tie_groups(scores: ScoreArray, ranks: Ints) -> TieGroups:
    """Returns the groups of the documents at these ranks of one ranking. `scores` (n,) are best first."""
    bounds = np.concatenate(([0], np.flatnonzero(scores[:-1] != scores[1:]) + 1, [len(scores)]))
    group = np.searchsorted(bounds, ranks - 1, side="right") - 1
    return TieGroups(bounds[group] + 1, bounds[group + 1] - bounds[group])


def ranking_spreads(
    scores: ScoreArray, grades: Floats, judged: Sequence[float], formula: Formula, scale: ScaleInfo
) -> RunSpreads:
    """The spreads of one ranking (n,) in any order; unjudged documents have the grade NaN.

    `judged` are the grades of all judged documents of the query, retrieved or not.
    """
    if scores.shape != grades.shape:
        raise MetricsError(f"There are {len(scores)} scores for {len(grades)} documents.")
    if np.isnan(scores).any():
        raise MetricsError("A retrieval score is not a number, so the ranking has no order.")
    order = np.argsort(-scores)
    ranks = np.flatnonzero(~np.isnan(grades[order])) + 1
    run = judged_run(
        answered=[True],
        retrieved=[len(scores)],
        hit_query=np.zeros(len(ranks)),
        hit_rank=ranks,
        hit_grade=grades[order][ranks - 1],
        judged_query=np.zeros(len(judged)),
        judged_grade=judged,
        scale=scale,
    )
    return run_spreads(run, tie_groups(scores[order], ranks), formula)


def run_spreads(run: JudgedRun, groups: TieGroups, formula: Formula) -> RunSpreads:
    """The spreads of every query. `groups` (H,) are those of the run's hits. Raises MetricsError as `ladder` does.

    For the expected value, a tied document has the mean discount of its group's ranks (McSherry & Najork, ECIR 2008).
    """
    if formula.condenses:
        run, groups = _condense(run, groups)
    worst = ladder(_arrange(run, groups, formula, best=False), formula)
    best = ladder(_arrange(run, groups, formula, best=True), formula)
    dcg = Spreads(
        np.clip(_expected_dcg(run, groups, formula), worst.dcg, np.maximum(worst.dcg, best.dcg)),
        worst.dcg,
        np.maximum(worst.dcg, best.dcg),  # equal ones may differ in their last digit
    )
    return RunSpreads(dcg, {ideal: _divide(dcg, worst, best, ideal) for ideal in IDEALS})


def _condense(run: JudgedRun, groups: TieGroups) -> tuple[JudgedRun, TieGroups]:
    """Removes the unjudged documents from the run and from the groups."""
    judged = run.hit_grade >= 0
    condensed = condense(run)
    first, group, size = _members(condensed.hit_query, groups.start[judged])
    return condensed, TieGroups(condensed.hit_rank[first][group], size[group])


def _arrange(run: JudgedRun, groups: TieGroups, formula: Formula, *, best: bool) -> JudgedRun:
    """Moves the hits of each group to its first ranks, best first, or to its last ranks, best last."""
    gain = gains(run.hit_grade, formula.gain, run.scale)
    order = np.lexsort((-gain if best else gain, groups.start, run.hit_query))
    query, start = run.hit_query[order], groups.start[order]
    first, group, hits = _members(query, start)
    rank = start + np.arange(len(start)) - first[group]
    if not best:
        rank += groups.size[order] - hits[group]
    return replace(run, hit_rank=rank, hit_grade=run.hit_grade[order])


def _members(query: Ints, start: Ints) -> tuple[Ints, Ints, Ints]:
    """Each group's first hit, each hit's group, and each group's number of hits, for hits sorted by query and group."""
    new = np.ones(len(query), dtype=np.bool_)
    new[1:] = (query[1:] != query[:-1]) | (start[1:] != start[:-1])
    first = np.flatnonzero(new)
    return first, np.cumsum(new) - 1, np.diff(np.append(first, len(query)))


def _expected_dcg(run: JudgedRun, groups: TieGroups, formula: Formula) -> Floats:
    weights = np.concatenate(([0.0], np.cumsum(formula.discounts())))
    above = groups.start - 1
    weight = (
        weights[np.minimum(above + groups.size, formula.cutoff)] - weights[np.minimum(above, formula.cutoff)]
    )
    worth = gains(run.hit_grade, formula.gain, run.scale) * weight / groups.size
    return sums(run.hit_query, worth, run.queries)


def _divide(dcg: Spreads, worst: Ladder, best: Ladder, ideal: str) -> Spreads:
    """The spreads of NDCG, if all orders have the same ideal: they do if the best and the worst order have it."""
    least, total = worst.ideal(ideal), best.ideal(ideal)
    same_ideal = total - least < _ROUNDING * total  # never where the ideal is 0
    return Spreads(
        *(
            np.divide(values, total, out=np.full(len(total), np.nan), where=same_ideal)
            for values in (dcg.expected, dcg.least, dcg.greatest)
        )
    )
