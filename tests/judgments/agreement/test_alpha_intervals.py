"""How often the interval of alpha holds the truth, by simulation."""

import numpy as np
import pytest
from scipy.stats import norm

from judgments.agreement.alpha import alpha
from judgments.agreement.resampling import interval

GRADES = np.arange(4.0)
MIXES = {"even": (0.25, 0.5, 0.75), "usual": (0.5, 0.7, 0.9), "sparse": (0.8, 0.9, 0.96)}
KINDS = [(mix, unclear, pairs) for mix in MIXES for unclear, pairs in ((0.0, 10), (0.6, 10), (0.6, 3))]
"""The mix of grades, how unlike queries are in how far raters err, and how many pairs of a query two raters judged."""


def draw(rng, queries, mix, unclear, pairs):
    """The coincidences of two raters on each query. How well a query is answered, and how clear it is, belong to the query."""
    worth = 0.44 * rng.normal(size=(queries, 1)) + 0.9 * rng.normal(size=(queries, pairs))
    errors = 0.8 * np.exp(unclear * rng.normal(size=(queries, 1)))
    one, other = (
        np.searchsorted(norm.ppf(MIXES[mix]), worth + errors * rng.normal(size=worth.shape)) for _ in range(2)
    )
    cells = (np.arange(queries)[:, None] * 4 + one) * 4 + other
    sums = np.bincount(cells.ravel(), minlength=16 * queries).reshape(queries, 4, 4)
    return (sums + sums.transpose(0, 2, 1)).astype(float)


def ordinal(sums):
    return alpha(sums, GRADES, "ordinal")


def share_that_holds(queries, kind, rounds):
    rng = np.random.default_rng(queries)
    truth = float(ordinal(draw(rng, 100_000, *kind).sum(axis=0)))
    found = [interval(draw(rng, queries, *kind), ordinal) for _ in range(rounds)]
    return np.mean([one.low <= truth <= one.high for one in found if one])


def test_it_holds_the_truth_about_as_often_as_promised():
    assert share_that_holds(50, ("usual", 0.6, 10), 100) >= 0.85


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(("queries", "least"), [(25, 0.9), (50, 0.91), (100, 0.91), (300, 0.91)])
def test_it_holds_the_truth_less_often_with_few_queries(queries, least, kind):
    """docs/judging.md has the figures."""
    assert share_that_holds(queries, kind, 1_000) >= least
