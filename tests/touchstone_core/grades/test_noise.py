"""Reliability of grades against published values, classical theory and numpy's correlations."""

import numpy as np
import pytest

from touchstone_core.grades.noise import Shrinkage, judgments_in_effect, reliability, shrinkage


@pytest.mark.parametrize(
    ("one", "judgments", "expected"),
    [
        (0.77, 2, 0.87),  # three raters of a product search: the Chorus ratings, from 0.77 of one
        (0.77, 3, 0.91),
        (0.5, 2, 2 / 3),  # by hand, as the next two
        (0.25, 3, 0.5),
        (0.6, 1, 0.6),
        (0.5, 1.5, 0.6),
    ],
)
def test_more_judgments_are_more_reliable_by_spearman_and_brown(one, judgments, expected):
    assert reliability(one, judgments) == pytest.approx(expected, abs=0.005)


def test_it_is_how_far_two_teams_of_raters_correlate():
    """True grades with variance 1 and errors with variance 2: one judgment has a reliability of 1/3."""
    rng = np.random.default_rng(7)
    truth = rng.normal(size=200_000)
    team, other = (truth + rng.normal(0, np.sqrt(2), (4, truth.size)).mean(axis=0) for _ in range(2))

    assert np.corrcoef(team, other)[0, 1] == pytest.approx(reliability(1 / 3, 4), abs=0.005)
    assert np.corrcoef(team, truth)[0, 1] == pytest.approx(shrinkage(1 / 3, 0.3, 4).about, abs=0.005)


def test_what_differences_keep():
    """By hand: 0.64 is the square of 0.8, and 3 · 0.25 / 1.5 is a half."""
    assert shrinkage(0.64, 0.5, 1) == Shrinkage(1, 0.8, 0.5)
    assert shrinkage(0.25, 0.25, 3).least == 0.5
    assert shrinkage(0.25, 0.25, 3).about == pytest.approx(np.sqrt(0.5))


@pytest.mark.parametrize(
    ("pairs", "several", "singles", "expected"),
    [
        (100, 3, 0, 3),
        (10, 2, 90, 100 / 95),  # ninety errors weigh 1 each, ten a half
        (50, 3, 50, 1.5),
        (2, 2 / (1 / 2 + 1 / 10), 0, 10 / 3),  # one pair with two, one with ten
    ],
)
def test_a_few_pairs_with_more_judgments_hardly_reduce_the_noise(pairs, several, singles, expected):
    assert judgments_in_effect(pairs, several, singles) == pytest.approx(expected)
