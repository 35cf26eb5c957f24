"""How far unjudged documents could change the difference of two runs: far less than two intervals suggest."""

from dataclasses import dataclass

import numpy as np

from evaluation.metrics.discounted import sums
from evaluation.metrics.errors import MetricsError
from evaluation.metrics.moves import moves
from evaluation.metrics.types import Floats, Ints, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The documents that two pages show at different ranks: P of them, by query.

    `weight` is the discount in the candidate less that in the baseline; a document outside a page has a discount of 0 there.
    Documents at the same rank in both, or outside both, decide nothing and have no entry.
    """

    query: Ints  # (P,) index of the query, never falling
    weight: Floats  # (P,)
    gain: Floats  # (P,) NaN for an unjudged document
    queries: int


@dataclass(frozen=True, slots=True, eq=False)
class DifferenceBounds:
    """(Q,) candidate minus baseline in NDCG-max, at least and at most; and what is decided whatever grades are missing.

    The sign of the difference in NDCG-global is that of NDCG-max, as both divide DCG by what does not depend on the run; so
    the three masks hold for both. A query in which nothing differs is none of the three.
    """

    low: Floats
    high: Floats
    for_candidate: Mask
    for_baseline: Mask
    open: Mask


def weights(
    baseline: Ints, candidate: Ints, baseline_gain: Floats, candidate_gain: Floats, discount: Floats
) -> Weights:
    """From two pages (Q, N) as `moves.numbered` gives them, and the gains at their ranks, NaN for an unjudged document.

    Raises MetricsError where the pages do not have the same number of queries, or another number of ranks than discounts.
    """
    if not baseline.shape == candidate.shape == (len(baseline), len(discount)):
        raise MetricsError("Both pages must be of the same queries, and as long as the discounts.")
    weight = moves(baseline, candidate, discount)
    query, place = np.nonzero(weight)
    gain = np.concatenate([candidate_gain, baseline_gain], axis=1)
    return Weights(query, weight[query, place], gain[query, place], len(baseline))


def difference_bounds(of: Weights, *, top: float, ideal: float) -> DifferenceBounds:
    """Bounds of the difference whatever the unjudged documents are worth, from 0 to `top`; `ideal` is IDCG-max.

    A document that the candidate shows higher can only help it, one that it shows lower can only cost it; the bounds are
    attained. Where nothing is judged they are ± the impact ceiling.
    """
    unjudged = np.isnan(of.gain)
    settled = sums(of.query[~unjudged], (of.weight * of.gain)[~unjudged], of.queries)
    opened = of.query[unjudged], of.weight[unjudged] * top
    low = (settled + sums(opened[0], np.minimum(opened[1], 0.0), of.queries)) / ideal
    high = (settled + sums(opened[0], np.maximum(opened[1], 0.0), of.queries)) / ideal
    # Sums that are equal in theory may differ in the last digits.
    slack = 1e-12
    touched = np.zeros(of.queries, dtype=np.bool_)
    touched[of.query[unjudged]] = True
    for_candidate, for_baseline = low > slack, high < -slack
    return DifferenceBounds(
        low=low,
        high=high,
        for_candidate=for_candidate,
        for_baseline=for_baseline,
        open=touched & ~for_candidate & ~for_baseline,
    )
