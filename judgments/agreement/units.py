"""Pairs with two or more judgments, and the sums over them from which everything else follows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Units:
    """What was given to N groups of pairs: those of one query whose judgments are the same combination of grades.

    `query`, `kind` (N,) are the indices of the query and of the combination, `pairs` (N,) how many pairs there are.
    Of K kinds `sizes` (K,) says how many judgments each has, two or more; `grades` (sum of sizes,) are those of one kind
    after those of another, rising within it. Most combinations occur often, so that K is small.
    """

    query: Ints
    kind: Ints
    pairs: Ints
    sizes: Ints
    grades: Floats
    queries: int

    @classmethod
    def of(cls, groups: Sequence[tuple[int, Sequence[float], int]], queries: int) -> "Units":
        """From (query, grades, pairs); groups with fewer than two grades say nothing and are left out."""
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
    def pairs_of_kinds(self) -> Ints:
        """How many pairs are of each kind: (K,)."""
        return np.bincount(self.kind, self.pairs, len(self.sizes)).astype(np.int64)

    @property
    def pairs_of_queries(self) -> Ints:
        return self.by_query(np.ones(len(self.sizes))).astype(np.int64)

    def by_query(self, values: NDArray[np.floating] | NDArray[np.integer]) -> Floats:
        """The sum over the pairs of each query of what each kind is worth, `values` (K,): (queries,)."""
        weights = values[self.kind] * self.pairs
        return np.asarray(np.bincount(self.query, weights, self.queries), dtype=np.float64)

    def rows_of_size(self, size: int) -> tuple[NDArray[np.bool_], Floats]:
        """Which kinds have `size` judgments, and their grades as rows."""
        chosen = self.sizes == size
        starts = (np.cumsum(self.sizes) - self.sizes)[chosen]
        return chosen, self.grades[starts[:, None] + np.arange(size)]


def counts(units: Units, scale: Floats) -> Ints:
    """How often each kind has each grade of `scale`, which rises and holds every grade given: (K, V)."""
    kind = np.repeat(np.arange(len(units.sizes)), units.sizes)
    cell = kind * len(scale) + np.searchsorted(scale, units.grades)
    shape = len(units.sizes), len(scale)
    return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)


def coincidences(units: Units, scale: Floats) -> Floats:
    """Krippendorff's coincidence matrix of each query: (queries, V, V).

    A pair with m judgments adds n_c (n_v - [c = v]) / (m - 1) to the cell of grades c and v, so that it counts m
    times in all, and matrices of pairs add up (Krippendorff 2011, “Computing Krippendorff's Alpha-Reliability”).
    """
    given = counts(units, scale)
    found = np.zeros((units.queries, len(scale), len(scale)))
    for c in range(len(scale)):
        for v in range(c, len(scale)):
            both = given[:, c] * (given[:, v] - (c == v)) / (units.sizes - 1)
            found[:, c, v] = found[:, v, c] = units.by_query(both)
    return found


MOMENTS = ("judgments", "sum", "squares", "squared distance", "distance", "near")


def moments(units: Units, *, center: float, near: float) -> Floats:
    """The sums of each query that grades without fixed steps need: (queries, 6), the columns of MOMENTS.

    Distances are those of two judgments of a pair, weighted as in `coincidences`; `near` counts those of at most `near`
    apart. Grades are taken relative to `center`, which saves digits.
    """
    kind = np.zeros((len(units.sizes), len(MOMENTS)))
    for size in np.unique(units.sizes):
        chosen, rows = units.rows_of_size(size)
        centered = rows - center
        kind[chosen, :3] = np.stack(
            [np.full(len(rows), size), centered.sum(axis=1), (centered**2).sum(axis=1)], axis=1
        )
        kind[chosen, 3:] = _distances(rows, near) * (2 / (size - 1))
    return np.stack([units.by_query(column) for column in kind.T], axis=1)


def _distances(rows: Floats, near: float) -> Floats:
    """Over the couples of each row: squared distance, distance, and how many are near. Rows rise."""
    found = np.zeros((len(rows), 3))
    slack = 1e-9 * (abs(near) + 1)
    for first in range(rows.shape[1]):
        apart = rows[:, first + 1 :] - rows[:, first : first + 1]
        found += np.stack(
            [(apart**2).sum(axis=1), apart.sum(axis=1), (apart <= near + slack).sum(axis=1)], axis=1
        )
    return found
