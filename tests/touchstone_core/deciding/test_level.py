"""The level of a run from documents that were draws at random, on cases small enough for paper."""

from math import inf, sqrt

import numpy as np
import pytest

from touchstone_core.deciding.level import FEWEST_DRAWS, DrawOrder, Level


def order_of(weight, number, before=None, gain=None, top=1.0):
    before = np.zeros(len(weight), dtype=bool) if before is None else np.array(before)
    gain = np.zeros(len(weight)) if gain is None else np.array(gain, dtype=float)
    return DrawOrder.of(np.array(weight, dtype=float), np.array(number, dtype=float), before, gain, top)


def test_the_highest_ratios_of_weight_and_number_come_first():
    order = order_of([1, 0.5, 0.25, 0.5], [0.5, 0.1, 0.5, 1])

    assert order.document.tolist() == [1, 0, 2, 3]  # 5, 2, 0.5, 0.5: the first one of equal ratios
    assert order.priority.tolist() == [5, 2, 0.5, 0.5]


def test_documents_that_are_judged_anyway_come_before_all_that_are_drawn():
    order = order_of([1, 0.5, 0.25], [0.5, 0.1, 1], before=[False, False, True])

    assert order.document.tolist() == [2, 1, 0]
    assert order.certain == 1
    assert order.priority[0] == inf


def level_by_hand(weight, number, before, gain, top, draws, quantile):
    """In plain Python, document by document; `quantile` is that of Student's t from a table."""
    places = range(len(weight))
    known = [one for one in places if before[one]]
    others = sorted((one for one in places if not before[one]), key=lambda one: -weight[one] / number[one])
    threshold = weight[others[draws]] / number[others[draws]]
    chance = {one: min(1.0, weight[one] / threshold) for one in others[:draws]}
    sure = [*known, *(one for one, its in chance.items() if its == 1)]
    some = [one for one, its in chance.items() if its < 1]
    of_sure = sum(weight[one] * gain[one] for one in sure)
    rest = sum(weight[one] for one in places if one not in sure)
    mean = sum(gain[one] for one in some) / len(some)
    with_ends = [gain[one] for one in some] + [0, top]
    center = sum(with_ends) / len(with_ends)
    variance = sum((one - center) ** 2 for one in with_ends) / (len(with_ends) - 1)
    left = sum(1 - chance[one] for one in some) / len(some)
    half = quantile * sqrt(min(variance, top * top / 4) / (len(some) + 2) * left)
    middle = mean + (center - mean) * sqrt(left)
    return of_sure + rest * mean, of_sure + rest * (middle - half), of_sure + rest * (middle + half)


def test_the_level_is_that_of_plain_python():
    random = np.random.default_rng(3)
    weight = np.where(np.arange(400) < 3, 0.05, random.choice([0.001, 0.002, 0.003], 400))
    number, before = 1 - random.random(400), random.random(400) < 0.2
    gain = random.choice([0.0, 1.0, 3.0], 400)
    order = order_of(weight, number, before, gain, top=3.0)
    draws = 64
    found = order.level(draws)
    assert (
        int((~order._sample(draws).by_chance).sum()) - order.certain == 3
    )  # so 61 were drawn by chance: 60 degrees of freedom, for which tables have 2.0003

    expected, low, high = level_by_hand(
        weight.tolist(), number.tolist(), before.tolist(), gain.tolist(), 3.0, draws, 2.0003
    )

    assert (found.expected, found.low, found.high) == pytest.approx((expected, low, high), rel=1e-5)


def test_once_all_is_judged_it_is_exact():
    order = order_of([0.5, 0.3, 0.2], [0.5, 0.5, 0.5], gain=[1, 0, 1])

    assert order.level(3) == Level(0.7, 0.7, 0.7)
    assert order.expected_width(3, np.array([])) == 0


def test_from_few_documents_nothing_is_said():
    order = order_of(np.full(100, 0.01), np.linspace(0.01, 1, 100))

    assert order.level(0) is None
    assert order.level(FEWEST_DRAWS - 1) is None
    assert order.level(FEWEST_DRAWS) is not None


def test_the_interval_never_leaves_what_grades_can_give():
    """99 of 100 equal documents are judged and gain nothing: the last one can add 0.01 at most."""
    order = order_of(np.full(100, 0.01), np.linspace(0.01, 0.98, 100))

    level = order.level(99)

    assert (level.expected, level.low) == (0, 0)
    assert 0 < level.high <= 0.01


def test_gains_of_documents_that_are_not_drawn_yet_are_not_read():
    gain = np.where(np.arange(100) < 40, 1.0, np.nan)
    order = order_of(np.full(100, 0.01), np.linspace(0.01, 1, 100), gain=gain)

    assert order.level(40).expected == pytest.approx(1)


def test_before_anything_is_judged_the_widest_spread_is_assumed():
    order = order_of(np.full(1000, 0.001), np.linspace(0.001, 1, 1000))

    halves = order.expected_width(100, np.array([0.0, 1.0] * 50))

    assert order.expected_width(100, np.array([])) == pytest.approx(halves, rel=0.02)


def test_to_draw_all_is_enough_for_any_width():
    order = order_of(np.full(50, 0.02), np.linspace(0.02, 1, 50))

    assert order.draws_for(0.001, np.array([0.0, 1.0])) == 50
    assert order_of([0.5, 0.5], [0.5, 1]).draws_for(0.01, np.array([])) == 2
