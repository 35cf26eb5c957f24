"""All pairs of runs at once: the randomised Tukey HSD test (Carterette, TOIS 2012).

Under the null hypothesis the scores of a query could stand behind the runs in any order. Each draw puts every query's scores
in a random order and notes the range of the runs' means, greatest − least; a pair's p-value is the share of draws whose range
reaches the pair's own difference, so that the chance of any false claim among all pairs stays at the level.

Each draw here is such an order, uniform and independent for each query, but made in two steps. Once for some draws the
scores of each query are shuffled; each of these draws then turns every query's shuffled scores by a number of places of
its own. With few turns to a query, the sums that several queries can take are worked out beforehand and looked up, as
with the sign flips. Draws that share a shuffle are not quite independent, the less so the more queries there are: as many
draws share one as there are queries, so that what it adds to the error of drawing stays small. It adds nothing to the
p-value that is meant.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from touchstone_core.significance.draws import Stream, check_draws, generator
from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.types import Floats

DRAWS: Final = 100_000
# Draws that share a shuffle are as many as queries, but no fewer than pay for the tables (32, or as many as runs), and no
# more than stay in a processor's cache.
_FEWEST, _MOST = 32, 4096
# Numbers in one table, 16 KB of them, which a processor keeps at hand.
_TABLE: Final = 4096
# Scores become whole numbers of 32 bits, so that sums are the same on every machine, and small.
_GREATEST: Final = 2.0**30
# What rounding Q scores does to a sum is about √Q/4; sums this many √Q apart are taken for equal.
_ROUNDING: Final = 8.0

_Whole = NDArray[np.int32]


def tukey_tests(scores: Floats, *, seed: int, draws: int = DRAWS) -> Floats:
    """p-values (R, R) of all pairs of runs, scores (Q, R): (hits + 1)/(B + 1), and 1 between equal means.

    Takes about 2 s for 7,000 queries, 10 runs and 100,000 draws. Raises SignificanceError for fewer than two runs, no
    draws or a negative seed.
    """
    check_draws(draws)
    if scores.shape[1] < 2:
        raise SignificanceError("All pairs need at least two runs.")
    whole = _whole(scores)
    ranges = np.sort(_ranges(whole, draws, generator(seed, Stream.TUKEY)))
    sums = whole.sum(axis=0, dtype=np.int64)
    reach = np.abs(sums[:, None] - sums) - _ROUNDING * math.sqrt(len(scores))
    hits = draws - np.searchsorted(ranges, reach, side="left")
    return np.asarray((hits + 1) / (draws + 1), dtype=np.float64)


def _whole(scores: Floats) -> _Whole:
    """The scores as whole numbers, each query's around 0, as large as no sum can overflow with."""
    centered = scores - (scores.max(axis=1, keepdims=True) + scores.min(axis=1, keepdims=True)) / 2.0
    most = np.abs(centered).max(axis=1).sum()
    return np.rint(centered * (_GREATEST / most if most else 0.0)).astype(np.int32)


def _ranges(whole: _Whole, draws: int, source: np.random.Generator) -> NDArray[np.int64]:
    """Greatest − least sum of a run in each draw (B,)."""
    queries, runs = whole.shape
    together = _together(runs)
    rows = np.concatenate([whole, np.zeros((-queries % together, runs), dtype=np.int32)])
    block = min(max(queries, runs, _FEWEST), _MOST)
    ranges = np.empty(draws, dtype=np.int64)
    for first in range(0, draws, block):
        part = ranges[first : first + block]
        tables = _tables(source.permuted(rows, axis=1), together)
        turns = source.integers(0, runs**together, size=(len(tables), len(part)), dtype=np.uint16)
        sums, group_sums = (
            np.zeros((len(part), runs), dtype=np.int32),
            np.empty((len(part), runs), dtype=np.int32),
        )
        for table, turn in zip(tables, turns, strict=True):
            np.take(table, turn, axis=0, out=group_sums, mode="clip")
            sums += group_sums
        part[:] = sums.max(axis=1).astype(np.int64) - sums.min(axis=1)
    return ranges


def _together(runs: int) -> int:
    """How many queries share a table: as many as fit, at least one."""
    together = 1
    while runs ** (together + 2) <= _TABLE:
        together += 1
    return together


def _tables(shuffled: _Whole, together: int) -> _Whole:
    """The sums (G, Rᵗ, R) of each t queries' shuffled scores under all their turns."""
    runs = shuffled.shape[1]
    turn = (np.arange(runs)[:, None] + np.arange(runs)) % runs
    turns = shuffled[:, turn].reshape(-1, together, runs, runs)
    tables = turns[:, 0]
    for query in range(1, together):
        tables = (tables[:, :, None] + turns[:, query, None]).reshape(len(turns), -1, runs)
    return tables
