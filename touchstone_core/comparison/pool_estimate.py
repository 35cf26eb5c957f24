"""What runs outside the pool would reach if all were judged, and what the pool did for those inside. R runs, Q queries."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import compress
from typing import Any, Final

import numpy as np

from touchstone_core.bounds.estimates import Pool, PooledPages, estimate, estimate_difference, pool_audit
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.types import Mask
from touchstone_core.significance.planning import SIGNIFICANCE

POOL_SHARE: Final = 0.95
"""With at least this share of judged documents, by discount weight, a run that shows something counts as one that fed the pool."""
MOST_NAMES: Final = 20
"""At most so many runs of the pool are named."""
UNFAIR: Final = 0.02
"""Above this mean loss of a run that comes too late the pool is unfair to new runs."""
FEW_POOLED: Final = (
    "Fewer than two runs are judged to 95 % or more, so that nothing tells what the others may bring."
)


def pool_estimate(pages: PooledPages, compared: int, *, left_out: int = 0) -> dict[str, Any]:
    """All in NDCG-max. `pages` are of the runs that are compared, the baseline first, and then of the others that may have fed
    the pool; `left_out` of these are too many to be read.

    `names` are of the first runs that fed the pool. `pooled`, `expected` and the audit's `loss` and `only` are of the runs that are
    compared; `differences` of each but the baseline, with bands that hold together at 95 %. `why` says why nothing is expected,
    where nothing is.
    """
    shown = pages.document >= 0
    inside = _in_pool(pages, shown)
    result: dict[str, Any] = {
        "pooled": inside[:compared].tolist(),
        "runs": len(inside),
        "fed": int(inside.sum()),
        "names": list(compress(pages.names, inside))[:MOST_NAMES],
        "left_out": left_out,
        "expected": [None] * compared,
        "differences": [None] * (compared - 1),
        "audit": None,
        "why": "",
    }
    if inside.sum() < 2:
        return result | {"why": FEW_POOLED}
    pool_runs = PooledPages(pages.document[inside], pages.gain[inside], pages.discount, pages.top)
    result["audit"] = _audit(pool_runs, result["pooled"])
    try:
        pool = Pool(pool_runs)
    except MetricsError as error:
        return result | {"why": str(error)}
    gain, unjudged = np.nan_to_num(pages.gain[:compared]), (shown & np.isnan(pages.gain))[:compared]
    own = pool.own(pages.document[:compared])
    for place in np.flatnonzero(~inside[:compared]).tolist():
        outside = estimate(gain[place], unjudged[place], pool, own=own[place])
        result["expected"][place] = asdict(outside)
    level = 1 - SIGNIFICANCE / max(compared - 1, 1)
    for place in range(1, compared):
        pair = [0, place]
        difference = estimate_difference(gain[pair], unjudged[pair], pool, own=own[pair], level=level)
        result["differences"][place - 1] = asdict(difference)
    return result


def expected_beside(pool: dict[str, Any], coverage: Sequence[float], place: int) -> dict[str, Any]:
    """What a verdict reads of the pool: how much of each page is judged, and the difference to expect if all were; `place`
    is that of a run behind the baseline, and `coverage` that of each run."""
    difference = pool["differences"][place - 1] or {"value": None, "low": None, "high": None, "beyond": False}
    return {
        "baseline_coverage": coverage[0],
        "coverage": coverage[place],
        **{f"expected_{name}": number for name, number in difference.items()},
    }


def _audit(pages: PooledPages, flags: Sequence[bool]) -> dict[str, Any]:
    """The runs that are compared stand first in the pool, too."""
    audit, seat, loss, only = pool_audit(pages), 0, [], []
    for inside in flags:
        loss.append(float(audit.loss[seat]) if inside else None)
        only.append(int(audit.only[seat]) if inside else None)
        seat += inside
    return {"loss": loss, "only": only, "mean": audit.mean}


def _in_pool(pages: PooledPages, shown: Mask) -> Mask:
    weight = (shown @ pages.discount).sum(axis=1)
    judged_weight = (~np.isnan(pages.gain) @ pages.discount).sum(axis=1)
    return np.asarray((weight > 0) & (judged_weight >= POOL_SHARE * weight), dtype=np.bool_)
