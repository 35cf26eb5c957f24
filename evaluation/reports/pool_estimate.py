"""What runs outside the pool would reach if all were judged, and what the pool did for those inside. R runs, Q queries."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from evaluation.bounds import PooledPages, expected, pool_audit
from evaluation.metrics.errors import MetricsError
from evaluation.metrics.gain import top_gain
from evaluation.metrics.types import Mask
from evaluation.models import Run
from evaluation.reports.evidence import Judged

POOLED: Final = 0.95
"""With at least this share of judged documents, by discount weight, a run that shows something counts as one that fed the pool."""
UNFAIR: Final = 0.02
"""Above this mean loss of a run that comes too late the pool is unfair to new runs."""
FEW_POOLED: Final = "Fewer than two of these runs are judged to 95 % or more, so that nothing tells what the others may bring."


def pool_estimate(judged: Judged, runs: Sequence[Run]) -> dict[str, Any]:
    """All in NDCG-max. `why` says why nothing is expected, where nothing is. Two statements for each run."""
    pages, shown = pages_of(judged, runs)
    pooled = _pooled(pages, shown)
    nothing: dict[str, Any] = {"pooled": pooled, "expected": [None] * len(runs), "audit": None}
    if sum(pooled) < 2:
        return nothing | {"why": FEW_POOLED}
    inside = np.array(pooled)
    pool = PooledPages(pages.document[inside], pages.gain[inside], pages.discount, pages.top)
    audit = pool_audit(pool)
    told = nothing | {
        "audit": {"loss": audit.loss.tolist(), "only": audit.only.tolist(), "mean": audit.mean},
        "why": "",
    }
    try:
        told["expected"] = [
            None if pooled[place] else _expected(pages, shown, place, pool) for place in range(len(runs))
        ]
    except MetricsError as error:
        told["why"] = str(error)
    return told


def _pooled(pages: PooledPages, shown: Mask) -> list[bool]:
    weight = (shown @ pages.discount).sum(axis=1)
    known = (~np.isnan(pages.gain) @ pages.discount).sum(axis=1)
    return [bool(one > 0 and part >= POOLED * one) for one, part in zip(weight, known, strict=True)]


def _expected(pages: PooledPages, shown: Mask, place: int, pool: PooledPages) -> dict[str, Any]:
    gain = pages.gain[place]
    found = expected(np.nan_to_num(gain), shown[place] & np.isnan(gain), pool)
    return {"zero": found.zero, "value": found.value, "low": found.low, "high": found.high}


def pages_of(judged: Judged, runs: Sequence[Run]) -> tuple[PooledPages, Mask]:
    """The pages of all runs, and (R, Q, N) where they show a document."""
    pages = [judged.pages(run) for run in runs]
    known = judged.known([judged.run(run) for run in runs], pages)
    cutoff = judged.formula.cutoff
    document = np.full((len(runs), len(judged.queries), cutoff), -1, dtype=np.int64)
    gain = np.full(document.shape, np.nan)
    for query, gains in enumerate(known):
        numbers: dict[str, int] = {}
        for place, of_run in enumerate(pages):
            for rank, name in enumerate(of_run[query]):
                document[place, query, rank] = numbers.setdefault(name, len(numbers))
                gain[place, query, rank] = gains.get(name, np.nan)
    top = top_gain(judged.formula.gain, judged.scale)
    return PooledPages(document, gain, judged.formula.discounts(), float(top)), document >= 0
