"""The measures that follow a searcher down the ranking: ERR, RBP and the residual of RBP.

Every function gives one value per query (Q,). If `top` is None, the scale's top grade counts; if `rel` is None,
there is no threshold.
"""

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.gain import gains
from touchstone_core.metrics.query_sums import positions, sums
from touchstone_core.metrics.types import Floats, Ints, Mask


def expected_reciprocal_rank(run: JudgedRun, *, cutoff: int | None, top: float | None) -> Floats:
    """Chapelle et al. 2009: expects 1 / the rank at which the searcher is satisfied and stops."""
    inside = slice(None) if cutoff is None else run.hit_rank <= cutoff
    query, rank = run.hit_query[inside], run.hit_rank[inside]
    scale = run.scale.with_top(top)
    satisfaction = gains(run.hit_grade[inside], "exp", scale) / 2.0**scale.top_grade
    reach = np.ones(run.queries)
    values = np.zeros(run.queries)
    for hits in _by_position(positions(query)):
        asking = query[hits]
        values[asking] += reach[asking] * satisfaction[hits] / rank[hits]
        reach[asking] *= 1.0 - satisfaction[hits]
    return values


def rank_biased_precision(run: JudgedRun, *, p: float, rel: float | None, top: float | None) -> Floats:
    """Moffat & Zobel 2008, the lower bound: unjudged documents count nothing.

    With `rel` a document counts 1 or 0, otherwise its grade divided by the top grade.
    """
    if rel is not None:
        return _discounted_sum(run, run.hit_grade >= rel, p)
    scale = run.scale.with_top(top)
    share = gains(run.hit_grade, "linear", scale)
    if scale.top_grade > 0:  # otherwise every gain is 0
        share /= scale.top_grade
    return _discounted_sum(run, share, p)


def rank_biased_residual(run: JudgedRun, *, p: float) -> Floats:
    """What RBP would gain if every unjudged document, and every rank below the ranking, held a top grade.

    A negative grade counts as unjudged. 0 for a query that is missing from the run, since no judgment changes its RBP.
    """
    # All weights add up to 1; judged documents hold the rest.
    open_weight = 1.0 - _discounted_sum(run, run.hit_grade >= 0, p)
    return np.where(run.answered, open_weight, 0.0)


def _discounted_sum(run: JudgedRun, share: Floats | Mask, p: float) -> Floats:
    weights = (1.0 - p) * p ** (run.hit_rank - 1.0)
    return sums(run.hit_query, share * weights, run.queries)


def _by_position(position: Ints) -> list[Ints]:
    """The entries that are first of their query, then the second ones, and so on: no part holds a query twice."""
    return np.split(np.argsort(position), np.cumsum(np.bincount(position))[:-1])
