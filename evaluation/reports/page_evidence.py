"""Two runs by their pages: what changed, and what unjudged documents could still change. Q queries, without a database."""

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, Final, Self

import numpy as np

from evaluation.bounds import difference_bounds, weights
from evaluation.impact import page_changes
from evaluation.metrics.arrays import JudgedRun
from evaluation.metrics.formula import Formula
from evaluation.metrics.gain import gains
from evaluation.metrics.types import Floats, Ints, Mask
from evaluation.significance.intervals import mean_of

COLUMNS: Final = {
    "changed": "changed",
    "changed at rank 1": "first",
    "order only": "new_order",
    "documents": "new_documents",
    "overlap": "overlap",
    "RBO": "rbo",
    "ceiling": "ceiling",
    "for the run": "for_candidate",
    "for the baseline": "for_baseline",
    "even": "even",
    "open": "open",
    "NDCG-max at least": "low",
    "NDCG-max at most": "high",
}
"""The names that `Evidence.counts` have in files."""


class Change(IntEnum):
    """How a query's page differs between two runs."""

    NONE = 0
    ORDER = 1
    DOCUMENTS = 2


class Standing(IntEnum):
    """Who wins a query in NDCG-max and NDCG-global whatever grades are missing."""

    BASELINE = -1
    EVEN = 0
    CANDIDATE = 1
    OPEN = 2


@dataclass(frozen=True, slots=True, eq=False)
class Impact:
    """How the pages of a candidate differ from the baseline's, query by query, before any grade is known; every array (Q,).

    `ceiling` is the greatest difference of NDCG-max that any grades could make.
    """

    change: Ints  # Change
    first: Mask  # another document at rank 1
    overlap: Floats
    rbo: Floats
    ceiling: Floats

    def of(self, kept: Mask) -> Self:
        """The same for some of the queries (Q,)."""
        return type(self)(*(getattr(self, field.name)[kept] for field in fields(self)))

    def impact(self) -> dict[str, Any]:
        """What changed, counted or averaged over the queries, of which there is at least one."""
        return {
            "changed": int((self.change != Change.NONE).sum()),
            "new_order": int((self.change == Change.ORDER).sum()),
            "new_documents": int((self.change == Change.DOCUMENTS).sum()),
            "first": int(self.first.sum()),
            "overlap": float(self.overlap.mean()),
            "rbo": float(self.rbo.mean()),
            "ceiling": float(self.ceiling.mean()),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Evidence(Impact):
    """The same with grades: `low` and `high` bound the difference of NDCG-max, whatever grades are missing."""

    standing: Ints  # Standing
    low: Floats
    high: Floats

    def counts(self) -> dict[str, Any]:
        """What changed, and what is settled, counted or averaged over the queries, of which there is at least one.

        `for_candidate`, `for_baseline`, `even` and `open` add up to the queries; the first two are decided.
        """
        return self.impact() | {
            "low": mean_of(self.low),
            "high": mean_of(self.high),
            "for_candidate": int((self.standing == Standing.CANDIDATE).sum()),
            "for_baseline": int((self.standing == Standing.BASELINE).sum()),
            "even": int((self.standing == Standing.EVEN).sum()),
            "open": int((self.standing == Standing.OPEN).sum()),
        }


def page_gains(run: JudgedRun, formula: Formula) -> Floats:
    """(Q, N) the gains on the pages of a run, NaN for an unjudged document and where nothing is shown."""
    found = np.full((run.queries, formula.cutoff), np.nan)
    page = run.hit_rank <= formula.cutoff
    found[run.hit_query[page], run.hit_rank[page] - 1] = gains(run.hit_grade[page], formula.gain, run.scale)
    return found


def impact(baseline: Ints, candidate: Ints, discount: Floats) -> Impact:
    """From two pages (Q, N) as `moves.numbered` gives them, and N discounts."""
    changes = page_changes(baseline, candidate, discount)
    return Impact(
        change=np.where(
            changes.documents, Change.DOCUMENTS, np.where(changes.order_only, Change.ORDER, Change.NONE)
        ),
        first=changes.first,
        overlap=changes.overlap,
        rbo=changes.rbo,
        ceiling=changes.ceiling,
    )


def evidence(document: Ints, gain: Floats, discount: Floats, top: float) -> Evidence:
    """From the pages of the baseline and the candidate (2, Q, N), as `moves.numbered` gives them, and the gains at their
    ranks, NaN for an unjudged document; N discounts, and the greatest gain that the scale allows."""
    old, new = document
    before = impact(old, new, discount)
    of = weights(old, new, gain[0], gain[1], discount)
    bound = difference_bounds(of, top=top, ideal=float(top * discount.sum()))
    standing = np.where(bound.for_candidate, Standing.CANDIDATE, Standing.EVEN)
    standing = np.where(bound.for_baseline, Standing.BASELINE, standing)
    return Evidence(
        change=before.change,
        first=before.first,
        overlap=before.overlap,
        rbo=before.rbo,
        ceiling=before.ceiling,
        standing=np.where(bound.open, Standing.OPEN, standing),
        low=bound.low,
        high=bound.high,
    )
