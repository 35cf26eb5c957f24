from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.significance.betting import lower_end, sequential
from touchstone_core.significance.errors import SignificanceError

differences = st.lists(st.integers(-20, 20).map(lambda one: one / 20), min_size=1, max_size=60)


def capital(values, mean):
    """The average of twenty capitals, bet by bet and in exact fractions; values and mean from −1 to 1."""
    total = Fraction(0)
    for place in range(20):
        stake = Fraction(2 * place + 1, 40) / (1 + Fraction(mean))
        one = Fraction(1)
        for value in values:
            one *= 1 + stake * (Fraction(value).limit_denominator(20) - Fraction(mean))
        total += one
    return total / 20


@given(differences)
def test_p_is_what_the_larger_capital_of_both_sides_says(values):
    found = sequential(np.array(values), 1.0)

    best = max(capital(values, 0), capital([-value for value in values], 0))
    assert found.p == pytest.approx(min(1, float(2 / best)))


@given(differences, st.integers(1, 4))
def test_the_interval_excludes_0_exactly_where_p_is_significant(values, runs):
    found = sequential(np.array(values), 1.0, runs=runs)

    excludes = found.interval.low > 0 or found.interval.high < 0
    assert excludes == (found.p <= 0.05)
    assert -1 <= found.interval.low <= np.mean(values) + 1e-7
    assert np.mean(values) - 1e-7 <= found.interval.high <= 1


def test_at_the_lower_end_the_capital_is_what_the_error_allows():
    values = np.random.default_rng(1).integers(-4, 8, 80) / 20

    low = lower_end(values, 1.0, significance=0.05)

    assert float(capital(values, low)) == pytest.approx(20, rel=1e-4)


@given(st.randoms())
def test_the_order_of_the_queries_and_the_unit_of_the_measure_change_nothing(random):
    values = [0.1, 0.4, -0.2, 0.0, 0.7, 0.3, 0.3, 0.2, -0.1, 0.5, 0.4]
    shuffled = values[:]
    random.shuffle(shuffled)

    one, other = sequential(np.array(values), 1.0), sequential(np.array(shuffled) * 8, 8.0)

    assert other.p == pytest.approx(one.p)
    assert other.interval.low == pytest.approx(8 * one.interval.low, abs=1e-6)


@pytest.mark.parametrize(("value", "ends"), [(1.0, (0.1, 1)), (-1.0, (-1, -0.1)), (0.0, (-0.5, 0.5))])
def test_queries_at_the_ends_of_the_measure_and_queries_that_tie(value, ends):
    found = sequential(np.full(20, value), 1.0).interval

    assert (found.low > ends[0]) == (ends[0] != -1)
    assert (found.high < ends[1]) == (ends[1] != 1)


def test_thousands_of_large_differences_leave_no_float():
    found = sequential(np.full(50_000, 0.9), 1.0)

    assert found.p == 0
    assert 0.89 < found.interval.low < 0.9


def test_a_difference_beyond_what_the_measure_allows_is_refused():
    with pytest.raises(SignificanceError, match="greater than the measure allows"):
        sequential(np.array([0.1, 1.1]), 1.0)
