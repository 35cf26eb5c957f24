"""Queries that a mean leaves out because their ideal is 0, and what missing grades could make of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from touchstone_core.metrics.policies import SKIP
from touchstone_core.metrics.rounding import Rounded
from touchstone_core.metrics.types import Floats
from touchstone_core.words import counted as in_words

_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Of a mean over `counted` queries: `queries` are left out whose ideal is 0. They count as soon as a document of theirs gains
    something, and then the mean lies between `low` and `high` if no other value changes.

    Queries that are left out because the run doesn't answer them aren't meant: no grade changes that.
    """

    counted: int
    queries: int
    low: float
    high: float

    @classmethod
    def of(cls, mean: float | None, counted: int, queries: int) -> Self | None:
        """Of a measure whose values lie between 0 and 1; None where no query is left out."""
        if not queries:
            return None
        total = counted * (mean or 0.0)
        return cls(counted, queries, total / (counted + queries), (total + queries) / (counted + queries))

    @property
    def shift(self) -> float:
        """The most that the queries left out could move the mean, whatever it is."""
        return self.queries / (self.counted + self.queries)

    @property
    def range(self) -> str:
        """As people read it."""
        return f"{self.low:.4f} to {self.high:.4f}"

    @property
    def words(self) -> str:
        """Two sentences."""
        return (
            f"{left_out_words(self.queries, self.counted + self.queries)} If missing grades bring them in, the mean lies "
            f"between {self.low:.4f} and {self.high:.4f}."
        )

    def as_json(self) -> dict[str, Any]:
        """The values that files hold."""
        return {"queries": self.queries, "low_if_graded": self.low, "high_if_graded": self.high}


def left_out_words(queries: int, whole: int) -> str:
    """How many queries are left out, and why."""
    are, their = ("is", "its") if queries == 1 else ("are", "their")
    return f"{queries:,} of {in_words(whole, 'query', 'queries')} {are} left out, because {their} ideal is 0 so far."


def left_out_of_difference(queries: int, counted: int, differences: Sequence[float]) -> str:
    """The same of means that were compared, and how far missing grades could move any of these mean differences."""
    whole = queries + counted
    moved = (1.0 + max(map(abs, differences))) * queries / whole
    return f"{left_out_words(queries, whole)} If missing grades bring them in, a mean difference moves by up to {moved:.4f}."


def skips_zero(one: Rounded) -> bool:
    """Whether the measure leaves out what has an ideal of 0."""
    return dict(one.measure.parameters).get("zero") == SKIP


def skips_missing(one: Rounded) -> bool:
    """Whether the measure leaves out what the run doesn't answer."""
    return dict(one.measure.parameters).get("missing") == SKIP


def least_mean(values: Floats, optional: Floats) -> float:
    """The least mean of all `values` and of any of the `optional` ones; 0 where they cancel but for rounding, NaN where there are
    none of either."""
    every = np.append(values, optional)
    if not every.size:
        return float("nan")
    # The optional ones help from the least one on, as long as they lie below the mean.
    sums = values.sum() + np.concatenate([[0.0], np.cumsum(np.sort(optional))])
    counts = values.size + np.arange(optional.size + 1)
    least = float((sums[counts > 0] / counts[counts > 0]).min())
    return least if abs(least) > _ROUNDING * float(np.abs(every).max()) else 0.0


def greatest_mean(values: Floats, optional: Floats) -> float:
    """The greatest one."""
    return -least_mean(-values, -optional)
