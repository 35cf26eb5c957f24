"""Random numbers: numpy's PCG64, with a separate stream for each kind of draws."""

from enum import IntEnum
from typing import Final

import numpy as np

from touchstone_core.significance.errors import SignificanceError

SEED: Final = 1
"""The seed of pages, and of commands unless you give another one."""


class Stream(IntEnum):
    """Kinds of draws. Under one seed, their numbers are independent of each other."""

    FLIPS = 0
    RESAMPLES = 2
    TUKEY = 3


def generator(seed: int, stream: Stream) -> np.random.Generator:
    """Returns the generator of a stream; raises SignificanceError for a negative seed."""
    if seed < 0:
        raise SignificanceError("The seed must be a whole number from 0.")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(int(stream),))))


def check_draws(draws: int) -> None:
    """Raises SignificanceError for fewer than one draw."""
    if draws < 1:
        raise SignificanceError("There must be at least one draw.")
