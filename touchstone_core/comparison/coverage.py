"""How much of the compared runs is judged, as deep as the measure looks, and what the measure makes of the rest.

R runs, Q queries, N ranks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from touchstone_core.bounds.values import GREATEST_CUTOFF
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.direction import DCG
from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.policies import CONDENSED
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.metrics.types import Floats

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


@dataclass(frozen=True, slots=True)
class Coverage:
    """The judged shares of the baseline and of a run, of their `where`; `unjudged` is what becomes of the other documents."""

    baseline: float
    run: float
    where: str = PAGES
    unjudged: str = AS_ZERO

    @classmethod
    def of(cls, coverage: Mapping[str, Any], run: int, baseline: int = 0) -> Self:
        """Of two runs at their places in `coverage_figures`."""
        shares = coverage["runs"]
        return cls(shares[baseline], shares[run], coverage["where"], coverage["unjudged"])

    @property
    def unequal(self) -> bool:
        return abs(self.run - self.baseline) > UNEQUAL

    @property
    def complete(self) -> bool:
        return min(self.run, self.baseline) > 1.0 - _ROUNDING

    @property
    def words(self) -> str:
        run, baseline = (f"{100 * share:.1f} %" for share in (self.run, self.baseline))
        return f"{run} of this run's {self.where} is judged, and {baseline} of the baseline's. {_WORDS[self.unjudged]}"


def coverage_figures(shares: Floats, formula: Formula, on: str) -> dict[str, Any]:
    """What `Coverage.of` reads, from `judged_shares` (R, Q): the mean of each run."""
    depth, unjudged = _depth_and_policy(formula, on)
    where = RANKINGS if depth is None else PAGES if depth == formula.cutoff else f"top {depth}"
    return {"runs": shares.mean(axis=1).tolist(), "where": where, "unjudged": unjudged}


def judged_shares(runs: Sequence[JudgedRun], formula: Formula, on: str) -> Floats:
    """(R, Q) the share of the discounts without unjudged documents, as deep as the measure looks; beyond the pages that people
    look at, to the end of the longest ranking. `on` is what the comparison is on: see `ComparisonOptions.on`."""
    depth, _ = _depth_and_policy(formula, on)
    longest = np.maximum(np.max([run.retrieved for run in runs], axis=0), 1)  # (Q,)
    if depth is not None:
        longest = np.full_like(longest, depth) if depth <= GREATEST_CUTOFF else np.minimum(longest, depth)
    ranks = int(longest.max(initial=1))
    discount = discounts(formula.discount, ranks, formula.base)
    up_to = np.append(0.0, np.cumsum(discount))  # (N + 1,)
    ends = [np.minimum(run.retrieved, ranks) for run in runs]
    open_weight = [up_to[end] - _judged_weight(run, discount) for run, end in zip(runs, ends, strict=True)]
    return np.asarray(1.0 - np.array(open_weight) / up_to[longest], dtype=np.float64)


def _depth_and_policy(formula: Formula, on: str) -> tuple[int | None, str]:
    """None for a measure of whole rankings."""
    if on in IDEALS or on == DCG:
        depth = formula.depth if on == "recall" else formula.cutoff
        return depth, _LEFT_OUT if formula.condenses else AS_ZERO
    ((_, one),) = read_rounded(on)
    condensed = dict(one.measure.parameters).get("unjudged") == CONDENSED
    policy = _LEFT_OUT if condensed else _OF_MEASURE.get(one.measure.name, AS_ZERO)
    return one.measure.cutoff, policy


def _judged_weight(run: JudgedRun, discount: Floats) -> Floats:
    """(Q,)"""
    deep = run.hit_rank <= len(discount)
    weight = discount[run.hit_rank[deep] - 1]
    return np.asarray(np.bincount(run.hit_query[deep], weight, minlength=run.queries), dtype=np.float64)
