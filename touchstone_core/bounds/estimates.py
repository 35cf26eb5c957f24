"""What a run that did not feed the pool would score if everything were judged: an estimate with an honest band.

Counting unjudged documents as 0 under-rates such a run. An unjudged document is taken to be like a document that only one
pooled run found: “leave one run out” (Zobel 1998; Webber & Park, SIGIR 2009, adjust scores that way). Everything here is
in NDCG-max, which is linear in the gains. R runs, Q queries, N ranks.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.types import Floats, Ints, Mask

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

    def alone(self) -> Mask:
        """(R, Q, N) where a judged document is on the page of this run only."""
        _, shown_by = self.shared()
        return np.asarray(self._judged & (shown_by == 1), dtype=np.bool_)

    def shared(self) -> tuple[Ints, Ints]:
        """(R, Q, N) a number for each document of each query, and how many runs show it."""
        queries = self.document.shape[1]
        # Empty ranks have a number of their own in each query, so that they are no document of another one.
        key = self.document + 1 + np.arange(queries)[:, None] * (self.document.max(initial=0) + 2)
        _, at, counts = np.unique(key, return_inverse=True, return_counts=True)
        return at.reshape(key.shape), counts[at].reshape(key.shape)

    @property
    def _judged(self) -> Mask:
        return np.asarray((self.document >= 0) & ~np.isnan(self.gain), dtype=np.bool_)

    def partners(self) -> "Partners":
        """What becomes a document of one run only when another run is taken out: each judged document that two runs show."""
        at, shown_by = self.shared()
        place = np.flatnonzero(self._judged & (shown_by == 2))
        pairs = place[np.argsort(at.ravel()[place], kind="stable")].reshape(-1, 2)
        of_run, rank = pairs // self.document[0].size, pairs % self.document.shape[2]
        # The one that stays has the document at its own rank.
        return Partners(of_run[:, ::-1].ravel(), rank.ravel(), self.gain.ravel()[pairs].ravel())


class Partners(NamedTuple):
    """(P,) the run that is taken out, and rank, from 0, and gain of a document that only one run is left to show."""

    run: Ints
    rank: Ints
    gain: Floats


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
        pages, runs = self.pages, len(self.pages.document)
        if runs < _LEAST_FOR_BAND:
            return []
        counts, sums = self._of_others()
        misses = []
        for run in range(runs):
            alone = self._alone[run]
            if not alone.any() or not counts[run].any():
                continue
            gain = np.nan_to_num(pages.gain[run])
            mean = _shrunk(counts[run], sums[run])
            miss = np.where(alone, gain - mean, 0.0) @ pages.discount
            share = (alone @ pages.discount).mean() / pages.discount.sum()
            misses.append(float((miss.mean() / _ideal(pages) / share) ** 2))
        return misses

    @property
    def between(self) -> float:
        """How far a run lies from what the others predict, for a page without any judged weight; 0 without `misses`."""
        return float(np.sqrt(np.mean(self.misses))) if self.misses else 0.0

    @cached_property
    def usual_alone(self) -> float:
        """The share of its pages' weight that a pooled run brought alone, on average: how much the others are known to miss of a run.

        Runs unlike the pool miss more, and their unjudged documents are better than those that only one of many similar runs found.
        """
        return float((self._alone @ self.pages.discount).mean() / self.pages.discount.sum())

    def _of_others(self) -> tuple[Floats, Floats]:
        """(R, N) without each run: the judged documents at each rank that only one of the others shows, and their gains, summed."""
        runs, _, ranks = self.pages.document.shape
        run, _, rank = np.nonzero(self._alone)
        partners = self.pages.partners()

        def by_rank(weights: Floats | None, partner_gain: Floats | None) -> Floats:
            own = np.bincount(run * ranks + rank, weights, runs * ranks).reshape(runs, ranks)
            others = np.bincount(partners.run * ranks + partners.rank, partner_gain, runs * ranks).reshape(
                runs, ranks
            )
            return np.asarray(own.sum(axis=0) - own + others, dtype=np.float64)

        return by_rank(None, None), by_rank(self.pages.gain[self._alone], partners.gain)


@dataclass(frozen=True, slots=True)
class Estimate:
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


def _prior(pages: PooledPages, alone: Mask) -> Prior:
    """The gains of judged documents that only one run shows, by rank, shrunk to their common mean.

    Raises MetricsError for fewer than two runs, and where no document was found by one run only.
    """
    if len(pages.document) < _LEAST_POOLED:
        raise MetricsError("An expected value needs at least two runs that fed the pool.")
    gain = pages.gain[alone]
    if not gain.size:
        raise MetricsError(
            "No judged document was found by one run only, so that nothing tells what others may bring."
        )
    rank = np.nonzero(alone)[2]
    ranks = len(pages.discount)
    counts = np.bincount(rank, minlength=ranks) + _PRIOR_WEIGHT
    mean = _shrunk(np.bincount(rank, minlength=ranks), np.bincount(rank, gain, ranks))
    squares = np.bincount(rank, (gain - mean[rank]) ** 2, ranks)
    return Prior(mean, (squares + _PRIOR_WEIGHT * gain.var()) / counts, gain.size)


def _shrunk(counts: Floats | Ints, sums: Floats | Ints) -> Floats:
    """(N,) means by rank, each with _PRIOR_WEIGHT documents of the common mean."""
    return np.asarray((sums + _PRIOR_WEIGHT * sums.sum() / counts.sum()) / (counts + _PRIOR_WEIGHT))


def estimate(gain: Floats, unjudged: Mask, pool: Pool) -> Estimate:
    """Of a run with these pages: `gain` (Q, N), 0 where nothing is judged, and what is `unjudged` (Q, N).

    The band adds to the spread of grades that of the runs themselves: how far each pooled run lay from what the others
    predict of it, for its share of unjudged weight.
    """
    prediction = _predict(gain, unjudged, pool)
    zero, value = float(prediction.zero.mean()), float(prediction.value.mean())
    if not prediction.share:
        return Estimate(zero, value, value, value)
    if not pool.misses:
        return Estimate(zero, value, None, None)
    between = prediction.share * pool.between * float(stats.t.ppf(0.95, len(pool.pages.document)))
    width = float(np.hypot(_NORMAL_90 * prediction.spread, between))
    return Estimate(zero, value, max(0.0, value - width), min(1.0, value + width))


@dataclass(frozen=True, slots=True)
class DifferenceEstimate:
    """Candidate minus baseline in mean NDCG-max if everything were judged; a band of the level that was asked for, or None
    where nothing tells how runs differ. `beyond`: more is missing than a pooled run brings alone on average, so that no band is known."""

    value: float
    low: float | None
    high: float | None
    beyond: bool = False


def estimate_difference(
    gain: Floats, unjudged: Mask, pool: Pool, *, level: float = 0.95
) -> DifferenceEstimate:
    """Of a baseline and a candidate: both arrays (2, Q, N), as for `expected`.

    The band holds what the grades, the runs and the choice of the queries leave open, so that what it excludes is more than
    noise, too. What both runs are missing is taken to err for each by itself, which makes the band wider than it need be.
    """
    old, new = (_predict(*of, pool) for of in zip(gain, unjudged, strict=True))
    differences = new.value - old.value
    value = float(differences.mean())
    queries = len(differences)
    share = float(np.hypot(old.share, new.share))
    if max(old.share, new.share) > pool.usual_alone:
        return DifferenceEstimate(value, None, None, beyond=True)
    if queries < 2 or (share and not pool.misses):
        return DifferenceEstimate(value, None, None)
    quantile = (1 + level) / 2
    grades = float(stats.norm.ppf(quantile)) * float(np.hypot(old.spread, new.spread))
    between = share * pool.between * float(stats.t.ppf(quantile, len(pool.pages.document)))
    sampling = float(stats.t.ppf(quantile, queries - 1)) * float(differences.std(ddof=1)) / np.sqrt(queries)
    width = float(np.sqrt(grades**2 + between**2 + sampling**2))
    return DifferenceEstimate(value, max(-1.0, value - width), min(1.0, value + width))


def pool_audit(pages: PooledPages) -> PoolAudit:
    """Takes from each run the judgments that only it brought in, and looks what it loses."""
    alone = pages.alone()
    loss = np.where(alone, pages.gain, 0.0) @ pages.discount / _ideal(pages)
    return PoolAudit(loss=np.asarray(loss.mean(axis=1)), only=alone.sum(axis=(1, 2)))


class _Prediction(NamedTuple):
    """(Q,) NDCG-max with 0 and with the prior for what is unjudged; the mean share of weight so filled, and the standard error
    of the mean."""

    zero: Floats
    value: Floats
    share: float
    spread: float


def _predict(gain: Floats, unjudged: Mask, pool: Pool) -> _Prediction:
    discount, ideal, prior = pool.pages.discount, _ideal(pool.pages), pool.prior
    zero = gain @ discount / ideal
    variance = float((unjudged @ (discount**2 * prior.variance)).sum() / (len(gain) * ideal) ** 2)
    return _Prediction(
        zero=zero,
        value=zero + unjudged @ (discount * prior.mean) / ideal,
        share=float((unjudged @ discount).mean() / discount.sum()),
        spread=float(np.sqrt(variance)),
    )


def _ideal(pages: PooledPages) -> float:
    return float(pages.top * pages.discount.sum())
