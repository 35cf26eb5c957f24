"""Pairs with two or more judgments, and the sums over them from which every figure is computed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Units:
    """Judgments of N groups of pairs. A group holds the pairs of one query with the same combination of grades (a kind).

    `query`, `kind` (N,) are the indices of the query and of the kind, `pairs` (N,) the number of pairs. For K kinds, `sizes`
    (K,) is the number of judgments, two or more; `grades` (sum of sizes,) lists the grades of one kind after those of
    another, rising within each. Most combinations occur often, so that K is small.
    """

    query: Ints
    kind: Ints
    pairs: Ints
    sizes: Ints
    grades: Floats
    queries: int

    @classmethod
    def of(cls, groups: Sequence[tuple[int, Sequence[float], int]], queries: int) -> "Units":
        """From (query, grades, pairs), without groups of fewer than two grades: these say nothing about agreement."""
        kinds: dict[tuple[float, ...], int] = {}
        rows = [
            (query, kinds.setdefault(tuple(sorted(grades)), len(kinds)), pairs)
            for query, grades, pairs in groups
            if len(grades) > 1
        ]
        return cls.of_kinds(rows, list(kinds), queries)

    @classmethod
    def of_kinds(
        cls, rows: Sequence[tuple[int, int, int]] | Ints, kinds: Sequence[Sequence[float]], queries: int
    ) -> "Units":
        """From (query, kind, pairs) and the rising grades of each kind."""
        query, kind, pairs = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        sizes = np.array([len(grades) for grades in kinds], dtype=np.int64)
        grades = np.array([grade for grades in kinds for grade in grades], dtype=np.float64)
        return cls(query, kind, pairs, sizes, grades, queries)

    @property
    def judgments(self) -> int:
        return int(self.pairs @ self.sizes[self.kind])

    @property
    def harmonic_size(self) -> float:
        """The harmonic mean of the pairs' numbers of judgments; 0 without a pair."""
        pairs = int(self.pairs.sum())
        return float(pairs / (self.pairs @ (1 / self.sizes[self.kind]))) if pairs else 0.0

    @property
    def pairs_of_kinds(self) -> Ints:
        """The number of pairs of each kind: (K,)."""
        return np.bincount(self.kind, self.pairs, len(self.sizes)).astype(np.int64)

    @property
    def pairs_of_queries(self) -> Ints:
        return self.by_query(np.ones(len(self.sizes))).astype(np.int64)

    def by_query(self, values: NDArray[np.floating] | NDArray[np.integer]) -> Floats:
        """The sum of `values` (K,), one for each kind, over the pairs of each query: (queries,)."""
        weights = values[self.kind] * self.pairs
        return np.asarray(np.bincount(self.query, weights, self.queries), dtype=np.float64)

    def rows_of_size(self, size: int) -> tuple[NDArray[np.bool_], Floats]:
        """Which kinds have `size` judgments, and their grades as rows."""
        has_size = self.sizes == size
        starts = (np.cumsum(self.sizes) - self.sizes)[has_size]
        return has_size, self.grades[starts[:, None] + np.arange(size)]


def counts(units: Units, scale: Floats) -> Ints:
    """How often each kind has each grade of `scale` (rising, with every grade in use): (K, V)."""
    kind = np.repeat(np.arange(len(units.sizes)), units.sizes)
    cell = kind * len(scale) + np.searchsorted(scale, units.grades)
    shape = len(units.sizes), len(scale)
    return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)


def coincidences(units: Units, scale: Floats) -> Floats:
    """Krippendorff's coincidence matrix of each query: (queries, V, V).

    A pair with m judgments adds n_c (n_v - [c = v]) / (m - 1) to the cell of grades c and v, so that it counts m
    times in all, and matrices of pairs add up (Krippendorff 2011, “Computing Krippendorff's Alpha-Reliability”).
    """
    grade_counts = counts(units, scale)
    matrices = np.zeros((units.queries, len(scale), len(scale)))
    for c in range(len(scale)):
        for v in range(c, len(scale)):
            both = grade_counts[:, c] * (grade_counts[:, v] - (c == v)) / (units.sizes - 1)
            matrices[:, c, v] = matrices[:, v, c] = units.by_query(both)
    return matrices


MOMENTS = ("judgments", "sum", "squares", "squared distance", "distance", "near")


def moments(units: Units, *, center: float, near: float) -> Floats:
    """The sums of each query for grades without fixed steps: (queries, 6), the columns of MOMENTS.

    Distances are between two judgments of a pair, weighted as in `coincidences`; `near` counts those at most `near`
    apart. Grades are relative to `center`, which loses fewer digits.
    """
    kind = np.zeros((len(units.sizes), len(MOMENTS)))
    for size in np.unique(units.sizes):
        has_size, rows = units.rows_of_size(size)
        deviations = rows - center
        kind[has_size, :3] = np.stack(
            [np.full(len(rows), size), deviations.sum(axis=1), (deviations**2).sum(axis=1)], axis=1
        )
        kind[has_size, 3:] = _distances(rows, near) * (2 / (size - 1))
    return np.stack([units.by_query(column) for column in kind.T], axis=1)


def _distances(rows: Floats, near: float) -> Floats:
    """Sums over every two grades of each row: squared distance, distance, how many are near. Each row rises."""
    sums = np.zeros((len(rows), 3))
    slack = 1e-9 * (abs(near) + 1)
    for first in range(rows.shape[1]):
        apart = rows[:, first + 1 :] - rows[:, first : first + 1]
        sums += np.stack(
            [(apart**2).sum(axis=1), apart.sum(axis=1), (apart <= near + slack).sum(axis=1)], axis=1
        )
    return sums
