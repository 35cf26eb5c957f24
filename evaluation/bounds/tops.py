"""The best known gains of every query, which is all that an ideal needs."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from evaluation.metrics.discounted import positions
from evaluation.metrics.types import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """(Q, N) the N greatest known gains, descending, 0 where there are fewer."""

    gain: Floats

    @classmethod
    def of(cls, query: Ints, gain: Floats, queries: int, cutoff: int) -> Self:
        """From gains by query; `query` never falls."""
        worth = gain > 0
        query, gain = query[worth], gain[worth]
        gain = gain[np.lexsort((-gain, query))]
        at = positions(query)
        inside = at < cutoff
        top = np.zeros((queries, cutoff))
        top[query[inside], at[inside]] = gain[inside]
        return cls(top)
