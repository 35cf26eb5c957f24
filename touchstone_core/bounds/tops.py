"""The best known gains of every query, from which ideals follow."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from touchstone_core.metrics.query_sums import positions
from touchstone_core.metrics.types import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """(Q, N) the N greatest known gains, descending, 0 where there are fewer."""

    gain: Floats

    @classmethod
    def of(cls, query: Ints, gain: Floats, queries: int, cutoff: int) -> Self:
        """Returns the tops of gains that are sorted by query."""
        worth = gain > 0
        query, gain = query[worth], gain[worth]
        gain = gain[np.lexsort((-gain, query))]
        at = positions(query)
        inside = at < cutoff
        top = np.zeros((queries, cutoff))
        top[query[inside], at[inside]] = gain[inside]
        return cls(top)


def falling(weight: Floats) -> Floats:
    """(Q, M) the weights above 0 of each row, the greatest first, then zeros."""
    return np.asarray(-np.sort(-np.maximum(weight, 0.0), axis=1))


def with_zero_ideal(
    low: Floats, high: Floats, tops: Tops, value: float | Floats | None
) -> tuple[Floats, Floats]:
    """Widens the bounds by the `value` of a query whose ideal is 0, which is possible if no gain is known; None is no value.

    A query without any value stays NaN.
    """
    can_be_zero = ~(tops.gain > 0).any(axis=1)
    values = np.full(len(low), np.nan if value is None else value)
    low = np.where(can_be_zero, np.fmin(low, values), low)
    return low, np.where(can_be_zero, np.fmax(high, values), high)
