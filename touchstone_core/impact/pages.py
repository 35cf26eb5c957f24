"""How two pages of the same queries differ, and how much any grades could change their difference."""

from dataclasses import dataclass

import numpy as np

from touchstone_core.impact.rbo import persistence, rbo
from touchstone_core.metrics.moves import common_documents, moves
from touchstone_core.metrics.types import Floats, Ints, Mask


@dataclass(frozen=True, slots=True, eq=False)
class PageChanges:
    """Differences of two pages of at most N documents; all arrays (Q,). `ceiling` is in NDCG-max, 0 to 1.

    Some grades reach the ceiling, but it is no forecast. With judgments, DifferenceBounds are tighter.
    """

    overlap: Floats  # documents on both, as a share of the longer page; 1 where both are empty
    first: Mask  # another document at rank 1
    order_only: Mask  # the same documents in another order
    documents: Mask  # other documents
    ceiling: Floats
    rbo: Floats

    @property
    def changed(self) -> Mask:
        return np.asarray(self.order_only | self.documents, dtype=np.bool_)


def page_changes(baseline: Ints, candidate: Ints, discount: Floats) -> PageChanges:
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
    return PageChanges(
        overlap=np.divide(common[:, -1], longer, out=np.ones(queries), where=longer > 0),
        first=baseline[:, 0] != candidate[:, 0],
        order_only=same_documents & (baseline != candidate).any(axis=1),
        documents=~same_documents,
        ceiling=np.maximum(rises, falls) / discount.sum(),
        rbo=rbo(common, *sizes, persistence(cutoff)),
    )
