"""Values over all orders of documents with equal scores: expected, least and greatest, without listing the orders.

A tie matters inside a cutoff k where a group of two or more documents with equal scores begins at a rank of at most
k: then the document ids decide what is shown there. A ranking that follows the file's rank column has no ties.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun, condensed, judged_run
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.gain import gains
from touchstone_core.metrics.ladder import Ladder, ladder
from touchstone_core.metrics.order import Compared
from touchstone_core.metrics.query_sums import sums
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.types import Floats, Ints

WORDS: Final = (
    "Documents of equal retrieval score are put in descending order of their ids, as trec_eval does; scores are "
    "compared in single precision, as there, unless the run was read in double precision. The system said "
    "nothing of their order, and another one may give another value.",
    "A tie matters inside the cutoff k where a group of two or more documents with equal scores begins at a rank of at "
    "most k. A run that follows the rank column of its file has no ties, nor has one without scores.",
    "Beside the value as ordered stand those over all orders of equal scores: the mean, which is expected if chance "
    "breaks the ties and which scikit-learn's ndcg_score gives, the least and the greatest.",
    "No order changes the ideals global and max. The ideal local does where a tie crosses the cutoff, and the ideal "
    "recall where one crosses the recall depth; NDCG then has no closed form over the orders, and none is given.",
)
SOURCE: Final = "McSherry & Najork, ECIR 2008"

_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class TieSpread:
    """A value if ties were broken at random, at the worst and at the best. All equal where no tie matters."""

    expected: float
    least: float
    greatest: float


@dataclass(frozen=True, slots=True, eq=False)
class Spreads:
    """The spread of each query, all (Q,); NaN where it is not defined."""

    expected: Floats
    least: Floats
    greatest: Floats

    def at(self, query: int) -> TieSpread:
        return TieSpread(*(float(values[query]) for values in (self.expected, self.least, self.greatest)))

    def of(self, query: int) -> TieSpread | None:
        """None where the spread is not defined."""
        return None if np.isnan(self.expected[query]) else self.at(query)


@dataclass(frozen=True, slots=True, eq=False)
class RunSpreads:
    """DCG, and NDCG by ideal.

    No order changes the ideals global and max. Local and recall change with it where a tie crosses the cutoff or the
    recall depth and its documents differ in gain: NDCG has no closed form then, and is not defined here. Nor is it
    where the ideal is 0.
    """

    dcg: Spreads
    ndcg: Mapping[str, Spreads]


@dataclass(frozen=True, slots=True, eq=False)
class TieGroups:
    """Of each of H documents, the group that shares its score: the rank of its first, from 1, and its size."""

    start: Ints
    size: Ints

    @classmethod
    def none(cls, ranks: Ints) -> Self:
        """Every document by itself."""
        return cls(ranks, np.ones_like(ranks))

    @classmethod
    def joined(cls, groups: "list[TieGroups]") -> Self:
        """The groups of several queries, one after the other."""
        return cls(
            np.concatenate([one.start for one in groups] or [np.empty(0, np.int64)]),
            np.concatenate([one.size for one in groups] or [np.empty(0, np.int64)]),
        )


def first_tie(scores: Compared) -> int | None:
    """The least rank whose score is also that of the next rank; `scores` best first. None where all differ."""
    equal = np.flatnonzero(scores[:-1] == scores[1:])
    return int(equal[0]) + 1 if equal.size else None


def tie_groups(scores: Compared, ranks: Ints) -> TieGroups:
    """The groups of the documents at these ranks of one ranking; `scores` (n,) best first."""
    bounds = np.concatenate(([0], np.flatnonzero(scores[:-1] != scores[1:]) + 1, [len(scores)]))
    group = np.searchsorted(bounds, ranks - 1, side="right") - 1
    return TieGroups(bounds[group] + 1, bounds[group + 1] - bounds[group])


def ranking_spreads(
    scores: Compared, grades: Floats, judged: Sequence[float], formula: Formula, scale: ScaleInfo
) -> RunSpreads:
    """The spreads of one ranking (n,), given in any order; a grade of NaN is unjudged.

    `judged` has the grades of all judged documents of the query, retrieved or not.
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
    """The spreads of every query; `groups` (H,) are those of the run's hits. Raises MetricsError as `ladder` does.

    Expected, after McSherry & Najork, ECIR 2008: a tied document has the mean discount of its group's ranks.
    """
    if formula.condenses:
        run, groups = _condensed(run, groups)
    worst = ladder(_arranged(run, groups, formula, best=False), formula)
    best = ladder(_arranged(run, groups, formula, best=True), formula)
    dcg = Spreads(
        np.clip(_expected(run, groups, formula), worst.dcg, np.maximum(worst.dcg, best.dcg)),
        worst.dcg,
        np.maximum(worst.dcg, best.dcg),  # equal ones may differ in their last digit
    )
    return RunSpreads(dcg, {ideal: _divided(dcg, worst, best, ideal) for ideal in IDEALS})


def _condensed(run: JudgedRun, groups: TieGroups) -> tuple[JudgedRun, TieGroups]:
    """Without the unjudged documents, the groups closed up as the ranks are."""
    kept = run.hit_grade >= 0
    closed = condensed(run)
    first, group, size = _members(closed.hit_query, groups.start[kept])
    return closed, TieGroups(closed.hit_rank[first][group], size[group])


def _arranged(run: JudgedRun, groups: TieGroups, formula: Formula, *, best: bool) -> JudgedRun:
    """The run with the hits of each group at its head, best first, or at its end, best last."""
    gain = gains(run.hit_grade, formula.gain, run.scale)
    order = np.lexsort((-gain if best else gain, groups.start, run.hit_query))
    query, start = run.hit_query[order], groups.start[order]
    first, group, hits = _members(query, start)
    rank = start + np.arange(len(start)) - first[group]
    if not best:
        rank += groups.size[order] - hits[group]
    return replace(run, hit_rank=rank, hit_grade=run.hit_grade[order])


def _members(query: Ints, start: Ints) -> tuple[Ints, Ints, Ints]:
    """Of hits that stand by query and group: each group's first hit, each hit's group, and each group's hits."""
    new = np.ones(len(query), dtype=np.bool_)
    new[1:] = (query[1:] != query[:-1]) | (start[1:] != start[:-1])
    first = np.flatnonzero(new)
    return first, np.cumsum(new) - 1, np.diff(np.append(first, len(query)))


def _expected(run: JudgedRun, groups: TieGroups, formula: Formula) -> Floats:
    weights = np.concatenate(([0.0], np.cumsum(formula.discounts())))
    above = groups.start - 1
    shown = (
        weights[np.minimum(above + groups.size, formula.cutoff)] - weights[np.minimum(above, formula.cutoff)]
    )
    worth = gains(run.hit_grade, formula.gain, run.scale) * shown / groups.size
    return sums(run.hit_query, worth, run.queries)


def _divided(dcg: Spreads, worst: Ladder, best: Ladder, ideal: str) -> Spreads:
    """Best and worst order have the same ideal only where all orders between them have it."""
    least, total = worst.ideal(ideal), best.ideal(ideal)
    fixed = total - least < _ROUNDING * total  # never where the ideal is 0
    return Spreads(
        *(
            np.divide(values, total, out=np.full(len(total), np.nan), where=fixed)
            for values in (dcg.expected, dcg.least, dcg.greatest)
        )
    )
