"""When a list will be finished: the range against simulated raters."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from judgments.overview.rhythm import rhythm_of


def coverage(rng, count, weeks, evenness, weekend):
    """How often the range holds the true day. Counts of days are negative binomial, with less on weekends."""
    held = forecasts = 0
    while forecasts < count:
        mean, offset = np.exp(rng.uniform(np.log(5), np.log(500))), rng.integers(7)
        shares = np.where((np.arange(7) + offset) % 7 >= 5, weekend, 1.0)
        means = np.tile(mean * shares, weeks + 150)
        counts = rng.poisson(rng.gamma(evenness, means / evenness))
        known, further = counts[: 7 * weeks], counts[7 * weeks :]
        rhythm = rhythm_of(known.tolist())
        if rhythm is None:
            continue
        forecasts += 1
        missing = max(1, int(mean * np.exp(rng.uniform(np.log(1), np.log(120)))))
        low, _, high = rhythm.days_for(missing)
        day = int(np.searchsorted(further.cumsum(), missing)) + 1
        held += low <= day and (high is None or day <= high)
    return held / count


@pytest.mark.parametrize("weeks", [1, 2, 4])
@pytest.mark.parametrize("weekend", [0, 1])
def test_the_range_holds_the_true_day_in_nine_of_ten(weeks, weekend):
    assert coverage(np.random.default_rng(1), 600, weeks, 1, weekend) >= 0.9


@pytest.mark.thorough
@pytest.mark.parametrize("weeks", [1, 2, 3, 4])
@pytest.mark.parametrize("evenness", [1, 2, 4])
@pytest.mark.parametrize("weekend", [0, 0.3, 1])
def test_the_range_holds_in_every_case(weeks, evenness, weekend):
    assert coverage(np.random.default_rng(2), 4_000, weeks, evenness, weekend) >= 0.9


def test_days_of_equal_work_leave_nothing_open():
    assert rhythm_of([10] * 14).days_for(101) == (11, 11, 11)


def test_days_before_the_last_whole_weeks_do_not_count():
    assert rhythm_of([1_000] + [10] * 7).mean == 10


@pytest.mark.parametrize("counts", [[], [5] * 6, [0] * 7, [5] + [0] * 7])
def test_without_judgments_in_a_whole_week_there_is_no_rhythm(counts):
    assert rhythm_of(counts) is None


def test_a_pace_that_varies_too_much_has_no_last_day():
    assert rhythm_of([0, 0, 0, 0, 0, 0, 70]).days_for(100)[2] is None


@given(st.lists(st.integers(0, 200), min_size=7, max_size=28), st.integers(1, 5_000))
def test_the_days_are_those_on_which_the_prediction_reaches_what_is_missing(counts, missing):
    rhythm = rhythm_of(counts)
    assume(rhythm is not None)
    low, expected, high = rhythm.days_for(missing)
    for end, day in ((2, low), (1, expected), (0, high)):
        if day is not None:
            assert rhythm.given(day + 1e-6)[end] >= missing * (1 - 1e-6)
            assert rhythm.given(day - 1)[end] < missing * (1 + 1e-6)
