"""Enough is judged if a difference was 2.33 standard errors from 0 twice in a row, or no grade can turn it."""

from math import inf

import pytest

from touchstone_core.deciding.stopping import Check, is_decided

POOL = 1000


@pytest.mark.parametrize(
    ("checks", "decided"),
    [
        ([(100, 2.33), (125, 2.33)], True),
        ([(100, -2.4), (125, -2.33)], True),
        ([(125, 5.0)], False),  # one check
        ([(100, 2.32), (125, 9.0)], False),
        ([(100, 9.0), (125, 2.32)], False),
        ([(100, 2.5), (125, -2.5)], False),  # another sign
        ([(100, 2.5), (124, 2.5)], False),  # too little was judged in between
        ([(90, 1.0), (100, 2.5), (110, 2.5)], False),
        ([(90, 2.4), (100, 2.5), (115, 2.5)], True),  # the first and the last are far enough apart
        ([(75, 2.5), (90, 1.0), (100, 2.5)], False),  # not so in between
        ([(75, 1.0), (90, 2.5), (115, 2.5)], False),  # the second one came too soon after the first
        ([(75, 1.0), (90, 2.5), (115, 2.5), (140, 2.5)], True),
        ([(49, 9.0), (74, 9.0)], False),  # too early
        ([(50, 9.0), (75, 9.0)], True),
        ([(0, inf)], True),  # no missing grade can turn it
        ([(0, -inf)], True),
    ],
)
def test_when_enough_is_judged(checks, decided):
    assert is_decided([Check(*check) for check in checks], POOL) is decided


def test_a_small_pool_asks_for_at_least_one_further_judgment():
    assert not is_decided([Check(5, 3.0), Check(5, 3.0)], 10)
    assert is_decided([Check(5, 3.0), Check(6, 3.0)], 10)
