"""Where the marks of a forest plot are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.comparison.forest_plot import Axis, ForestNumbers, axis_of, forest_rows

SHARES = st.floats(-1, 1, allow_subnormal=False)


def test_places_are_percentages_between_the_ends():
    axis = Axis(-0.4, 0.1)

    assert (axis.place(-0.4), axis.zero, axis.place(0.1)) == (0, 80, 100)
    span = axis.span(-0.2, 0.0)
    assert (span.start, span.width, span.end) == (40, 40, 80)


def test_ticks_are_round_numbers_with_a_real_minus_and_every_second_one_is_minor():
    ticks = Axis(-0.31, 0.12).ticks

    assert [tick.text for tick in ticks] == ["−0.3", "−0.2", "−0.1", "0", "+0.1"]
    assert [tick.minor for tick in ticks] == [True, False, True, False, True]


def test_the_axis_shows_zero_and_every_number_and_stops_where_the_measure_does():
    axis = axis_of([-0.3, None, 0.2])

    assert axis.low < -0.3 < 0.2 < axis.high
    assert axis_of([-0.99], 1.0) == Axis(-1.0, axis_of([-0.99]).high)


def test_where_nothing_differs_zero_is_in_the_middle():
    assert axis_of([0.0]).zero == 50


def test_what_is_not_known_has_no_mark():
    (row,) = forest_rows([ForestNumbers(0.1)], Axis(-1, 1))

    assert (row.at, row.interval, row.detectable, row.bounds) == (55, None, None, None)


def test_the_detectable_difference_is_a_band_around_zero():
    (row,) = forest_rows([ForestNumbers(0.0, detectable=0.25)], Axis(-1, 1))

    assert (row.detectable.start, row.detectable.end) == (37.5, 62.5)


@given(st.lists(st.tuples(SHARES, SHARES, SHARES), min_size=1, max_size=5))
def test_marks_are_on_the_axis_in_the_order_of_their_numbers(rows):
    """Whatever the numbers are, nothing is drawn beyond the range of the measure, and no mark changes places with another."""
    numbers = [ForestNumbers(middle, (low, high)) for low, middle, high in map(sorted, rows)]
    axis = axis_of((number for row in numbers for number in row.every), 1.0)

    assert -1 <= axis.low <= axis.high <= 1
    for row in forest_rows(numbers, axis):
        assert 0 <= row.interval.start <= row.at + 1e-9
        assert row.at <= row.interval.end + 2e-3
        assert row.interval.end <= 100.001
    assert axis.place(axis.low) == 0
    assert axis.place(axis.high) == 100


@given(st.floats(1e-6, 1e6), st.floats(0, 1e6))
def test_every_axis_has_a_few_ticks(reach, other):
    ticks = axis_of([-reach, other]).ticks

    assert 2 <= len(ticks) <= 9
    assert "0" in [tick.text for tick in ticks]
    assert [tick.place for tick in ticks] == sorted(tick.place for tick in ticks)
    assert len({tick.text for tick in ticks}) == len(ticks)


def test_an_axis_of_ticks_beyond_one_has_no_decimals():
    assert [tick.text for tick in Axis(-10, 10).ticks] == ["−10", "−5", "0", "+5", "+10"]
    assert Axis(0, 1).place(7) == pytest.approx(100)
