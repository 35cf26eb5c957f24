"""How sure a figure is: its 95 % interval when the queries are drawn anew.

Queries are drawn, not pairs: pairs of one query are alike, and drawing them would make every figure look about twice
as sure as it is. Since sums by query add up, a drawing is a weighted sum of them (Efron & Tibshirani 1993, percentiles).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from judgments.agreement.units import Floats

ROUNDS = 1_000
SEED = 20_261_121
FEW_QUERIES = 25
BLOCK = 2_000_000
"""How many weights are held in memory at once."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def interval(
    sums: Floats, figure: Callable[[Floats], Floats], *, rounds: int = ROUNDS, seed: int = SEED
) -> Interval | None:
    """The 2.5th and 97.5th percentile of `figure` over `rounds` drawings of the first axis of `sums`.

    None for fewer than two queries, and where more than a twentieth of the drawings leave the figure undefined.
    """
    if len(sums) < 2:
        return None
    drawn = resampled(sums, figure, rounds=rounds, seed=seed)
    known = drawn[~np.isnan(drawn)]
    if len(known) < 0.95 * rounds:
        return None
    low, high = np.percentile(known, [2.5, 97.5])
    return Interval(float(low), float(high))


def resampled(sums: Floats, figure: Callable[[Floats], Floats], *, rounds: int, seed: int) -> Floats:
    """`figure` of each drawing: (rounds,). The same seed gives the same drawings."""
    rng = np.random.default_rng(seed)
    flat = sums.reshape(len(sums), -1)
    block = max(1, min(rounds, BLOCK // len(sums)))
    found = []
    for start in range(0, rounds, block):
        size = min(block, rounds - start)
        added = _weights(rng, size, len(sums)) @ flat
        found.append(figure(added.reshape(size, *sums.shape[1:])))
    return np.concatenate(found)


def _weights(rng: np.random.Generator, rounds: int, queries: int) -> Floats:
    """How often each round drew each query: (rounds, queries). One round after the other: its counts stay in the cache."""
    found = np.empty((rounds, queries))
    for weights in found:
        weights[:] = np.bincount(rng.integers(queries, size=queries), minlength=queries)
    return found
