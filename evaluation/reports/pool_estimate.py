"""What runs outside the pool would reach if all were judged, and what the pool did for those inside. R runs, Q queries."""

from typing import Any, Final

import numpy as np

from evaluation.bounds import Pool, PooledPages, expected, pool_audit
from evaluation.metrics.errors import MetricsError
from evaluation.metrics.types import Mask
from evaluation.reports.evidence import Judged

POOLED: Final = 0.95
"""With at least this share of judged documents, by discount weight, a run that shows something counts as one that fed the pool."""
UNFAIR: Final = 0.02
"""Above this mean loss of a run that comes too late the pool is unfair to new runs."""
FEW_POOLED: Final = "Fewer than two of these runs are judged to 95 % or more, so that nothing tells what the others may bring."


def pool_estimate(judged: Judged) -> dict[str, Any]:
    """All in NDCG-max, of the runs of `judged`. `why` says why nothing is expected, where nothing is."""
    pages = PooledPages(judged.document, judged.gain, judged.formula.discounts(), judged.top)
    shown = pages.document >= 0
    pooled = _pooled(pages, shown)
    nothing: dict[str, Any] = {"pooled": pooled, "expected": [None] * len(pooled), "audit": None}
    if sum(pooled) < 2:
        return nothing | {"why": FEW_POOLED}
    inside = np.array(pooled)
    fed = PooledPages(pages.document[inside], pages.gain[inside], pages.discount, pages.top)
    audit = pool_audit(fed)
    told = nothing | {
        "audit": {"loss": audit.loss.tolist(), "only": audit.only.tolist(), "mean": audit.mean},
        "why": "",
    }
    if not inside.all():
        try:
            pool = Pool(fed)
        except MetricsError as error:
            return told | {"why": str(error)}
        told["expected"] = [
            None if pooled[place] else _expected(pages, shown, place, pool) for place in range(len(pooled))
        ]
    return told


def _pooled(pages: PooledPages, shown: Mask) -> list[bool]:
    weight = (shown @ pages.discount).sum(axis=1)
    known = (~np.isnan(pages.gain) @ pages.discount).sum(axis=1)
    return [bool(one > 0 and part >= POOLED * one) for one, part in zip(weight, known, strict=True)]


def _expected(pages: PooledPages, shown: Mask, place: int, pool: Pool) -> dict[str, Any]:
    gain = pages.gain[place]
    found = expected(np.nan_to_num(gain), shown[place] & np.isnan(gain), pool)
    return {"zero": found.zero, "value": found.value, "low": found.low, "high": found.high}
