"""A figure's 95 % confidence interval, by resampling queries (Efron & Tibshirani 1993, percentiles).

Queries are resampled, not pairs: pairs of one query are alike, so resampling pairs would make every interval about half
as wide as it should be. Since sums by query add up, a sample is a weighted sum of them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from judgments.agreement.units import Floats

ROUNDS = 1_000
SEED = 20_261_121
FEW_QUERIES = 25
BLOCK = 2_000_000
"""Weights in memory at once."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def interval(sums: Floats, figure: Callable[[Floats], Floats]) -> Interval | None:
    """The 2.5th and 97.5th percentile of `figure` over ROUNDS samples of the first axis of `sums`.

    None for fewer than two queries, and if the figure is undefined in more than a twentieth of the samples.
    """
    if len(sums) < 2:
        return None
    values = resample(sums, figure, rounds=ROUNDS, seed=SEED)
    values = values[~np.isnan(values)]
    if len(values) < 0.95 * ROUNDS:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(float(low), float(high))


def resample(sums: Floats, figure: Callable[[Floats], Floats], *, rounds: int, seed: int) -> Floats:
    """`figure` of each sample: (rounds,). The same seed gives the same samples."""
    rng = np.random.default_rng(seed)
    flat = sums.reshape(len(sums), -1)
    block = max(1, min(rounds, BLOCK // len(sums)))
    values = []
    for start in range(0, rounds, block):
        size = min(block, rounds - start)
        samples = _weights(rng, size, len(sums)) @ flat
        values.append(figure(samples.reshape(size, *sums.shape[1:])))
    return np.concatenate(values)


def _weights(rng: np.random.Generator, rounds: int, queries: int) -> Floats:
    """How often each round drew each query: (rounds, queries). Round by round, so that its counts stay in the CPU's cache."""
    weights = np.empty((rounds, queries))
    for row in weights:
        row[:] = np.bincount(rng.integers(queries, size=queries), minlength=queries)
    return weights
