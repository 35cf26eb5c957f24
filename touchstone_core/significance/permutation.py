"""The p-value of a mean difference by sign flips, for one run and adjusted for all runs of a page."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from touchstone_core.significance.draws import Stream, check_draws, generator
from touchstone_core.significance.flips import every_sum, flipped_sums
from touchstone_core.significance.types import Floats

DRAWS: Final = 100_000
# Up to so many changed queries, the test tries every assignment of signs: 2¹⁵ = 32,768.
EXACT: Final = 15
# With fewer changed queries, no test keeps its error rate if differences are skewed: it rejects up to a third of true null
# hypotheses. The exact p-value is shown, but decides nothing.
FEWEST: Final = 15
# Sums within this share of Σ|d| are equal, because rounding makes equal sums differ.
_ROUNDING: Final = 1e-10


class Method(StrEnum):
    """The method of a p-value, or why it decides nothing."""

    IDENTICAL = "identical"
    TOO_FEW = "too few changed queries"
    EXACT = "exact"
    DRAWN = "drawn"


@dataclass(frozen=True, slots=True)
class PValue:
    """A two-sided p-value. Under TOO_FEW it decides nothing.

    `draws` is the number of random assignments of signs, all 2ⁿ for EXACT and TOO_FEW, 0 without a test.
    """

    value: float
    method: Method
    changed: int
    draws: int

    @property
    def decides(self) -> bool:
        """Whether it counts as a test."""
        return self.method is not Method.TOO_FEW


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Runs that are tested together. `largest` (B,), ascending, is the greatest |z| of any run under each assignment.

    z = Σ d / √Σ d². Flips do not change Σ d², so Student's t increases with z. `exact` means that all assignments were tried.
    Westfall & Young, Resampling-Based Multiple Testing, 1993, 2.3 (single-step max T).
    """

    adjusted: tuple[float | None, ...]
    largest: Floats
    exact: bool
    queries: int

    def critical(self, significance: float) -> float:
        """The adjusted p-value is at most `significance` exactly beyond this t; infinite if it never is."""
        draws = len(self.largest)
        hits = math.floor(significance * (draws + (not self.exact)) + 1e-9) - (not self.exact)
        if hits < 0 or not draws:
            return math.inf
        z = float(self.largest[draws - 1 - hits]) + _tolerance(self.queries)
        rest = self.queries - z**2
        return z * math.sqrt((self.queries - 1) / rest) if rest > 0 else math.inf


def family_tests(
    columns: Floats, *, members: int = 0, seed: int, draws: int = DRAWS
) -> tuple[tuple[PValue, ...], Family]:
    """Tests each column's mean against 0, two-sided; and the first `members` columns together, adjusted for each other under the same
    flips. Columns are differences (Q, R), ties exactly 0. For a weighted mean they are w · d.

    The statistic is |Σ d|; ties do not change it. With up to 15 changed queries p is the share of all assignments that reach
    it, with more p = (hits + 1)/(B + 1) of B random ones, never 0. Without a changed query p = 1. Takes about 0.5 s for 7,000
    queries, 9 runs and 100,000 draws. Raises SignificanceError without draws or for a negative seed.

    Only columns with enough changed queries belong to the family. The adjusted p-value of a column without any difference
    is 1, that of a column with too few changed queries None. Neither affects the others.
    """
    check_draws(draws)
    changed = (columns != 0).sum(axis=0)
    in_family = [at for at in range(members) if changed[at] >= FEWEST]
    many = changed > EXACT
    # A family shares random flips, unless it has one column for which all assignments can be tried.
    uses_flips = many | (np.isin(np.arange(len(changed)), in_family) & (len(in_family) > 1))
    sums = np.empty((draws, 0))
    if uses_flips.any():
        sums = flipped_sums(columns[:, uses_flips], draws, generator(seed, Stream.FLIPS))
    place = np.cumsum(uses_flips) - 1
    tests = tuple(
        _flip_p_value(sums[:, place[at]], columns[:, at]) if many[at] else _exact_p_value(columns[:, at])
        for at in range(len(changed))
    )
    exact = len(in_family) == 1 and not many[in_family[0]]
    if exact:
        values = columns[:, in_family[0]]
        of_family = every_sum(values[values != 0])[:, None]
    else:
        of_family = sums[:, place[in_family]]
    return tests, _family(columns[:, :members], in_family, of_family, exact=exact)


def _family(columns: Floats, in_family: list[int], sums: Floats, *, exact: bool) -> Family:
    """`sums` (B, T) are those of the columns in the family."""
    scale = np.sqrt((columns[:, in_family] ** 2).sum(axis=0))
    largest = np.sort((np.abs(sums) / scale).max(axis=1)) if in_family else np.empty(0)
    adjusted: list[float | None] = [None if column.any() else 1.0 for column in columns.T]
    for at, root in zip(in_family, scale, strict=True):
        statistic = abs(float(columns[:, at].sum())) / root - _tolerance(len(columns))
        hits = len(largest) - int(np.searchsorted(largest, statistic))
        adjusted[at] = hits / len(largest) if exact else (hits + 1) / (len(largest) + 1)
    return Family(tuple(adjusted), largest, exact, len(columns))


def _flip_p_value(sums: Floats, column: Floats) -> PValue:
    hits = int(_is_as_extreme(sums, column).sum())
    return PValue((hits + 1) / (len(sums) + 1), Method.DRAWN, int((column != 0).sum()), len(sums))


def _exact_p_value(column: Floats) -> PValue:
    values = column[column != 0]
    if not values.size:
        return PValue(1.0, Method.IDENTICAL, 0, 0)
    sums = every_sum(values)
    method = Method.EXACT if values.size >= FEWEST else Method.TOO_FEW
    return PValue(float(_is_as_extreme(sums, values).mean()), method, values.size, len(sums))


def _is_as_extreme(sums: Floats, values: Floats) -> NDArray[np.bool_]:
    """Whether each sum (B,) is at least as far from 0 as the sum of the values (n,)."""
    return np.abs(sums) >= abs(values.sum()) - _ROUNDING * np.abs(values).sum()


def _tolerance(queries: int) -> float:
    """The rounding error of z, for which Σ|d| / √Σ d² is at most √Q."""
    return _ROUNDING * math.sqrt(queries)
