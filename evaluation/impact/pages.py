"""How two pages of one query differ, and how much any grades could make of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.impact.rbo import persistence, rbo
from evaluation.metrics.types import Floats


@dataclass(frozen=True, slots=True)
class PageChange:
    """Two pages of at most N documents. `ceiling` is in NDCG-max, 0 to 1.

    It is attained by some grades, and a ceiling, not a forecast: where the judged documents are known, DifferenceBounds
    are tighter.
    """

    overlap: float  # documents in both, as a share of N
    jaccard: float  # documents in both, as a share of those in either; 1 where both pages are empty
    first: bool  # another document at rank 1
    top_three: bool  # other documents, or another order, within rank 3
    order_only: bool  # the same documents in another order
    documents: bool  # other documents
    ceiling: float
    rbo: float

    @property
    def changed(self) -> bool:
        return self.order_only or self.documents


def page_change(baseline: Sequence[str], candidate: Sequence[str], discount: Floats) -> PageChange:
    """Of two rankings, best first, cut to the page where the discounts end (N of them, at least one).

    The ceiling is the greatest |difference| of NDCG-max over all grades: what rises, or what falls, whichever weighs more,
    divided by D(N). RBO is extrapolated, with the persistence that gives the page 90 % of the weight.
    """
    size = len(discount)
    old, new = list(baseline[:size]), list(candidate[:size])
    both, either = set(old) & set(new), set(old) | set(new)
    marks = discount.tolist()
    moved = dict(zip(new, marks, strict=False))
    for document, mark in zip(old, marks, strict=False):
        moved[document] = moved.get(document, 0.0) - mark
    rises = sum(change for change in moved.values() if change > 0)
    falls = -sum(change for change in moved.values() if change < 0)
    return PageChange(
        overlap=len(both) / size,
        jaccard=len(both) / len(either) if either else 1.0,
        first=old[:1] != new[:1],
        top_three=old[:3] != new[:3],
        order_only=old != new and len(both) == len(either),
        documents=len(both) < len(either),
        ceiling=max(rises, falls) / sum(marks),
        rbo=rbo(old, new, persistence(size)),
    )
