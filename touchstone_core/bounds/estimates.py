"""Estimates what a run that did not feed the pool would score if everything were judged, with a band.

Counting unjudged documents as 0 underrates such a run. Instead, an unjudged document counts like the judged documents that
only one pooled run retrieved: “leave one run out” (Zobel 1998; Webber & Park, SIGIR 2009, adjust scores in the same way).
All values are in NDCG-max, which is linear in the gains. R runs, Q queries, N ranks.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.types import Floats, Ints, Mask

_PRIOR_WEIGHT: Final = 10.0  # so many documents with the overall mean are added to every rank
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
    names: tuple[str, ...] = ()  # (R,) where the runs have names

    def alone(self) -> Mask:
        """(R, Q, N) judged documents that only this run shows."""
        _, shown_by = self.count_runs()
        return np.asarray(self._judged & (shown_by == 1), dtype=np.bool_)

    def count_runs(self) -> tuple[Ints, Ints]:
        """(R, Q, N) a number for each document of each query, and the number of runs that show it."""
        queries = self.document.shape[1]
        # Empty ranks have a different number in each query, so that queries do not share them.
        key = self.document + 1 + np.arange(queries)[:, None] * (self.document.max(initial=0) + 2)
        _, at, counts = np.unique(key, return_inverse=True, return_counts=True)
        return at.reshape(key.shape), counts[at].reshape(key.shape)

    @property
    def _judged(self) -> Mask:
        return np.asarray((self.document >= 0) & ~np.isnan(self.gain), dtype=np.bool_)

    def partners(self) -> "Partners":
        """Judged documents that two runs show. If one of these runs is left out, only the other one shows the document."""
        at, shown_by = self.count_runs()
        place = np.flatnonzero(self._judged & (shown_by == 2))
        pairs = place[np.argsort(at.ravel()[place], kind="stable")].reshape(-1, 2)
        of_run, rank = pairs // self.document[0].size, pairs % self.document.shape[2]
        # The other run of each pair is the one left out.
        return Partners(of_run[:, ::-1].ravel(), rank.ravel(), self.gain.ravel()[pairs].ravel())


class Partners(NamedTuple):
    """(P,) the run that is left out, and the rank, from 0, and gain of a document that only one other run shows."""

    run: Ints
    rank: Ints
    gain: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """(N,) the expected gain of an unjudged document by rank, its variance, and the number of documents behind it."""

    mean: Floats
    variance: Floats
    documents: int


class Pool:
    """What the pooled runs say about other runs, computed once for all of these.

    Raises MetricsError for fewer than two runs, and if no document was retrieved by one run only.
    """

    def __init__(self, pages: PooledPages) -> None:
        self.pages = pages
        self._alone = pages.alone()
        self.prior = _prior(pages, self._alone)

    @cached_property
    def misses(self) -> list[float]:
        """The squared errors of predicting each pooled run from the others, scaled to a page without judgments.

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
        """The standard error of predicting a page without judgments from other runs; 0 without `misses`."""
        return float(np.sqrt(np.mean(self.misses))) if self.misses else 0.0

    @cached_property
    def usual_alone(self) -> float:
        """The mean share of a pooled run's discounts that belongs to documents of this run only.

        Runs unlike the pool have more documents of their own, and better ones than those that only one of many similar runs
        retrieved. So nothing tells what theirs are worth, however many of them are judged.
        """
        return float((self._alone @ self.pages.discount).mean() / self.pages.discount.sum())

    def own(self, document: Ints) -> Mask:
        """(…, Q, N) which of the documents that other runs show are on no pooled run's page."""
        pooled = self.pages.document
        numbers = max(document.max(initial=0), pooled.max(initial=0)) + 1
        of_query = np.arange(pooled.shape[1])[:, None] * numbers
        found = np.isin(document + of_query, (pooled + of_query)[pooled >= 0])
        return np.asarray((document >= 0) & ~found, dtype=np.bool_)

    def _of_others(self) -> tuple[Floats, Floats]:
        """(R, N) with each run left out: how many judged documents only one other run shows at each rank, and the sum of their gains."""
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
    """The mean NDCG-max over the queries; `zero` if unjudged documents count as 0.

    `low` and `high` are a 90 % band, None if we don't know how runs differ, for example with fewer than three pooled runs.
    `beyond`: the run has more documents of its own than a pooled run has on average, so there is no band, and the value is
    likely too low.
    """

    zero: float
    value: float
    low: float | None
    high: float | None
    beyond: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PoolAudit:
    """How much mean NDCG-max each pooled run would lose if it had not fed the pool (R,)."""

    loss: Floats
    only: Ints  # judged documents that no other run retrieved

    @property
    def mean(self) -> float:
        """What a new run would lose on average. Above 0.02 the pool is unfair to new runs."""
        return float(self.loss.mean())


