"""What is stored and shown of two runs: a band from paper, and numbers as they are known."""

from dataclasses import asdict, replace
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from tests.touchstone_core.deciding.test_difference import DISCOUNT, TOP, documents
from touchstone_core.deciding.outlook import Outlook
from touchstone_core.deciding.stopping import Check

SWAPS = 20


def swapped(queries=SWAPS):
    """The second run puts the good document first; all is judged."""
    pages = [[[0, 1]] * queries, [[1, 0]] * queries]
    return pages, {(query, one): 3.0 * one for query in range(queries) for one in (0, 1)}


def test_the_band_of_what_is_judged_whole_is_students():
    pages, gains = swapped()
    gains |= {(query, 1): float(query % 3) for query in range(SWAPS)}

    found = Outlook.of(documents(pages, gains))

    gap = (DISCOUNT[0] - DISCOUNT[1]) / (TOP * sum(DISCOUNT))
    by_query = np.array([gap * (query % 3) for query in range(SWAPS)])
    width = stats.t.ppf(0.975, SWAPS - 1) * by_query.std(ddof=1) / sqrt(SWAPS)
    assert found.expected == pytest.approx(by_query.mean())
    assert (found.low, found.high) == pytest.approx((by_query.mean() - width, by_query.mean() + width))
    assert (found.z, found.judgments_left, found.open, found.judged, found.pool) == (None, 0, 0, 40, 40)


def test_what_is_not_known_makes_the_band_wider():
    pages, gains = swapped()
    less = {key: gain for key, gain in gains.items() if key[0] % 2}

    whole, part = Outlook.of(documents(pages, gains)), Outlook.of(documents(pages, less))

    assert part.high - part.low > whole.high - whole.low
    assert part.z is None or part.z > 0


def test_bands_of_several_runs_hold_together():
    pages, gains = swapped()
    gains |= {(query, 1): float(query % 3) for query in range(SWAPS)}
    one, four = (Outlook.of(documents(pages, gains), runs) for runs in (1, 4))

    assert (four.high - four.low) / (one.high - one.low) == pytest.approx(
        stats.t.ppf(1 - 0.05 / 8, SWAPS - 1) / stats.t.ppf(0.975, SWAPS - 1)
    )


def test_few_changed_queries_have_no_band():
    pages, gains = swapped(14)

    found = Outlook.of(documents(pages, gains))

    assert (found.low, found.high) == (None, None)
    assert found.expected > 0


@pytest.mark.parametrize(
    ("left", "raters", "about"),
    [(0, 2, 0), (7, 1, 7), (99, 1, 99), (141, 1, 150), (70, 2, 140), (1234, 1, 1300), (10_001, 3, 31_000)],
)
def test_how_many_are_left_is_said_to_two_digits(left, raters, about):
    outlook = Outlook(0.1, None, None, 1.0, left, 10, 20, 400)

    assert outlook.about_left(raters) == about


def test_decided_is_what_no_grade_can_turn_or_what_was_beyond_doubt_twice():
    outlook = Outlook(0.1, None, None, 2.5, 0, judged=100, open=20, pool=400)

    assert outlook.is_ahead
    assert not outlook.is_decided([])
    assert outlook.is_decided([Check(80, 2.4)])
    assert not outlook.is_decided([Check(95, 2.4)])
    assert Outlook(0.1, None, None, None, 0, judged=0, open=3, pool=400).is_decided([])


def test_nobody_is_ahead_before_a_twentieth_is_judged():
    late = Outlook(0.1, 0.01, 0.2, 2.5, 0, judged=20, open=300, pool=400)
    early = replace(late, judged=19)

    assert [(one.is_ahead, one.is_early) for one in (late, early)] == [(True, False), (False, True)]
    assert not replace(early, z=None).is_early  # no missing grade can turn it


def test_at_least_a_twentieth_is_left():
    """One good document of each of twenty queries would be enough by its standard errors."""
    pages, gains = swapped(100)
    few = {key: gains[key] for key in list(gains)[:8]}

    found = Outlook.of(documents(pages, few))

    assert (found.pool, found.judged) == (200, 8)
    assert found.judgments_left >= 2


def test_what_earlier_versions_stored_is_read():
    outlook = Outlook(0.1, None, None, 1.0, 7, 10, 20, 400)

    assert Outlook.from_json(asdict(outlook) | {"chance": 0.84}) == outlook
