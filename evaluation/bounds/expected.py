"""What a run that did not feed the pool would score if everything were judged: an estimate with an honest band.

Counting unjudged documents as 0 under-rates such a run. An unjudged document is taken to be like a document that only one
pooled run found: “leave one run out” (Zobel 1998; Webber & Park, SIGIR 2009, adjust scores that way). Everything here is
in NDCG-max, which is linear in the gains. R runs, Q queries, N ranks.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy import stats

from evaluation.metrics.errors import MetricsError
from evaluation.metrics.types import Floats, Ints, Mask

_PRIOR_WEIGHT: Final = 10.0  # so many documents of the overall mean are added to every rank
_NORMAL_90: Final = 1.645
_LEAST_POOLED: Final = 2
_LEAST_FOR_BAND: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class PooledPages:
    """The pages of the runs that fed the pool. A document has one number per query, the same in every run."""

    document: Ints  # (R, Q, N) the document's number; negative where nothing is shown
    gain: Floats  # (R, Q, N) NaN for an unjudged document and where nothing is shown
    discount: Floats  # (N,)
    top: float  # the greatest gain that the scale allows

    def without(self, run: int) -> "PooledPages":
        """The others."""
        kept = np.arange(len(self.document)) != run
        return PooledPages(self.document[kept], self.gain[kept], self.discount, self.top)

    def alone(self) -> Mask:
        """(R, Q, N) where a judged document is on the page of this run only."""
        runs, queries, ranks = self.document.shape
        # Empty ranks have a number of their own in each query, so that they are no document of another one.
        key = self.document + 1 + np.arange(queries)[:, None] * (self.document.max(initial=0) + 2)
        _, at, counts = np.unique(key, return_inverse=True, return_counts=True)
        once = (counts == 1)[at].reshape(runs, queries, ranks)
        return np.asarray(once & (self.document >= 0) & ~np.isnan(self.gain), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """What an unjudged document of some rank is worth: (N,) mean and variance of its gain, and how many it is from."""

    mean: Floats
    variance: Floats
    documents: int


class Pool:
    """What the runs that fed the pool tell of others, worked out once for however many.

    Raises MetricsError for fewer than two runs, and where no document was found by one run only.
    """

    def __init__(self, pages: PooledPages) -> None:
        self.pages = pages
        self._alone = pages.alone()
        self.prior = _prior(pages, self._alone)

    @cached_property
    def misses(self) -> list[float]:
        """How far each pooled run lay from what the others predict, squared, for a page without any judged weight.

        Empty for fewer than three runs.
        """
        pages, misses = self.pages, []
        for run in range(len(pages.document) if len(pages.document) >= _LEAST_FOR_BAND else 0):
            alone, others = self._alone[run], pages.without(run)
            of_others = others.alone()
            if not (alone.any() and of_others.any()):
                continue
            gain = np.nan_to_num(pages.gain[run])
            known = np.where(alone, 0.0, gain)
            _, value, share, _ = _predicted(known, alone, _prior(others, of_others), pages)
            truth = float((gain @ pages.discount).mean() / _ideal(pages))
            misses.append(((truth - value) / share) ** 2)
        return misses


@dataclass(frozen=True, slots=True)
class Expected:
    """The mean NDCG-max over the queries; `zero` with unjudged documents counted as 0.

    `low` and `high` are a 90 % band; None where nothing tells how runs differ, as with fewer than three pooled ones.
    """

    zero: float
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, eq=False)
class PoolAudit:
    """What each pooled run would have lost had it come too late to feed the pool, as mean NDCG-max: (R,)."""

    loss: Floats
    only: Ints  # judged documents that no other run brought in

    @property
    def mean(self) -> float:
        """What a new run would lose here on average. Above .02 the pool is unfair to new runs."""
        return float(self.loss.mean())


def _prior(pooled: PooledPages, alone: Mask) -> Prior:
    """The gains of judged documents that only one run shows, by rank, shrunk to their common mean.

    Raises MetricsError for fewer than two runs, and where no document was found by one run only.
    """
    if len(pooled.document) < _LEAST_POOLED:
        raise MetricsError("An expected value needs at least two runs that fed the pool.")
    found = pooled.gain[alone]
    if not found.size:
        raise MetricsError(
            "No judged document was found by one run only, so that nothing tells what others may bring."
        )
    rank = np.nonzero(alone)[2]
    ranks = len(pooled.discount)
    counts = np.bincount(rank, minlength=ranks) + _PRIOR_WEIGHT
    mean = (np.bincount(rank, found, ranks) + _PRIOR_WEIGHT * found.mean()) / counts
    squares = np.bincount(rank, (found - mean[rank]) ** 2, ranks)
    return Prior(mean, (squares + _PRIOR_WEIGHT * found.var()) / counts, found.size)


def expected(gain: Floats, unjudged: Mask, pool: Pool) -> Expected:
    """Of a run with these pages: `gain` (Q, N), 0 where nothing is judged, and what is `unjudged` (Q, N).

    The band adds to the spread of grades that of the runs themselves: how far each pooled run lay from what the others
    predict of it, for its share of unjudged weight.
    """
    zero, value, share, spread = _predicted(gain, unjudged, pool.prior, pool.pages)
    if not share:
        return Expected(zero, value, value, value)
    if not pool.misses:
        return Expected(zero, value, None, None)
    between = share * float(np.sqrt(np.mean(pool.misses)))
    between *= float(stats.t.ppf(0.95, len(pool.pages.document)))
    width = float(np.hypot(_NORMAL_90 * spread, between))
    return Expected(zero, value, max(0.0, value - width), min(1.0, value + width))


def pool_audit(pooled: PooledPages) -> PoolAudit:
    """Takes from each run the judgments that only it brought in, and looks what it loses."""
    alone = pooled.alone()
    lost = np.where(alone, pooled.gain, 0.0) @ pooled.discount / _ideal(pooled)
    return PoolAudit(loss=np.asarray(lost.mean(axis=1)), only=alone.sum(axis=(1, 2)))


def _predicted(
    gain: Floats, unjudged: Mask, prior: Prior, pooled: PooledPages
) -> tuple[float, float, float, float]:
    """Mean NDCG-max with 0 and with the prior for what is unjudged, the share of weight so filled, its standard error."""
    ideal, queries = _ideal(pooled), len(gain)
    zero = float((gain @ pooled.discount).mean() / ideal)
    added = float((unjudged @ (pooled.discount * prior.mean)).mean() / ideal)
    share = float((unjudged @ pooled.discount).mean() / pooled.discount.sum())
    variance = float((unjudged @ (pooled.discount**2 * prior.variance)).sum() / (queries * ideal) ** 2)
    return zero, zero + added, share, float(np.sqrt(variance))


def _ideal(pooled: PooledPages) -> float:
    return float(pooled.top * pooled.discount.sum())
