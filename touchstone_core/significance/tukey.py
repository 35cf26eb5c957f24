"""All pairs of runs at once: the randomised Tukey HSD test (Carterette, TOIS 2012).

Under the null hypothesis the scores of a query could belong to the runs in any order. Each draw shuffles every query's scores
and notes the range of the runs' means, greatest − least. A pair's p-value is the share of draws whose range reaches the pair's
own difference. So the probability of any false claim among all pairs stays at the level.

Each draw is a uniform order, independent for each query, but made in two steps. The scores of each query are shuffled once
for a block of draws. Then each draw rotates every query's shuffled scores by a random number of places. A query has few
rotations, so the possible sums of several queries are computed once and looked up, as with the sign flips. Draws that share
a shuffle are not fully independent. As many draws share one as there are queries, so this adds little to the sampling error
of the p-value, and no bias.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from touchstone_core.significance.draws import Stream, check_draws, generator
from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.types import Floats

DRAWS: Final = 100_000
# As many draws share a shuffle as there are queries, but at least 32 or as many as runs, so that tables pay, and no more than
# fit into a processor's cache.
_FEWEST, _MOST = 32, 4096
# Numbers in one table: 16 KB, which fit into a processor's first cache.
_TABLE: Final = 4096
# Scores become integers of 32 bits, so that sums are small and the same on every machine.
_GREATEST: Final = 2.0**30
# Rounding Q scores changes a sum by about √Q/4. Sums within this many √Q are equal.
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
    """Converts scores to integers, each query's around 0, as large as possible without overflow of a sum."""
    centered = scores - (scores.max(axis=1, keepdims=True) + scores.min(axis=1, keepdims=True)) / 2.0
    most = np.abs(centered).max(axis=1).sum()
    return np.rint(centered * (_GREATEST / most if most else 0.0)).astype(np.int32)


def _ranges(whole: _Whole, draws: int, source: np.random.Generator) -> NDArray[np.int64]:
    """The range of the runs' sums in each draw (B,)."""
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
    """How many queries share a table: as many as fit, but at least one."""
    together = 1
    while runs ** (together + 2) <= _TABLE:
        together += 1
    return together


def _tables(shuffled: _Whole, together: int) -> _Whole:
    """The sums (G, Rᵗ, R) of the shuffled scores of t queries under all their rotations."""
    runs = shuffled.shape[1]
    turn = (np.arange(runs)[:, None] + np.arange(runs)) % runs
    turns = shuffled[:, turn].reshape(-1, together, runs, runs)
    tables = turns[:, 0]
    for query in range(1, together):
        tables = (tables[:, :, None] + turns[:, query, None]).reshape(len(turns), -1, runs)
    return tables
