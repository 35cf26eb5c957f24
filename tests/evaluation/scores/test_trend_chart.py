"""The geometry of a trend."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scores.trend_chart import Mean, sparks, tick_step, trend_chart

VALUES = st.floats(0, 1e6, allow_subnormal=False)
MEANS = st.lists(
    st.lists(VALUES, min_size=3, max_size=3).map(sorted).map(lambda one: Mean(one[1], one[0], one[2])),
    min_size=1,
    max_size=60,
)


@given(MEANS)
def test_everything_lies_within_the_picture_and_greater_is_higher(means):
    chart = trend_chart(means)

    heights = [height for dot in chart.dots for height in (dot.y, dot.low, dot.high)]
    assert min(heights) >= chart.top - 1e-6
    assert max(heights) <= chart.bottom + 1e-6
    assert all(0 < dot.x < 100 for dot in chart.dots)
    by_value = sorted(zip(means, chart.dots, strict=True))
    assert all(low.y >= high.y - 1e-6 for (_, low), (_, high) in itertools.pairwise(by_value))


@given(MEANS)
def test_dots_are_equally_far_apart_from_left_to_right(means):
    places = [dot.x for dot in trend_chart(means).dots]

    steps = [right - left for left, right in itertools.pairwise(places)]
    assert all(step == pytest.approx(steps[0]) and step > 0 for step in steps)


@given(MEANS)
def test_few_ticks_with_different_numbers_cover_all_values(means):
    ticks = trend_chart(means).ticks

    assert 2 <= len(ticks) <= 7
    assert len({text for _, text in ticks}) == len(ticks)


def test_a_value_on_a_tick_lies_at_its_height():
    chart = trend_chart([Mean(0.2, 0.2, 0.2), Mean(0.3, 0.25, 0.4)])

    heights = {text: height for height, text in chart.ticks}
    assert list(heights) == ["0.20", "0.25", "0.30", "0.35", "0.40"]
    assert chart.dots[0].y == pytest.approx(heights["0.20"])
    assert chart.dots[1].low == pytest.approx(heights["0.25"])
    assert chart.dots[1].high == pytest.approx(heights["0.40"])


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [
        (0, 1, 0.5),
        (0.2, 0.4, 0.05),
        (0.71, 0.72, 0.005),
        (3, 27, 10),
        (0.5, 0.5, 0.0002),
        (0.2, 0.65, 0.2),
        (0, 400_001, 200_000),
    ],
)
def test_steps_are_round_numbers(low, high, step):
    assert tick_step(low, high) == pytest.approx(step)


def test_a_mark_lies_halfway_between_its_neighbors_or_at_the_edges():
    means = [Mean(value, value, value) for value in (0.1, 0.2, 0.3)]
    chart = trend_chart(means, [0, 1, 3])

    first, second, third = (dot.x for dot in chart.dots)
    assert chart.marks == pytest.approx([0, (first + second) / 2, 100])
    assert third < 100


@given(st.lists(st.floats(0, 1), min_size=2, max_size=60))
def test_a_small_picture_has_its_values_within_it_and_greater_is_higher(values):
    picture = sparks(values)

    assert all(0 <= x <= picture.width and 0 <= y <= picture.height for x, y in picture.dots)
    assert [x for x, _ in picture.dots] == sorted({x for x, _ in picture.dots})
    by_value = sorted(zip(values, (y for _, y in picture.dots), strict=True))
    assert all(low >= high - 1e-6 for (_, low), (_, high) in itertools.pairwise(by_value))


def test_a_small_difference_stays_small_in_a_small_picture():
    (_, before), (_, after) = sparks([0.5, 0.51]).dots

    assert before - after == pytest.approx(0.1 * (28 - 2 * 4))
