"""Intervals against published tables, charts against published examples, flags against simulated raters."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from touchstone_core.grades import accuracy


@pytest.mark.parametrize(
    ("hits", "answers", "low", "high"),
    [  # Newcombe 1998, Statistics in Medicine 17:857-872, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_of_a_share_is_wilsons(hits, answers, low, high):
    found = accuracy.wilson(hits, answers)

    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize(
    ("answers", "low", "high"),
    [(5, 0.38, 0.96), (10, 0.49, 0.94), (20, 0.58, 0.92), (30, 0.63, 0.90), (50, 0.67, 0.89)],
)
def test_eighty_percent_right_of_a_few_may_be_much_or_little(answers, low, high):
    found = accuracy.wilson(round(0.8 * answers), answers)

    assert (round(found.low, 2), round(found.high, 2)) == (low, high)


def test_without_answers_anything_is_possible():
    assert accuracy.wilson(0, 0) == accuracy.Interval(0.0, 1.0)
    assert accuracy.wilson(7, 7).high == 1.0


def test_the_moving_average_is_that_of_the_textbook():
    """Montgomery, Introduction to Statistical Quality Control, table 9.10: mean 10, weight 0.1."""
    values = np.array([9.45, 7.99, 9.29, 11.66, 12.16, 10.18, 8.04, 11.46]) - 10

    averages = 10 + np.array(accuracy.moving_averages(values.tolist()))

    expected = [9.945, 9.7495, 9.70355, 9.8992, 10.1253, 10.1307, 9.9217, 10.0755]
    assert np.allclose(averages, expected, atol=5e-5)


def simulated(share, answers, seed=7):
    return (np.random.default_rng(seed).random(answers) < share).tolist()


@pytest.mark.parametrize(("share", "mean"), [(0.95, 11), (0.85, 19), (0.60, 16)])
def test_practice_is_decided_after_some_eleven_to_nineteen_answers(share, mean):
    """The lengths of research/science.md, 7.4."""
    outcomes = simulated(share, 60_000)
    lengths, wrong, start = [], 0, 0
    while start < 50_000:
        length = next(n for n in range(1, 500) if accuracy.verdict(outcomes[start : start + n]) != "open")
        wrong += accuracy.verdict(outcomes[start : start + length]) != ("bad" if share < 0.7 else "good")
        lengths.append(length)
        start += length

    assert np.mean(lengths) == pytest.approx(mean, abs=1.5)
    assert wrong / len(lengths) <= 0.06


def test_practice_stays_open_while_neither_is_sure():
    assert accuracy.verdict([]) == "open"
    assert accuracy.verdict([True] * 8) == "open"
    assert accuracy.verdict([True] * 9 + [False] * 20) == "good"
    assert accuracy.verdict([False] * 4) == "bad"


def test_the_chance_of_so_few_right_answers_is_that_of_fishers_exact_test():
    rng = np.random.default_rng(2)
    total = rng.integers(60, 1_000, size=40)
    marked = rng.integers(0, total + 1)
    found = rng.integers(np.maximum(0, 40 - (total - marked)), np.minimum(40, marked) + 1)

    chances = accuracy.chance_of_so_few(found, 40, marked, total)

    assert chances == pytest.approx(hypergeom.cdf(found, total, marked, 40), rel=1e-9)


def flagged(outcomes):
    """Which of these raters (R, N) are flagged after any of their answers, with scipy's distribution."""
    right = np.concatenate(
        [np.zeros((len(outcomes), 1), dtype=np.int64), np.cumsum(outcomes, axis=1)], axis=1
    )
    answers = np.arange(60, outcomes.shape[1] + 1)
    latest, all_right = right[:, answers] - right[:, answers - 40], right[:, answers]
    rater, look = np.nonzero((latest + 4) * answers < 40 * all_right)  # the others are no rarity
    drawn = latest[rater, look], answers[look], all_right[rater, look]
    known, back = np.unique(np.stack(drawn), axis=1, return_inverse=True)
    found = np.zeros(len(outcomes), dtype=bool)
    np.logical_or.at(found, rater, (hypergeom.cdf(*known, 40) <= accuracy.CHANCE)[back])
    return found


def raters(shares, count, seed=3):
    """Known answers of `count` raters, (count, N): each right with the chance of `shares` (N,)."""
    return np.random.default_rng(seed).random((count, len(shares))) < shares


def test_a_decline_is_looked_for_after_every_answer():
    answers = raters(np.r_[np.full(100, 0.9), np.full(60, 0.7)], 30)

    found = [any(accuracy.has_declined(own[:end]) for end in (61, 100, 140, 160)) for own in answers.tolist()]

    assert found == flagged(answers).tolist()
    assert any(found)
    assert not all(found)


@pytest.mark.parametrize("share", [0.8, 0.9, 0.95])
def test_raters_who_stay_as_they_are_are_seldom_said_to_decline(share):
    """Looked at after each of 1,000 known answers: 2.5 % at most over a rater's life, half of what both flags may take."""
    assert flagged(raters(np.full(1_000, share), 400)).mean() <= 0.04


DECLINES = {
    (100, 0.9, 0.6): 0.86,
    (100, 0.95, 0.75): 0.60,
    (100, 0.9, 0.7): 0.43,
    (300, 0.9, 0.6): 0.98,
    (300, 0.95, 0.75): 0.88,
    (300, 0.9, 0.7): 0.73,
}
"""Of those who decline after so many known answers, from one accuracy to another: how many are found within a hundred."""


def power_of(case, count):
    start, before, after = case
    return flagged(raters(np.r_[np.full(start, before), np.full(100, after)], count)).mean()


@pytest.mark.parametrize("case", DECLINES)
def test_a_real_decline_is_found(case):
    assert power_of(case, 300) >= DECLINES[case] - 0.06


@pytest.mark.thorough
@pytest.mark.parametrize("case", DECLINES)
def test_a_decline_is_found_as_often_as_the_docs_say(case):
    assert power_of(case, 4_000) == pytest.approx(DECLINES[case], abs=0.02)


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.6, 0.8, 0.85, 0.9, 0.95, 0.98])
def test_the_promise_holds_at_any_accuracy(share):
    assert flagged(raters(np.full(1_000, share), 10_000, seed=11)).mean() <= 0.025


def test_a_decline_is_of_late():
    good, bad = [True] * 100, [False] * 20
    assert not accuracy.has_declined([])
    assert not accuracy.has_declined([True] * 39 + [False] * 20)  # too few before
    assert accuracy.has_declined(good + bad)
    assert accuracy.has_declined(good + bad + [True] * 39)
    assert not accuracy.has_declined(good + bad + [True] * 80)  # better again
    assert not accuracy.has_declined(([True] * 4 + [False]) * 50)


def test_speed_counts_only_where_the_answers_differ_as_well():
    typical, fast = list(range(1, 101)), [1.0] * 20

    assert accuracy.is_hasty(fast, typical, differs=True)
    assert not accuracy.is_hasty(fast, typical, differs=False)
    assert not accuracy.is_hasty(fast[:19], typical, differs=True)
    assert not accuracy.is_hasty(fast, [], differs=True)
    assert not accuracy.is_hasty([50.0] * 20, typical, differs=True)
