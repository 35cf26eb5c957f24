"""The measures that follow a searcher down the ranking: ERR, and RBP with what it leaves open.

Every function gives one value per query (Q,). `top` None is the scale's top grade, `rel` None is no threshold.
"""

from dataclasses import replace

import numpy as np

from evaluation.metrics.arrays import JudgedRun
from evaluation.metrics.discounted import positions
from evaluation.metrics.gain import gains
from evaluation.metrics.scale import ScaleInfo
from evaluation.metrics.types import Floats, Ints


def expected_reciprocal_rank(run: JudgedRun, *, cutoff: int | None, top: float | None) -> Floats:
    """Chapelle et al. 2009: 1 / the rank at which the searcher is satisfied, who stops there."""
    inside = slice(None) if cutoff is None else run.hit_rank <= cutoff
    query, rank = run.hit_query[inside], run.hit_rank[inside]
    scale = _with_top(run.scale, top)
    satisfied = gains(run.hit_grade[inside], "exp", scale) / 2.0**scale.top_grade
    reached = np.ones(run.queries)
    values = np.zeros(run.queries)
    for hits in _by_position(positions(query, run.queries)):
        asking = query[hits]
        values[asking] += reached[asking] * satisfied[hits] / rank[hits]
        reached[asking] *= 1.0 - satisfied[hits]
    return values


def rank_biased_precision(run: JudgedRun, *, p: float, rel: float | None, top: float | None) -> Floats:
    """Moffat & Zobel 2008, the lower bound: unjudged documents count nothing.

    With `rel` a document counts 1 or 0; otherwise its grade divided by the top grade.
    """
    if rel is None:
        scale = _with_top(run.scale, top)
        share = gains(run.hit_grade, "linear", scale)
        if scale.top_grade > 0:  # otherwise there is no gain to be divided
            share /= scale.top_grade
    else:
        share = (run.hit_grade >= rel).astype(np.float64)
    return _weighted(run, share, p)


def rank_biased_residual(run: JudgedRun, *, p: float) -> Floats:
    """What RBP would gain if every unjudged document, and every rank below the ranking, held a top grade.

    A negative grade counts as unjudged. 0 for a query that is missing from the run, where RBP is 0 for good.
    """
    # All weights add up to 1: what is not held by a judged document is open.
    open_weight = 1.0 - _weighted(run, (run.hit_grade >= 0).astype(np.float64), p)
    return np.where(run.answered, open_weight, 0.0)


def _with_top(scale: ScaleInfo, top: float | None) -> ScaleInfo:
    return scale if top is None else replace(scale, top_grade=top, bottom=None, gains=None)


def _weighted(run: JudgedRun, share: Floats, p: float) -> Floats:
    weights = (1.0 - p) * p ** (run.hit_rank - 1.0)
    return np.bincount(run.hit_query, share * weights, run.queries).astype(np.float64, copy=False)


def _by_position(position: Ints) -> list[Ints]:
    """The entries that are first of their query, second, and so on: no query twice in one part."""
    order = np.argsort(position, kind="stable")
    return np.split(order, np.cumsum(np.bincount(position))[:-1]) if position.size else []
