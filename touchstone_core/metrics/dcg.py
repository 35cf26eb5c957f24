"""The measures made of gains and discounts: DCG, its ideals, and NDCG.

Every function gives one value per query (Q,). If `cutoff` is None, the whole ranking counts.
"""

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.gain import gains, top_gain
from touchstone_core.metrics.query_sums import at_least, divide_by_ideal, sum_discounted, sum_ideal
from touchstone_core.metrics.types import Floats, Mask


def dcg(run: JudgedRun, *, cutoff: int | None, gain: str, discount: str, base: float | None) -> Floats:
    """Järvelin & Kekäläinen 2002: the sum of gain · discount within the cutoff."""
    inside = _inside(run, cutoff)
    weights = discounts(discount, _length(run, cutoff), base)
    hit_gain = gains(run.hit_grade[inside], gain, run.scale)
    return sum_discounted(run.hit_query[inside], hit_gain, run.hit_rank[inside] - 1, weights, run.queries)


def cg(run: JudgedRun, *, cutoff: int | None, gain: str) -> Floats:
    """Järvelin & Kekäläinen 2000: the sum of the gains within the cutoff."""
    return dcg(run, cutoff=cutoff, gain=gain, discount="none", base=None)


def ideal_dcg(
    run: JudgedRun,
    *,
    cutoff: int | None,
    gain: str,
    discount: str,
    base: float | None,
    ideal: str,
    depth: int | None,
    top: float | None,
) -> Floats:
    """The greatest DCG that the ideal's documents could have."""
    uncut = ideal == "global-uncut"
    weights = discounts(discount, _length(run, None if uncut else cutoff), base)
    if ideal == "max":
        scale = run.scale.with_top(top)
        scale.check(run.judged_grade)
        # cumsum adds in the same order as bincount, so that a perfect ranking gets exactly this.
        return np.full(run.queries, np.cumsum(top_gain(gain, scale) * weights)[-1])
    if ideal in ("local", "recall"):
        inside = _inside(run, cutoff if ideal == "local" else depth)
        query, grade = run.hit_query[inside], run.hit_grade[inside]
    else:
        query, grade = run.judged_query, run.judged_grade
    limit = np.minimum(run.retrieved, len(weights)) if ideal == "global-hits" else None
    return sum_ideal(query, gains(grade, gain, run.scale), weights, run.queries, limit)


def ndcg(
    run: JudgedRun,
    *,
    cutoff: int | None,
    gain: str,
    discount: str,
    base: float | None,
    ideal: str,
    depth: int | None,
    top: float | None,
    zero: int | str,
) -> Floats:
    """DCG / ideal DCG, NaN where the ideal is 0 and `zero` is 'skip'."""
    total = dcg(run, cutoff=cutoff, gain=gain, discount=discount, base=base)
    best = at_least(
        total,
        ideal_dcg(
            run, cutoff=cutoff, gain=gain, discount=discount, base=base, ideal=ideal, depth=depth, top=top
        ),
    )
    return divide_by_ideal(
        total, best, zero=zero, answered=run.answered, some_gain=lambda: _has_gain(run, gain)
    )


def _has_gain(run: JudgedRun, gain: str) -> Mask:
    return np.bincount(run.judged_query, gains(run.judged_grade, gain, run.scale) > 0, run.queries) > 0


def _inside(run: JudgedRun, cutoff: int | None) -> Mask:
    return np.ones(len(run.hit_rank), dtype=np.bool_) if cutoff is None else run.hit_rank <= cutoff


def _length(run: JudgedRun, cutoff: int | None) -> int:
    """The cutoff, or else the length of the longest list of any query."""
    if cutoff is not None:
        return cutoff
    judged = np.bincount(run.judged_query)
    return int(max(run.retrieved.max(initial=0), judged.max(initial=0)))
