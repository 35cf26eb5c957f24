"""How often a headline says better or worse of two runs of equal true quality of which one is judged less: see docs/comparing.md.

The pool was fed by runs like the baseline; the candidate's own documents were judged by chance or not at all.
"""

import numpy as np
import pytest

from tests.evaluation.null_pairs import Scene, headline

# The candidate is unlike the runs of the pool: what only they found says little of what it found.
UNLIKE = Scene(queries=150, pooled=8, alike=0.8)


def claims(scene, cases):
    """The share of cases in which the headline says better or worse, with or without a reserve."""
    source = np.random.default_rng(1)
    told = [headline(scene, source, seed=case).headline.lower() for case in range(cases)]
    return sum("better" in words or "worse" in words for words in told) / cases


def at_most(share, most, cases):
    return share <= most + 3 * np.sqrt(most * (1 - most) / cases)


@pytest.mark.parametrize("scene", [UNLIKE, Scene(queries=50, pooled=4, judged=0.5)])
def test_a_run_that_is_judged_less_is_seldom_said_to_be_better_or_worse(scene):
    assert at_most(claims(scene, 60), 0.05, 60)


@pytest.mark.thorough
@pytest.mark.parametrize("judged", [0.0, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("alike", [0.0, 0.5, 0.8])
@pytest.mark.parametrize(("queries", "pooled"), [(150, 3), (150, 8)])
def test_nor_is_it_for_other_pools(queries, pooled, alike, judged):
    assert at_most(claims(Scene(queries, pooled, alike, judged), 300), 0.05, 300)


@pytest.mark.thorough
def test_many_queries_and_a_pool_of_similar_runs_claim_a_little_more():
    """The queries' own noise no longer hides that the candidate's documents are better than what the pool tells of them."""
    assert at_most(claims(Scene(500, 8, alike=0.5, judged=0.8), 300), 0.07, 300)
