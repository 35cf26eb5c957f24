"""How probable it is that a run is better: the Bayesian bootstrap (Rubin, Ann. Statist. 1981)."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.significance.draws import Stream, check_draws, generator
from evaluation.significance.errors import SignificanceError
from evaluation.significance.intervals import LEVEL, Interval, percentile_interval
from evaluation.significance.types import Floats

DRAWS: Final = 10_000
# Differences of the mean within this are of no practical meaning, in the unit of the measure.
ROPE: Final = 0.005
# Draws and queries at once: fewer rows are multiplied slowly, more numbers take memory (16 MB).
_ROWS, _QUERIES = 512, 4096


@dataclass(frozen=True, slots=True)
class Bayes:
    """`better` = P(mean > 0), `within` = P(|mean| ≤ rope), `interval` holds the mean with the probability `level`."""

    better: float
    within: float
    rope: float
    interval: Interval
    draws: int


def bayesian_bootstrap(
    columns: Floats, *, seed: int, draws: int = DRAWS, rope: float = ROPE, level: float = LEVEL
) -> tuple[Bayes, ...]:
    """One record for each column of differences (Q, R); all columns share the drawn weights of the queries.

    The weights are uniform on the simplex: exponential numbers divided by their sum. Raises SignificanceError for no
    draws, a negative seed, or a rope that is negative or not finite.
    """
    check_draws(draws)
    if not 0 <= rope < np.inf:
        raise SignificanceError("What counts as no difference must be a finite number from 0.")
    means = _means(columns, draws, generator(seed, Stream.BAYES))
    return tuple(
        Bayes(
            better=float((mean > 0).mean()),
            within=float((np.abs(mean) <= rope).mean()),
            rope=rope,
            interval=percentile_interval(mean, level),
            draws=draws,
        )
        for mean in means.T
    )


def _means(columns: Floats, draws: int, source: np.random.Generator) -> Floats:
    """The means (B, R) of the columns under B weightings of the queries."""
    # The last column adds up the weights themselves.
    columns = np.concatenate([columns, np.ones((len(columns), 1))], axis=1)
    sums = np.zeros((draws, columns.shape[1]))
    for first in range(0, draws, _ROWS):
        part = sums[first : first + _ROWS]
        for start in range(0, len(columns), _QUERIES):
            chunk = columns[start : start + _QUERIES]
            part += source.standard_exponential((len(part), len(chunk))) @ chunk
    return sums[:, :-1] / sums[:, -1:]
