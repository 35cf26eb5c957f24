"""How much of the compared runs is judged, as deep as the measure looks, and what the measure makes of the rest.

R runs, Q queries, N ranks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np

from touchstone_core.bounds.values import GREATEST_CUTOFF
from touchstone_core.comparison.values import percent_text
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.coverage import covered_share
from touchstone_core.metrics.direction import DCG
from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.policies import CONDENSED
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.metrics.types import Floats, Ints, Mask

UNEQUAL: Final = 0.01
"""Above this difference of coverage, what a measure makes of unjudged documents favors one of the runs."""
PAGES, RANKINGS = "pages", "rankings"
AS_ZERO: Final = "zero"
_ROUNDING: Final = 1e-9
_LEFT_OUT, _IN_POOL = "left out", "in the pool"
_OF_MEASURE: Final = {"Bpref": _LEFT_OUT, "infAP": _IN_POOL}
_WORDS: Final = {
    AS_ZERO: "Unjudged documents count as 0, which puts the run with fewer judgments at a disadvantage.",
    _LEFT_OUT: "Unjudged documents are left out, so that less of the run with fewer judgments counts.",
    _IN_POOL: "Unjudged documents outside the pool count as 0, which puts the run with fewer judgments at a disadvantage.",
}
TARGETED_WORDS: Final = (
    "Documents were judged for what they decide between two runs. They aren’t like the others, so that a value in which "
    "unjudged documents count as 0 can mislead."
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The judged shares of the baseline and of a run, of their `where`; `unjudged` is what becomes of the other documents.

    `everything`: all that the compared runs retrieved is judged. `left_out`: queries without a value may get one and differ.
    `targeted`: documents of one of the runs were judged for what they decide, which says little about the others.
    `nothing` and `baseline_nothing`: no document on the pages is judged, so that the share is that of places without a document.
    """

    baseline: float
    run: float
    where: str = PAGES
    unjudged: str = AS_ZERO
    everything: bool = False
    left_out: bool = False
    targeted: bool = False
    nothing: bool = False
    baseline_nothing: bool = False

    @classmethod
    def of(cls, coverage: Mapping[str, Any], run: int, baseline: int = 0) -> Self:
        """Of two runs at their places in `coverage_figures`."""
        of_both = {name: value for name, value in coverage.items() if name not in ("runs", "targeted")}
        by_run = coverage.get("targeted")  # some files don't say how pairs were selected
        targeted = bool(by_run and (by_run[baseline] or by_run[run]))
        return cls(coverage["runs"][baseline], coverage["runs"][run], targeted=targeted, **of_both)

    @classmethod
    def of_figures(cls, figures: Mapping[str, Any], place: int) -> Self:
        """Of the baseline and the run at this place behind it, in all figures of a comparison."""
        coverage = cls.of(figures["coverage"], place + 1)
        baseline_nothing, nothing = (
            coverage.where == PAGES and nothing_is_judged(figures["runs"][at]) for at in (0, place + 1)
        )
        return replace(coverage, nothing=nothing, baseline_nothing=baseline_nothing)

    @property
    def unequal(self) -> bool:
        return abs(self.run - self.baseline) > UNEQUAL

    @property
    def rests_on_zeros(self) -> bool:
        """Whether what unjudged documents count as favors one of the runs, or may do so."""
        return self.unequal or self.targeted

    @property
    def complete(self) -> bool:
        return min(self.run, self.baseline) > 1.0 - _ROUNDING and not self.left_out

    @property
    def of_pages(self) -> bool:
        """Whether nothing but the pages decides, as they are."""
        return self.where == PAGES and self.unjudged == AS_ZERO and not self.left_out

    @property
    def share_words(self) -> str:
        run, baseline = map(percent_text, (self.run, self.baseline))
        if self.nothing and self.baseline_nothing:
            return "No document on the pages of either run is judged."
        if self.nothing:
            return f"No document on this run’s pages is judged, and {baseline} of the baseline’s pages are."
        if self.baseline_nothing:
            return f"No document on the baseline’s pages is judged, and {run} of this run’s pages are."
        are = "are" if self.where in (PAGES, RANKINGS) else "is"
        return f"{run} of this run’s {self.where} {are} judged, and {baseline} of the baseline’s."

    @property
    def words(self) -> str:
        words = TARGETED_WORDS if self.targeted else _WORDS[self.unjudged]
        return f"{self.share_words} {words}"


def nothing_is_judged(run: Mapping[str, Any]) -> bool:
    """Whether a run has documents on its pages, and none of them is judged, from its means in a comparison."""
    return bool(run["holes"]) and not run["judged"]


@dataclass(frozen=True, slots=True, eq=False)
class JudgedShares:
    """By run and query, the share of the discounts without unjudged documents, as deep as the measure looks; beyond the pages
    that people look at, to the end of the longest ranking."""

    shares: Floats  # (R, Q)
    whole: Mask  # (Q,) every document that one of the runs retrieved is judged

    def of(self, mask: Mask | Ints) -> Self:
        """The same for some of the queries (Q,)."""
        return type(self)(self.shares[:, mask], self.whole[mask])


def coverage_figures(
    judged: JudgedShares, formula: Formula, on: str, *, left_out_judged: Mask
) -> dict[str, Any]:
    """What `Coverage.of` reads: the mean of each run, and what holds for all. `left_out_judged` (L,): queries without a value
    of which all pages are judged."""
    depth, unjudged = _depth_and_policy(formula, on)
    where = RANKINGS if depth is None else PAGES if depth == formula.cutoff else f"top {depth}"
    # Nothing is known below the pages of queries that are left out. Without a gain on its pages, such a query doesn't differ.
    below = depth is None or depth > formula.cutoff
    left_out = bool(left_out_judged.size and (below or not left_out_judged.all()))
    return {
        "runs": judged.shares.mean(axis=1).tolist(),
        "where": where,
        "unjudged": unjudged,
        "everything": bool(judged.whole.all()) and not left_out,
        "left_out": left_out,
    }


def judged_shares(runs: Sequence[JudgedRun], formula: Formula, on: str) -> JudgedShares:
    """`on` is what the comparison is on: see `ComparisonOptions.on`."""
    depth, _ = _depth_and_policy(formula, on)
    longest = np.maximum(np.max([run.retrieved for run in runs], axis=0), 1)  # (Q,)
    if depth is not None:
        longest = np.full_like(longest, depth) if depth <= GREATEST_CUTOFF else np.minimum(longest, depth)
    ranks = int(longest.max(initial=1))
    discount = discounts(formula.discount, ranks, formula.base)
    shares = np.array([covered_share(run, discount, longest) for run in runs])
    hits = np.array([np.bincount(run.hit_query, minlength=run.queries) for run in runs])
    return JudgedShares(shares, (hits == [run.retrieved for run in runs]).all(axis=0))


def _depth_and_policy(formula: Formula, on: str) -> tuple[int | None, str]:
    """None for a measure of whole rankings."""
    if on in IDEALS or on == DCG:
        depth = formula.depth if on == "recall" else formula.cutoff
        return depth, _LEFT_OUT if formula.condenses else AS_ZERO
    ((_, one),) = read_rounded(on)
    condensed = dict(one.measure.parameters).get("unjudged") == CONDENSED
    policy = _LEFT_OUT if condensed else _OF_MEASURE.get(one.measure.name, AS_ZERO)
    return one.measure.cutoff, policy
