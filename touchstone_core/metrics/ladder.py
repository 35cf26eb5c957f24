"""DCG and its four ideals for every query of a run, and the losses between them."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun, condense
from touchstone_core.metrics.errors import FormulaError
from touchstone_core.metrics.formula import Formula, check_ideal
from touchstone_core.metrics.gain import gains, top_gain
from touchstone_core.metrics.query_sums import at_least, divide_by_ideal, sum_discounted, sum_ideal
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.types import Floats, Ints, Mask

LOSSES: Final = ("order", "depth", "recall", "content")


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """DCG ≤ local ≤ recall ≤ global ≤ max, exactly. All arrays (Q,).

    `judged` and `shown` count the pages as they are, even if the formula removes unjudged documents.
    """

    formula: Formula
    answered: Mask  # False: the judged query is missing from the run
    dcg: Floats
    ideal_local: Floats
    ideal_recall: Floats
    ideal_global: Floats
    ideal_max: Floats
    judged: Ints  # judged documents within the cutoff
    shown: Ints  # documents within the cutoff: min(k, n)

    def ideal(self, ideal: str) -> Floats:
        """The ideal DCG by its name: local, recall, global or max."""
        check_ideal(ideal)
        return getattr(self, f"ideal_{ideal}")

    def ndcg(self, ideal: str) -> Floats:
        """DCG / ideal DCG under the policies of the formula; NaN where they leave the query out."""
        values = divide_by_ideal(
            self.dcg,
            self.ideal(ideal),
            zero=self.formula.zero,
            answered=self.answered,
            some_gain=lambda: ~self.zero_ideal,
        )
        return np.where(self.counted, values, np.nan)

    @property
    def counted(self) -> Mask:
        """The queries in averages and in sums of losses: all, or only answered ones if the formula skips missing queries."""
        return self.answered | (not self.formula.skips_missing)

    def loss(self, loss: str) -> Floats:
        """The DCG points lost at one step: order, depth, recall or content. DCG plus these four is IDCG-max."""
        if loss not in LOSSES:
            raise FormulaError(f"The loss can’t be {loss!r}. Use one of {', '.join(LOSSES)}.")
        steps = (self.dcg, self.ideal_local, self.ideal_recall, self.ideal_global, self.ideal_max)
        step = LOSSES.index(loss)
        return steps[step + 1] - steps[step]

    @property
    def judged_at_k(self) -> Floats:
        """Judged / shown within the cutoff; 0 for an empty ranking."""
        return self.judged / np.maximum(self.shown, 1)

    @property
    def holes(self) -> Ints:
        """Unjudged documents within the cutoff."""
        return self.shown - self.judged

    @property
    def zero_ideal(self) -> Mask:
        """Queries without any gain in their judgments. Their NDCG is undefined, except under the ideal max."""
        return self.ideal_global == 0


def ladder(run: JudgedRun, formula: Formula) -> Ladder:
    """DCG, the four ideals and the coverage of every query. Sorts the hits and the judgments once each.

    Raises MetricsError for a grade above the scale's top, and for the gain 'table' if the scale has none.
    """
    top = run.hit_rank <= formula.cutoff
    judged = np.bincount(run.hit_query[top], minlength=run.queries)
    shown = np.minimum(run.retrieved, formula.cutoff)
    if formula.condenses:
        run = condense(run)
        top = run.hit_rank <= formula.cutoff
    discount = formula.discounts()
    hit_gain = gains(run.hit_grade, formula.gain, run.scale)
    deep = slice(None) if formula.depth is None else run.hit_rank <= formula.depth
    dcg = sum_discounted(run.hit_query[top], hit_gain[top], run.hit_rank[top] - 1, discount, run.queries)
    judged_gain = gains(run.judged_grade, formula.gain, run.scale)
    local, recall, global_, max_ = _rising(
        dcg,
        sum_ideal(run.hit_query[top], hit_gain[top], discount, run.queries),
        sum_ideal(run.hit_query[deep], hit_gain[deep], discount, run.queries),
        sum_ideal(run.judged_query, judged_gain, discount, run.queries),
        np.full(run.queries, best_dcg(formula, run.scale)),
    )
    return Ladder(
        formula=formula,
        answered=run.answered,
        dcg=dcg,
        ideal_local=local,
        ideal_recall=recall,
        ideal_global=global_,
        ideal_max=max_,
        judged=judged,
        shown=shown,
    )


def best_dcg(formula: Formula, scale: ScaleInfo) -> float:
    """IDCG-max: the DCG of a page of the scale's top gain."""
    # cumsum adds in the same order as bincount, so that a perfect ranking gets exactly this.
    return float(np.cumsum(top_gain(formula.gain, scale) * formula.discounts())[-1])


def _rising(dcg: Floats, *ideals: Floats) -> list[Floats]:
    """The ideals, each at least as great as the one before."""
    steps = []
    below = dcg
    for ideal in ideals:
        below = at_least(below, ideal)
        steps.append(below)
    return steps
