"""How far unjudged documents could change the difference of two runs: much less than two separate intervals suggest."""

from dataclasses import dataclass

import numpy as np

from touchstone_core.bounds.greatest import greatest_ratio
from touchstone_core.bounds.least import least_ratio
from touchstone_core.bounds.tops import Tops, falling, with_zero_ideal
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.moves import moves
from touchstone_core.metrics.query_sums import positions, sums
from touchstone_core.metrics.types import Floats, Ints, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The P documents that two pages show at different ranks, sorted by query.

    `weight` is the discount in the candidate minus that in the baseline; a document outside a page has 0 there. Documents with
    the same rank on both pages, or on neither, have no effect and no entry.
    """

    query: Ints  # (P,) index of the query, never falling
    weight: Floats  # (P,)
    gain: Floats  # (P,) NaN for an unjudged document
    queries: int


@dataclass(frozen=True, slots=True, eq=False)
class DifferenceBounds:
    """(Q,) the least and the greatest difference in NDCG-max, candidate minus baseline, and which queries are decided
    whatever grades are missing.

    Only the documents of both pages matter. The ideals global and max do not depend on the run, so their differences have the
    same sign and the three masks hold for both. A query without any difference is in none of the three.
    """

    low: Floats
    high: Floats
    for_candidate: Mask
    for_baseline: Mask
    open: Mask


def weights(
    baseline: Ints, candidate: Ints, baseline_gain: Floats, candidate_gain: Floats, discount: Floats
) -> Weights:
    """Compares two pages (Q, N) from `moves.number_documents`, with the gains at their ranks, NaN for an unjudged document.

    Raises MetricsError if the pages differ in their number of queries, or have not as many ranks as discounts.
    """
    if not baseline.shape == candidate.shape == (len(baseline), len(discount)):
        raise MetricsError("Both pages must be of the same queries, and as long as the discounts.")
    weight = moves(baseline, candidate, discount)
    query, place = np.nonzero(weight)
    gain = np.concatenate([candidate_gain, baseline_gain], axis=1)
    return Weights(query, weight[query, place], gain[query, place], len(baseline))


def difference_bounds(of: Weights, *, top: float, ideal: float) -> DifferenceBounds:
    """Bounds of the difference for all gains of unjudged documents from 0 to `top`; `ideal` is IDCG-max.

    A document that the candidate shows higher can only help it, one that it shows lower can only cost it. Some grades reach
    the bounds. If nothing is judged, they are ± the impact ceiling.
    """
    unjudged = np.isnan(of.gain)
    judged_sum = sums(of.query[~unjudged], (of.weight * of.gain)[~unjudged], of.queries)
    query, reach = of.query[unjudged], of.weight[unjudged] * top
    low = (judged_sum + sums(query, np.minimum(reach, 0.0), of.queries)) / ideal
    high = (judged_sum + sums(query, np.maximum(reach, 0.0), of.queries)) / ideal
    # Equal sums may differ in the last digits.
    slack = 1e-12
    has_unjudged = np.zeros(of.queries, dtype=np.bool_)
    has_unjudged[query] = True
    for_candidate, for_baseline = low > slack, high < -slack
    return DifferenceBounds(
        low=low,
        high=high,
        for_candidate=for_candidate,
        for_baseline=for_baseline,
        open=has_unjudged & ~for_candidate & ~for_baseline,
    )


@dataclass(frozen=True, slots=True, eq=False)
class GlobalBounds:
    """(Q,) the least and the greatest difference in NDCG-global, candidate minus baseline, over the grades of the universe.
    `any_low` and `any_high` hold even if there are unknown documents."""

    low: Floats
    high: Floats
    any_low: Floats
    any_high: Floats


def global_bounds(
    of: Weights, *, tops: Tops, unjudged: Ints, discount: Floats, top: float, at_zero: Floats
) -> GlobalBounds:
    """Bounds that some grades reach. `tops` are the best known gains of each query, `unjudged` (Q,) is the number of unjudged
    documents in the universe (see `touchstone_core.bounds.universe`), and `at_zero` (Q,) the difference if the ideal is 0, or NaN.

    The difference is a sum that is linear in the gains, divided by an ideal that is convex in them. If it can be above 0, its
    greatest value is computed like that of NDCG-global. If not, it is greatest when the ideal is. Then documents outside both
    pages have the top gain, and so change the difference.
    """
    query, weight = of.query, of.weight
    judged = ~np.isnan(of.gain)
    judged_sum = sums(query[judged], (weight * of.gain)[judged], of.queries)
    unjudged_weight = np.zeros((of.queries, 2 * len(discount)))
    unjudged_weight[query[~judged], positions(query[~judged])] = weight[~judged]
    ranks = len(discount)
    up, down = falling(unjudged_weight)[:, :ranks], falling(-unjudged_weight)[:, :ranks]
    elsewhere = np.maximum(unjudged - (unjudged_weight != 0).sum(axis=1), 0)
    high = _greatest(judged_sum, up, down, elsewhere, tops, discount, top)
    low = -_greatest(-judged_sum, down, up, elsewhere, tops, discount, top)
    low, high = map(np.nan_to_num, with_zero_ideal(low, high, tops, at_zero))
    # With a page of further documents of the top gain the ideal is that of NDCG-max, and no ideal is greater.
    best = top * discount.sum()
    least, most = (judged_sum - top * down.sum(axis=1)) / best, (judged_sum + top * up.sum(axis=1)) / best
    return GlobalBounds(
        low,
        high,
        any_low=np.where(least >= 0, np.minimum(least, low), low),
        any_high=np.where(most <= 0, np.maximum(most, high), high),
    )


def _greatest(
    judged_sum: Floats, up: Floats, down: Floats, elsewhere: Ints, tops: Tops, discount: Floats, top: float
) -> Floats:
    """(Q,) the greatest difference, NaN if the ideal is always 0. `up` and `down` (Q, N) are the weights of unjudged documents
    that raise or lower it."""
    greatest_sum = judged_sum + top * up.sum(axis=1)
    rises = greatest_sum > 0
    greatest = np.zeros(len(judged_sum))
    greatest[rises] = greatest_ratio(judged_sum[rises], up[rises], Tops(tops.gain[rises]), discount, top)
    falls = ~rises
    further = elsewhere[falls] + (up[falls] > 0).sum(axis=1)
    least = least_ratio(-greatest_sum[falls], down[falls], further, Tops(tops.gain[falls]), discount, top)
    greatest[falls] = -least
    return greatest
