"""Sweeps over every address: `make test` visits a third of them, others each time, and `make drills` all."""

import random
from collections.abc import Iterable
from typing import Any

import pytest

SHARES = pytest.mark.parametrize(
    "share",
    [pytest.param(1 / 3, id="a third"), pytest.param(1.0, id="all", marks=pytest.mark.drill)],
)


def draw_addresses(addresses: Iterable[Any], share: float) -> list[Any]:
    """So large a share of the addresses, sorted. The seed in the head of the output draws the same again."""
    every = sorted(addresses)
    return sorted(random.sample(every, round(len(every) * share)))