def _prior(pages: PooledPages, alone: Mask) -> Prior:
    """The gains by rank of judged documents that only one run shows, shrunk towards their common mean.

    Raises MetricsError for fewer than two runs, and if no document was retrieved by one run only.
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
    """(N,) means by rank, each with _PRIOR_WEIGHT documents of the common mean added."""
    return np.asarray((sums + _PRIOR_WEIGHT * sums.sum() / counts.sum()) / (counts + _PRIOR_WEIGHT))


def estimate(gain: Floats, unjudged: Mask, pool: Pool, *, own: Mask | None = None) -> Estimate:
    """Estimates a run from its pages: `gain` (Q, N), 0 for unjudged documents, and which are `unjudged` (Q, N).

    `own` (Q, N) are the documents that no pooled run shows (`Pool.own`), by default the unjudged ones. The band includes the
    spread of grades, and the error of predicting a run from others, in proportion to its share of unjudged discounts.
    """
    prediction = _predict(gain, unjudged, pool, unjudged if own is None else own)
    zero, value = float(prediction.zero.mean()), float(prediction.value.mean())
    if not prediction.share:
        return Estimate(zero, value, value, value)
    if prediction.beyond:
        return Estimate(zero, value, None, None, beyond=True)
    if not pool.misses:
        return Estimate(zero, value, None, None)
    between = prediction.share * pool.between * float(stdtrit(len(pool.pages.document), 0.95))
    width = float(np.hypot(_NORMAL_90 * prediction.spread, between))
    # No grade brings it below `zero`, or gains more than all that is unjudged.
    return Estimate(zero, value, max(zero, value - width), min(zero + prediction.share, value + width))


@dataclass(frozen=True, slots=True)
class DifferenceEstimate:
    """Candidate minus baseline in mean NDCG-max if everything were judged, with a band, or None if we don't know how runs
    differ. `beyond`: one of them has more documents of its own than a pooled run on average, so there is no band."""

    value: float
    low: float | None
    high: float | None
    beyond: bool = False


def estimate_difference(
    gain: Floats, unjudged: Mask, pool: Pool, *, own: Mask | None = None, level: float = 0.95
) -> DifferenceEstimate:
    """Estimates a baseline and a candidate; all arrays are (2, Q, N), as for `estimate`.

    The band includes the uncertainty of grades, of runs and of the sample of queries, so a difference outside it is more than
    noise. It treats the errors of both runs as independent, which makes it wider than necessary.
    """
    pages = zip(gain, unjudged, unjudged if own is None else own, strict=True)
    old, new = (_predict(worth, unknown, pool, alone) for worth, unknown, alone in pages)
    differences = new.value - old.value
    value = float(differences.mean())
    queries = len(differences)
    share = float(np.hypot(old.share, new.share))
    if old.beyond or new.beyond:
        return DifferenceEstimate(value, None, None, beyond=True)
    if queries < 2 or (share and not pool.misses):
        return DifferenceEstimate(value, None, None)
    quantile = (1 + level) / 2
    grades = float(ndtri(quantile)) * float(np.hypot(old.spread, new.spread))
    between = share * pool.between * float(stdtrit(len(pool.pages.document), quantile))
    sampling = float(stdtrit(queries - 1, quantile)) * float(differences.std(ddof=1)) / np.sqrt(queries)
    width = float(np.sqrt(grades**2 + between**2 + sampling**2))
    return DifferenceEstimate(value, max(-1.0, value - width), min(1.0, value + width))


def pool_audit(pages: PooledPages) -> PoolAudit:
    """Computes what each run loses without the judgments of documents that only this run retrieved."""
    alone = pages.alone()
    loss = np.where(alone, pages.gain, 0.0) @ pages.discount / _ideal(pages)
    return PoolAudit(loss=np.asarray(loss.mean(axis=1)), only=alone.sum(axis=(1, 2)))


class _Prediction(NamedTuple):
    """(Q,) NDCG-max with 0 and with the prior for unjudged documents; their mean share of the discounts, the standard error
    of the mean, and whether the run is too unlike the pool for that error to hold."""

    zero: Floats
    value: Floats
    share: float
    spread: float
    beyond: bool


def _predict(gain: Floats, unjudged: Mask, pool: Pool, own: Mask) -> _Prediction:
    discount, ideal, prior = pool.pages.discount, _ideal(pool.pages), pool.prior
    zero = gain @ discount / ideal
    variance = float((unjudged @ (discount**2 * prior.variance)).sum() / (len(gain) * ideal) ** 2)
    share = float((unjudged @ discount).mean() / discount.sum())
    return _Prediction(
        zero=zero,
        value=zero + unjudged @ (discount * prior.mean) / ideal,
        share=share,
        spread=float(np.sqrt(variance)),
        beyond=share > 0 and float((own @ discount).mean() / discount.sum()) > pool.usual_alone,
    )


def _ideal(pages: PooledPages) -> float:
    return float(pages.top * pages.discount.sum())
