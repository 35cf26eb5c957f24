"""Both flags together: how many honest raters are ever worth reviewing. Haste never comes without one of them."""

import numpy as np
import pytest

from tests.judgments.raters.test_strictness import HABITS, is_flagged, simulate
from tests.touchstone_core.grades.test_accuracy import flagged, raters

JUDGMENTS = 1_000
"""Of a rater, beside as many gold pairs. A look after each of them."""


def share_to_review(count, share_right, habit, *, seed, every=1):
    """Of so many honest raters, each with this habit and so often right on gold pairs."""
    rng = np.random.default_rng(seed)
    drifts = [is_flagged(*simulate(rng, JUDGMENTS, **HABITS[habit]), every=every) for _ in range(count)]
    return (drifts | flagged(raters(np.full(JUDGMENTS, share_right), count, seed=seed))).mean()


def test_honest_raters_are_seldom_worth_reviewing():
    """A small part of test_the_promise_holds_for_both_flags_together."""
    found = share_to_review(40, 0.8, "milder, the most relevant first", seed=5, every=4)

    assert found <= 0.125  # 5 % promised; 40 raters show 6 or more in one case of seventy


@pytest.mark.thorough
@pytest.mark.parametrize("share_right", [0.8, 0.95])
@pytest.mark.parametrize("habit", HABITS)
def test_the_promise_holds_for_both_flags_together(habit, share_right):
    assert share_to_review(500, share_right, habit, seed=21) <= 0.07  # 5 % and two standard errors
