"""Queries that a mean leaves out because their ideal is 0, and how far missing grades could change it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from touchstone_core.metrics.policies import SKIP
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.types import Floats
from touchstone_core.words import counted as in_words

_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A mean over `in_mean` queries leaves out `queries` because their ideal is 0. They count as soon as one of their documents
    has a gain, and then the mean lies between `low` and `high` if no other value changes.

    Queries that the run doesn't answer aren't counted here, since no grade brings them in.
    """

    in_mean: int
    queries: int
    low: float
    high: float

    @classmethod
    def of(cls, mean: float | None, in_mean: int, queries: int) -> Self | None:
        """For a measure with values between 0 and 1; None if no query is left out."""
        if not queries:
            return None
        total, whole = in_mean * (mean or 0.0), in_mean + queries
        return cls(in_mean, queries, total / whole, (total + queries) / whole)

    @property
    def shift(self) -> float:
        """The most that these queries could change a mean."""
        return self.queries / (self.in_mean + self.queries)

    @property
    def range(self) -> str:
        """The range of the mean in words."""
        return f"{self.low:.4f} to {self.high:.4f}"

    @property
    def words(self) -> str:
        """How many queries are left out, and the range of the mean."""
        return (
            f"{left_out_words(self.queries, self.in_mean + self.queries)} If missing grades bring them in, the mean lies "
            f"between {self.low:.4f} and {self.high:.4f}."
        )

    def as_json(self) -> dict[str, Any]:
        """The values in JSON files."""
        return {"queries": self.queries, "low_if_graded": self.low, "high_if_graded": self.high}


def no_gain_words(zero_ndcg: float | None) -> str:
    """Where no judged document has a gain: what the values are then, and that they say nothing."""
    ndcg = (
        "This formula leaves such queries out, so NDCG-local, NDCG-recall and NDCG-global have no value."
        if zero_ndcg is None
        else f"NDCG-local, NDCG-recall and NDCG-global count as {zero_ndcg:g} then."
    )
    return (
        f"No judged document has a gain, so even the best order of them is worth 0. {ndcg} AP and other measures of relevant documents "
        "are 0 where there are none, as in trec_eval. None of these values says how good a run is."
    )


def left_out_words(queries: int, whole: int) -> str:
    """How many queries are left out, and why."""
    are, their = ("is", "its") if queries == 1 else ("are", "their")
    return f"{queries:,} of {in_words(whole, 'query', 'queries')} {are} left out, because {their} ideal is 0 so far."


def left_out_of_difference(queries: int, in_mean: int, differences: Sequence[float]) -> str:
    """The same for mean differences, and how far missing grades could change any of these."""
    whole = queries + in_mean
    shift = (1.0 + max(map(abs, differences))) * queries / whole
    return f"{left_out_words(queries, whole)} If missing grades bring them in, a mean difference moves by up to {shift:.4f}."


def skips_zero(one: RoundedMeasure) -> bool:
    """Whether the measure leaves out queries whose ideal is 0."""
    return dict(one.measure.parameters).get("zero") == SKIP


def skips_missing(one: RoundedMeasure) -> bool:
    """Whether the measure leaves out queries that the run doesn't answer."""
    return dict(one.measure.parameters).get("missing") == SKIP


def least_mean(values: Floats, optional: Floats) -> float:
    """The least mean of `values` and any of the `optional` ones; NaN without either. Rounding errors around 0 become 0."""
    every = np.append(values, optional)
    if not every.size:
        return float("nan")
    # Adding the optional ones, least first, lowers the mean until one lies above it.
    sums = values.sum() + np.concatenate([[0.0], np.cumsum(np.sort(optional))])
    counts = values.size + np.arange(optional.size + 1)
    least = float((sums[counts > 0] / counts[counts > 0]).min())
    return least if abs(least) > _ROUNDING * float(np.abs(every).max()) else 0.0


def greatest_mean(values: Floats, optional: Floats) -> float:
    """The greatest mean, like `least_mean`."""
    return -least_mean(-values, -optional)
