"""How two pages of the same queries differ, and how much any grades could change their difference."""

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, Final, Self

import numpy as np

from touchstone_core.impact.rbo import persistence, rbo
from touchstone_core.metrics.moves import common_documents, moves
from touchstone_core.metrics.types import Floats, Ints, Mask


class Change(IntEnum):
    """How a query's page differs between two runs."""

    NONE = 0
    ORDER = 1
    DOCUMENTS = 2


CHANGES: Final = {Change.NONE: "same", Change.ORDER: "order", Change.DOCUMENTS: "documents"}


@dataclass(frozen=True, slots=True, eq=False)
class Impact:
    """How the pages of a candidate differ from the baseline's, query by query, before any grade is known; every array (Q,).

    `ceiling` is the greatest difference of NDCG-max, 0 to 1, that any grades could make. Some grades reach it, but it is no
    forecast. With judgments, DifferenceBounds are tighter.
    """

    change: Ints  # Change
    first: Mask  # another document at rank 1
    overlap: Floats  # documents on both pages, as a share of the longer one; 1 where both are empty
    rbo: Floats
    ceiling: Floats

    def of(self, mask: Mask) -> Self:
        """The same for some of the queries (Q,)."""
        return type(self)(*(getattr(self, field.name)[mask] for field in fields(self)))

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


def impact(baseline: Ints, candidate: Ints, discount: Floats) -> Impact:
    """Compares two pages (Q, N) from `moves.number_documents`, with N discounts, at least one.

    The ceiling is the greatest |difference| of NDCG-max over all grades: the weight of all rising documents, or of all falling
    ones if that is greater, divided by D(N). RBO is extrapolated, with 90 % of its weight on the page.
    """
    queries, cutoff = baseline.shape
    both = common_documents(baseline, candidate)
    met = np.maximum(both.baseline, both.candidate)  # the depth, from 0, at which both pages show it
    common = np.bincount(both.query * cutoff + met, minlength=queries * cutoff).reshape(queries, cutoff)
    common = np.cumsum(common, axis=1)
    sizes = (baseline >= 0).sum(axis=1), (candidate >= 0).sum(axis=1)
    longer = np.maximum(*sizes)
    same_documents = (common[:, -1] == sizes[0]) & (common[:, -1] == sizes[1])
    weight = moves(baseline, candidate, discount)
    rises, falls = np.maximum(weight, 0.0).sum(axis=1), -np.minimum(weight, 0.0).sum(axis=1)
    new_order = same_documents & (baseline != candidate).any(axis=1)
    return Impact(
        change=np.where(same_documents, np.where(new_order, Change.ORDER, Change.NONE), Change.DOCUMENTS),
        first=baseline[:, 0] != candidate[:, 0],
        overlap=np.divide(common[:, -1], longer, out=np.ones(queries), where=longer > 0),
        rbo=rbo(common, *sizes, persistence(cutoff)),
        ceiling=np.maximum(rises, falls) / discount.sum(),
    )
