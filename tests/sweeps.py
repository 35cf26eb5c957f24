"""Sweeps over every address: `make test` visits a third of them, others each time, and `make drills` all."""

import random
from collections.abc import Iterable
from typing import TypeVar

import pytest

Address = TypeVar("Address")

SHARES = pytest.mark.parametrize(
    "share",
    [pytest.param(1 / 3, id="a third"), pytest.param(1.0, id="all", marks=pytest.mark.drill)],
)


def drawn(addresses: Iterable[Address], share: float) -> list[Address]:
    """So large a share of the addresses, sorted. The seed in the head of the output draws the same again."""
    known = sorted(addresses)  # type: ignore[type-var]
    return sorted(random.sample(known, round(len(known) * share)))  # type: ignore[type-var]
