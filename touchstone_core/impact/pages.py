"""How two pages of the same queries differ, and how much any grades could make of it."""

from dataclasses import dataclass

import numpy as np

from touchstone_core.impact.rbo import persistence, rbo
from touchstone_core.metrics.moves import common_documents, moves
from touchstone_core.metrics.types import Floats, Ints, Mask


@dataclass(frozen=True, slots=True, eq=False)
class PageChanges:
    """Two pages of at most N documents, query by query; every array (Q,). `ceiling` is in NDCG-max, 0 to 1.

    It is attained by some grades, and a ceiling, not a forecast: where the judged documents are known, DifferenceBounds
    are tighter.
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
    """Of two pages (Q, N) as `moves.number_documents` gives them, N discounts, at least one.

    The ceiling is the greatest |difference| of NDCG-max over all grades: what rises, or what falls, whichever weighs more,
    divided by D(N). RBO is extrapolated, with the persistence that gives the page 90 % of the weight.
    """
    queries, cutoff = baseline.shape
    both = common_documents(baseline, candidate)
    met = np.maximum(both.baseline, both.candidate)  # the depth, from 0, at which both pages have shown it
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
