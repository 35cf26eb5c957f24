"""Pairs of runs of equal true quality of which one is judged less than the other, and what the headline says of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from touchstone_core.bounds.estimates import PooledPages
from touchstone_core.bounds.values import bounds
from touchstone_core.comparison.coverage import Coverage
from touchstone_core.comparison.page_evidence import evidence
from touchstone_core.comparison.pool_estimate import expected_beside, pool_estimate
from touchstone_core.comparison.verdict import Verdict, verdict
from touchstone_core.metrics.arrays import JudgedRun, judged_run
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.ladder import ladder
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.significance.comparison import compare
from touchstone_core.significance.settings import Settings

RANKS, DOCUMENTS = 10, 60
GRADES, SHARES = (0, 1, 2, 3), (0.6, 0.2, 0.12, 0.08)
SCALE, FORMULA = ScaleInfo(top_grade=3), Formula(cutoff=RANKS)


@dataclass(frozen=True)
class Scene:
    """`pooled` runs are judged to rank 10, the first of them is the baseline; the candidate is not, but for `judged` of its pages'
    documents. Runs see a grade through noise of the same size, so that all have the same quality in the long run; `alike` is the
    share of it that runs of the pool have in common, and the candidate doesn't share."""

    queries: int
    pooled: int
    alike: float = 0.0
    judged: float = 0.0
    noise: float = 1.5


def pages(scene: Scene, source: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(R, Q, N) documents by run, the candidate last, and (Q, D) their true grades."""
    worth = source.choice(GRADES, (scene.queries, DOCUMENTS), p=SHARES).astype(float)
    runs, shape = scene.pooled + 1, (scene.queries, DOCUMENTS)
    own = source.normal(0, scene.noise, (runs, *shape))
    common = source.normal(0, scene.noise, shape)
    own[:-1] = scene.alike**0.5 * common + (1 - scene.alike) ** 0.5 * own[:-1]
    seen = worth + own
    return np.argsort(-seen, axis=2)[:, :, :RANKS], worth


def judged(document: np.ndarray, worth: np.ndarray, known: np.ndarray) -> JudgedRun:
    """A run whose page (Q, N) is all that it retrieved."""
    of = np.take_along_axis(known, document, axis=1)
    query, rank = np.nonzero(of)
    queries, names = np.nonzero(known)
    return judged_run(
        answered=np.ones(len(document), dtype=bool),
        retrieved=np.full(len(document), RANKS),
        hit_query=query,
        hit_rank=rank + 1,
        hit_grade=worth[query, document[query, rank]],
        judged_query=queries,
        judged_grade=worth[queries, names],
        scale=SCALE,
    )


def known_of(scene: Scene, document: np.ndarray, source: np.random.Generator) -> np.ndarray:
    """(Q, D) which documents are judged."""
    known = np.zeros((scene.queries, DOCUMENTS), dtype=bool)
    for run in document[:-1]:
        np.put_along_axis(known, run, True, axis=1)
    if scene.judged:
        some = source.random(document[-1].shape) < scene.judged
        query, rank = np.nonzero(some)
        known[query, document[-1][query, rank]] = True
    return known


def of_the_pool(document: np.ndarray, worth: np.ndarray, known: np.ndarray) -> dict[str, Any]:
    """What the pool says of the baseline and the candidate."""
    order = [0, -1, *range(1, len(document) - 1)]
    at = np.arange(len(worth))[:, None]
    gain = np.where(known[at, document[order]], worth[at, document[order]], np.nan)
    return pool_estimate(PooledPages(document[order], gain, FORMULA.discounts(), SCALE.top_grade), 2)


def expected(scene: Scene, source: np.random.Generator) -> tuple[dict[str, Any] | None, float]:
    """What a page expects of the candidate, None if it counts as pooled, and what it has if all were judged."""
    document, worth = pages(scene, source)
    told = of_the_pool(document, worth, known_of(scene, document, source))
    discount = FORMULA.discounts()
    truth = np.take_along_axis(worth, document[-1], axis=1) @ discount / (SCALE.top_grade * discount.sum())
    return told["expected"][1], float(truth.mean())


def headline(scene: Scene, source: np.random.Generator, *, draws: int = 499, seed: int = 1) -> Verdict:
    """What a page says of the candidate beside the baseline, on NDCG-global."""
    document, worth = pages(scene, source)
    known = known_of(scene, document, source)
    pair = judged(document[0], worth, known), judged(document[-1], worth, known)
    values = [ladder(run, FORMULA).ndcg("global") for run in pair]
    (one,) = compare(values[0], [values[1]], settings=Settings(seed=seed, draws=draws, resamples=1), span=1.0)
    pool = of_the_pool(document, worth, known)
    unjudged = (~known[np.arange(len(worth))[:, None], document[[0, -1]]]).sum(axis=(0, 2))
    found = evidence(document[[0, -1]], pair, FORMULA, unjudged)
    coverage = [float(bounds(run, FORMULA, unjudged).coverage.mean()) for run in pair]
    told = found.counts() | expected_beside(pool, coverage, 1)
    return verdict(one.as_json(), told, 1, Coverage(coverage[0], coverage[1]), on="global", cutoff=RANKS)
