"""Two runs by their pages: what changed, and what unjudged documents could still change. Q queries, without a database."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import Any, Final, Self

import numpy as np

from touchstone_core.bounds.differences import difference_bounds, global_bounds, weights
from touchstone_core.bounds.estimates import PooledPages
from touchstone_core.bounds.tops import Tops
from touchstone_core.bounds.universe import PAGES, most_unjudged
from touchstone_core.bounds.values import Bounds, bounds, has_bounds
from touchstone_core.comparison.causes import RelevantDocuments
from touchstone_core.impact.pages import Impact, impact
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.gain import gains, top_gain
from touchstone_core.metrics.left_out import greatest_mean, least_mean
from touchstone_core.metrics.moves import number_documents
from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.significance.intervals import mean_of

UNIVERSE: Final = "unjudged documents that one of these runs retrieved"
"""What bounds are over, as files say it."""


class Standing(IntEnum):
    """Who wins a query in NDCG-max and NDCG-global whatever grades are missing. Only under a formula that gives an answer more
    than 0 where the ideal is 0 do these differ, for a query that one run doesn't answer: it is NDCG-global's there."""

    BASELINE = -1
    EVEN = 0
    CANDIDATE = 1
    OPEN = 2


STANDINGS: Final = {
    Standing.BASELINE: "baseline",
    Standing.EVEN: "even",
    Standing.CANDIDATE: "run",
    Standing.OPEN: "open",
}


@dataclass(frozen=True, slots=True, eq=False)
class Evidence(Impact):
    """The same with grades: `low` and `high` bound the difference of NDCG-max whatever grades are missing, `global_low` and
    `global_high` that of NDCG-global over the grades of the universe, and `any_low` and `any_high` if anything may exist."""

    standing: Ints  # Standing
    low: Floats
    high: Floats
    global_low: Floats
    global_high: Floats
    any_low: Floats
    any_high: Floats

    def counts(self, left_out: Mask | None = None) -> dict[str, Any]:
        """What changed, and what is settled, counted or averaged over the queries, of which there is at least one.

        `for_candidate`, `for_baseline`, `even` and `open` add up to the queries; the first two are decided. `left_out` (L,) are
        further queries, without a value since their ideal is 0, and whether a page of theirs has a hole: if missing grades bring
        them in, their difference of NDCG-global may be anything there, and 0 elsewhere.
        """
        out = np.zeros(0) if left_out is None else left_out.astype(float)
        return self.impact() | {
            "low": mean_of(self.low),
            "high": mean_of(self.high),
            "global_low": least_mean(self.global_low, -out),
            "global_high": greatest_mean(self.global_high, out),
            "any_low": least_mean(self.any_low, -out),
            "any_high": greatest_mean(self.any_high, out),
            "for_candidate": int((self.standing == Standing.CANDIDATE).sum()),
            "for_baseline": int((self.standing == Standing.BASELINE).sum()),
            "even": int((self.standing == Standing.EVEN).sum()),
            "open": int((self.standing == Standing.OPEN).sum()),
        }


@dataclass(frozen=True, slots=True, eq=False)
class PageEvidence:
    """Of R runs, the baseline first: `bounds` of each, `evidence` of each but the first, and the pages that may have fed the
    pool, those of the runs first; `left_out` of these were too many to be read. `relevant` documents are counted for each run."""

    bounds: tuple[Bounds, ...]
    evidence: tuple[Evidence, ...]
    pool: PooledPages
    left_out: int
    relevant: RelevantDocuments

    def of(self, mask: Mask) -> Self:
        """The same for some of the queries (Q,)."""
        pool = self.pool
        return type(self)(
            bounds=tuple(one.of(mask) for one in self.bounds),
            evidence=tuple(one.of(mask) for one in self.evidence),
            pool=replace(pool, document=pool.document[:, mask], gain=pool.gain[:, mask]),
            left_out=self.left_out,
            relevant=self.relevant.of(mask),
        )


class RunPages:
    """The first documents of R runs, the baseline first, over the same judged queries, and what follows from them. N ranks.

    A query without an answer counts 0, as in every comparison, whatever the formula's policy for averages says. `pages` are
    by run and query, best first.
    """

    def __init__(
        self, formula: Formula, runs: Sequence[JudgedRun], pages: Sequence[Sequence[Sequence[str]]]
    ) -> None:
        self.formula = formula.counting_missing
        self.runs = runs
        self.pages = pages
        self.document = number_documents(pages, formula.cutoff)  # (R, Q, N)
        self.gain = np.stack([page_gains(run, formula) for run in runs])  # (R, Q, N)

    @cached_property
    def unjudged(self) -> Ints:
        """(Q,) how many unjudged documents these runs retrieved together; any number above PAGES of the cutoff stands for all.

        Those of the first `documents_needed` are counted once, as far as `pages` have them.
        """
        deep = replace(self.formula, cutoff=documents_needed(self.formula) or self.formula.cutoff)
        document = number_documents(self.pages, deep.cutoff)
        return most_unjudged(self.runs, document, np.stack([page_gains(run, deep) for run in self.runs]))

    @property
    def top(self) -> float:
        """The greatest gain that the scale allows."""
        return float(top_gain(self.formula.gain, self.runs[0].scale))

    def pool_pages(self) -> tuple[PooledPages, int]:
        """The pages that may have fed the pool, and how many runs are too many to be read."""
        return PooledPages(self.document, self.gain, self.formula.discounts(), self.top), 0

    def bounds(self, place: int) -> Bounds:
        """Of one run, over the unjudged documents that one of the runs retrieved.

        Raises MetricsError where the formula has no bounds (see `has_bounds`).
        """
        return bounds(self.runs[place], self.formula, self.unjudged)

    def evidence(self, place: int) -> Evidence:
        """Of one run beside the baseline."""
        pair = self.runs[0], self.runs[place]
        return evidence(self.document[[0, place]], pair, self.formula, self.unjudged)

    def all_evidence(self) -> PageEvidence:
        """Takes time: the pages of all runs."""
        every = range(len(self.runs))
        return PageEvidence(
            tuple(map(self.bounds, every)),
            tuple(map(self.evidence, every[1:])),
            *self.pool_pages(),
            RelevantDocuments.of_runs(self.runs, self.formula),
        )


def documents_needed(formula: Formula) -> int:
    """How many documents of each query what follows from pages needs, so that unjudged ones that runs share count once."""
    return PAGES * formula.cutoff if has_bounds(formula) else 0


def page_gains(run: JudgedRun, formula: Formula) -> Floats:
    """(Q, N) the gains on the pages of a run, NaN for an unjudged document and where nothing is shown."""
    page_gain = np.full((run.queries, formula.cutoff), np.nan)
    page = run.hit_rank <= formula.cutoff
    page_gain[run.hit_query[page], run.hit_rank[page] - 1] = gains(
        run.hit_grade[page], formula.gain, run.scale
    )
    return page_gain


def evidence(document: Ints, runs: tuple[JudgedRun, JudgedRun], formula: Formula, unjudged: Ints) -> Evidence:
    """Of the baseline and the candidate, from their pages (2, Q, N), as `moves.number_documents` gives them. A query without an answer
    counts 0. `unjudged` (Q,) is how many unjudged documents the universe holds: see `touchstone_core.bounds.universe`."""
    old, new = document
    discount, top = formula.discounts(), top_gain(formula.gain, runs[0].scale)
    before = impact(old, new, discount)
    of = weights(old, new, page_gains(runs[0], formula), page_gains(runs[1], formula), discount)
    bound = difference_bounds(of, top=top, ideal=float(top * discount.sum()))
    at_zero = _at_zero(runs, formula)
    of_global = global_bounds(
        of,
        tops=_best_known(runs[0], formula),
        unjudged=unjudged,
        discount=discount,
        top=top,
        at_zero=at_zero,
    )
    by_global = np.nan_to_num(at_zero) != 0
    for_candidate = np.where(by_global, of_global.low > 0, bound.for_candidate)
    for_baseline = np.where(by_global, of_global.high < 0, bound.for_baseline)
    is_open = np.where(by_global, (of_global.low <= 0) & (of_global.high > of_global.low), bound.open)
    return Evidence(
        change=before.change,
        first=before.first,
        overlap=before.overlap,
        rbo=before.rbo,
        ceiling=before.ceiling,
        standing=np.select(
            [for_candidate, for_baseline, is_open],
            [Standing.CANDIDATE, Standing.BASELINE, Standing.OPEN],
            Standing.EVEN,
        ),
        low=bound.low,
        high=bound.high,
        global_low=of_global.low,
        global_high=of_global.high,
        any_low=of_global.any_low,
        any_high=of_global.any_high,
    )


def _best_known(run: JudgedRun, formula: Formula) -> Tops:
    gain = gains(run.judged_grade, formula.gain, run.scale)
    return Tops.of(run.judged_query, gain, run.queries, formula.cutoff)


def _at_zero(runs: tuple[JudgedRun, JudgedRun], formula: Formula) -> Floats:
    """(Q,) the difference where no document is worth anything; NaN where the formula leaves such a query out."""
    value = np.nan if formula.zero_ndcg is None else formula.zero_ndcg
    return np.asarray(value * (runs[1].answered.astype(float) - runs[0].answered.astype(float)))
