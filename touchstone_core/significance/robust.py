"""What a mean hides: the median, the trimmed mean, the tenth percentile, and the worst queries."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from touchstone_core.significance.draws import Stream, check_draws, generator
from touchstone_core.significance.intervals import LEVEL, Interval, percentile_interval
from touchstone_core.significance.permutation import FEWEST
from touchstone_core.significance.types import Floats, Ints

RESAMPLES: Final = 1_000
TRIM: Final = 0.1
WORST: Final = 10
# So many queries are drawn at once, 2 MB of numbers.
_CELLS: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Loss:
    """A query, as an index, with its difference below 0."""

    position: int
    difference: float


@dataclass(frozen=True, slots=True)
class Robust:
    """Statistics that a few large differences do not dominate. `worst` has only losses, the greatest first.

    `trimmed` is the mean without the lowest and the highest 10 %, rounded down to whole queries. Both intervals are
    percentiles of resampled queries, and None if too few queries changed.
    """

    median: float
    median_interval: Interval | None
    trimmed: float
    trimmed_interval: Interval | None
    tenth_percentile: float
    worst: tuple[Loss, ...]
    resamples: int


def robust_views(
    columns: Floats, *, seed: int, resamples: int = RESAMPLES, level: float = LEVEL, worst: int = WORST
) -> tuple[Robust, ...]:
    """Returns a record for each column of differences (Q, R). Raises SignificanceError for no resamples or a negative seed."""
    check_draws(resamples)
    sorted_columns = np.sort(columns, axis=0)
    medians, trimmed = _resample(sorted_columns, resamples, generator(seed, Stream.RESAMPLES))
    queries = len(columns)
    whole = np.arange(1, queries + 1)[None]
    centers, trims = _median(whole, sorted_columns)[0], _trimmed_mean(whole, sorted_columns)[0]
    return tuple(
        Robust(
            median=float(centers[run]),
            median_interval=_interval(medians[:, run], column, level),
            trimmed=float(trims[run]),
            trimmed_interval=_interval(trimmed[:, run], column, level),
            tenth_percentile=float(np.percentile(column, 10)),
            worst=_worst(column, worst),
            resamples=resamples,
        )
        for run, column in enumerate(columns.T)
    )


def _interval(values: Floats, column: Floats, level: float) -> Interval | None:
    few = 0 < np.count_nonzero(column) < FEWEST
    return None if few else percentile_interval(values, level)


def _worst(column: Floats, most: int) -> tuple[Loss, ...]:
    order = np.argsort(column, kind="stable")[:most]
    return tuple(Loss(int(at), float(column[at])) for at in order if column[at] < 0)


def _resample(sorted_columns: Floats, resamples: int, source: np.random.Generator) -> tuple[Floats, Floats]:
    """Medians and trimmed means (B, R) of queries drawn with replacement.

    For a sorted column, it is enough to know how often each index is drawn. All columns share these draws, and nothing needs to
    be sorted again.
    """
    queries, runs = sorted_columns.shape
    block = max(1, _CELLS // queries)
    medians, trimmed = np.empty((resamples, runs)), np.empty((resamples, runs))
    for first in range(0, resamples, block):
        rows = min(block, resamples - first)
        places = source.integers(0, queries, size=(rows, queries)) + np.arange(rows)[:, None] * queries
        counts = np.bincount(places.ravel(), minlength=rows * queries).reshape(rows, queries)
        upto = counts.cumsum(axis=1)
        medians[first : first + rows] = _median(upto, sorted_columns)
        trimmed[first : first + rows] = _trimmed_mean(upto, sorted_columns)
    return medians, trimmed


def _median(upto: Ints, sorted_columns: Floats) -> Floats:
    """Medians (b, R) of samples; `upto` (b, Q) counts their queries up to each index of the sorted columns."""
    queries = len(sorted_columns)
    low, high = ((upto > middle).argmax(axis=1) for middle in ((queries - 1) // 2, queries // 2))
    return (sorted_columns[low] + sorted_columns[high]) / 2.0


def _trimmed_mean(upto: Ints, sorted_columns: Floats) -> Floats:
    """Trimmed means (b, R) of the same samples."""
    queries = len(sorted_columns)
    cut = int(TRIM * queries)
    inside = np.clip(upto, cut, queries - cut)
    counts = inside - cut
    counts[:, 1:] -= inside[:, :-1] - cut
    return counts @ sorted_columns / (queries - 2 * cut)
