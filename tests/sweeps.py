"""What takes long: of all addresses and of the tests marked `sampled`, `make test` takes a part, and `make drills` all."""

import random
from collections.abc import Iterable
from typing import Any

import pytest

ONE_IN = 4
"""The part is one in so many, others each time."""
SHARES = pytest.mark.parametrize(
    "share",
    [pytest.param(1 / ONE_IN, id="a part"), pytest.param(1.0, id="all", marks=pytest.mark.drill)],
)


def draw_addresses(addresses: Iterable[Any], share: float) -> list[Any]:
    """So large a share of the addresses, sorted. The seed in the head of the output draws the same again."""
    every = sorted(addresses)
    return sorted(random.sample(every, round(len(every) * share)))
