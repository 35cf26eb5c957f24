"""How often a headline says better or worse of two runs of equal true quality of which one is judged less: see docs/comparing.md.

The pool was fed by runs like the baseline; the candidate's own documents were judged by chance or not at all.
"""

import numpy as np
import pytest

from tests.evaluation.null_pairs import Scene, expected, headline

pytestmark = pytest.mark.sampled

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
def test_nor_is_it_where_many_queries_leave_the_error_of_the_estimate_alone():
    assert at_most(claims(Scene(500, 8, alike=0.5, judged=0.8), 300), 0.05, 300)


def bands(scene, cases):
    """Of runs outside the pool: how many have a band, how many of these bands hold the truth, and the bias of their values."""
    source = np.random.default_rng(1)
    told = [expected(scene, source) for _ in range(cases)]
    outside = [(one, truth) for one, truth in told if one]
    banded = [(one, truth) for one, truth in outside if one["low"] is not None]
    held = [one["low"] <= truth <= one["high"] for one, truth in banded]
    return len(outside), np.array(held), np.array([one["value"] - truth for one, truth in banded])


def bands_hold(scene, cases):
    _, held, misses = bands(scene, cases)
    # Three pooled runs bring much alone, so that the bias is larger, and the bands are wider yet.
    bias = 0.01 if scene.pooled > 3 else 0.025
    return not held.size or (
        held.mean() >= 0.9 - 3 * (0.9 * 0.1 / held.size) ** 0.5 and abs(misses.mean()) < bias
    )


@pytest.mark.parametrize("judged", [0.0, 0.5])
def test_the_band_of_a_run_like_the_pool_holds_what_it_has(judged):
    outside, held, misses = bands(Scene(queries=150, pooled=8, judged=judged), 40)

    assert held.size >= 0.9 * outside
    assert held.mean() >= 0.9
    assert abs(misses.mean()) < 0.01


@pytest.mark.parametrize(("alike", "judged"), [(0.5, 0.0), (0.5, 0.8), (0.8, 0.0), (0.8, 0.5)])
def test_a_run_unlike_the_pool_has_no_band_however_much_of_it_is_judged(alike, judged):
    """With a band by what is unjudged, or for all, .22 to .67 of them would hold."""
    outside, held, _ = bands(Scene(queries=150, pooled=8, alike=alike, judged=judged), 20)

    assert outside
    assert not held.size


@pytest.mark.thorough
@pytest.mark.parametrize("judged", [0.0, 0.5, 0.7, 0.8, 0.9])
@pytest.mark.parametrize("alike", [0.0, 0.1, 0.2, 0.5, 0.8])
@pytest.mark.parametrize("pooled", [3, 5, 8])
def test_bands_hold_for_other_pools(pooled, alike, judged):
    assert bands_hold(Scene(150, pooled, alike, judged), 300)
