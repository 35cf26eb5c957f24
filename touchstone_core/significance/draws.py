"""Where random numbers come from: numpy's PCG64, one stream of its own for each kind of drawing."""

from enum import IntEnum
from typing import Final

import numpy as np

from touchstone_core.significance.errors import SignificanceError

SEED: Final = 1
"""Of everything that is drawn, on pages and by commands, unless a command is given another."""


class Stream(IntEnum):
    """What is drawn; one seed gives each kind numbers that have nothing to do with the others'."""

    FLIPS = 0
    RESAMPLES = 2
    TUKEY = 3


def generator(seed: int, stream: Stream) -> np.random.Generator:
    """Raises SignificanceError for a negative seed."""
    if seed < 0:
        raise SignificanceError("The seed must be a whole number from 0.")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(int(stream),))))


def check_draws(draws: int) -> None:
    """Raises SignificanceError for fewer than one draw."""
    if draws < 1:
        raise SignificanceError("There must be at least one draw.")
