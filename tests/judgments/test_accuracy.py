"""Intervals against published tables, charts against published examples and simulated run lengths."""

import numpy as np
import pytest

from judgments import accuracy


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
    assert accuracy.posterior_mean(0, 0) == 0.8
    assert accuracy.posterior_mean(16, 4) == 0.8


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


def alarms(outcomes):
    found, start = [], 0
    total = 0.0
    for index, right in enumerate(outcomes):
        total = max(0.0, total + (-0.348 if right else 0.981))
        if total >= 3:
            found.append(index - start + 1)
            total, start = 0.0, index + 1
    return found


@pytest.mark.parametrize(("share", "length"), [(0.85, 216), (0.60, 14)])
def test_a_decline_is_found_soon_and_seldom_by_chance(share, length):
    """The run lengths of research/science.md, 7.4, by a second implementation with its rounded steps."""
    outcomes = simulated(share, 100_000)
    expected = alarms(outcomes)
    assert np.mean(expected) == pytest.approx(length, rel=0.12)

    own, start = [], 0
    for _ in range(40):
        run = next(n for n in range(1, 5_000) if accuracy.decline(outcomes[start : start + n])[1] is not None)
        own.append(run)
        start += run

    assert own == expected[:40]


def test_a_decline_says_where_it_was_found_last():
    assert accuracy.decline([True] * 50) == (0.0, None)
    total, last = accuracy.decline([True] * 10 + [False] * 4 + [True] * 20)
    assert (total, last) == (0.0, 13)


def test_drift_needs_many_answers_and_a_known_spread():
    assert accuracy.drift([1.0] * 19, 1.0) == ""
    assert accuracy.drift([1.0] * 30, 1.0) == "higher"
    assert accuracy.drift([-1.0] * 30, 1.0) == "lower"
    assert accuracy.drift([0.1] * 30, 1.0) == ""
    for sigma in (0.0, float("nan"), float("inf")):
        assert accuracy.drift([1.0] * 30, sigma) == ""


def test_drift_is_seldom_found_where_there_is_none():
    noise = np.random.default_rng(3).normal(size=(2_000, 60))

    found = [accuracy.drift(row.tolist(), 1.0) != "" for row in noise]

    assert np.mean(found) < 0.006  # three standard deviations: 0.27 %


def test_speed_counts_only_where_the_answers_differ_as_well():
    typical, fast = list(range(1, 101)), [1.0] * 20

    assert accuracy.is_hasty(fast, typical, differs=True)
    assert not accuracy.is_hasty(fast, typical, differs=False)
    assert not accuracy.is_hasty(fast[:19], typical, differs=True)
    assert not accuracy.is_hasty(fast, [], differs=True)
    assert not accuracy.is_hasty([50.0] * 20, typical, differs=True)


def test_an_answer_is_right_within_the_tolerance():
    assert accuracy.is_right(2, [1, 2])
    assert not accuracy.is_right(2.1, [1, 2])
    assert accuracy.is_right(0.55, [0.5], tolerance=0.1)
