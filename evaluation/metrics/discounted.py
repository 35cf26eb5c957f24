"""DCG of ragged lists: the sums that the ladder and the measures share. Q queries, N entries by query."""

import numpy as np

from evaluation.metrics.errors import MetricsError
from evaluation.metrics.types import Floats, Ints

# Sums of the same gains in another order may differ in the last digits; more than that is a wrong input.
ROUNDING = 1e-9


def sum_discounted(query: Ints, gain: Floats, position: Ints, discount: Floats, queries: int) -> Floats:
    """The sum of gain · discount of each query (Q,), added in the given order; positions count from 0."""
    return sums(query, gain * discount[position], queries)


def sums(query: Ints, worth: Floats, queries: int) -> Floats:
    """The sum of each query's entries (Q,), added in the given order."""
    # numpy counts in integers where there is nothing to add.
    return np.asarray(np.bincount(query, worth, queries), dtype=np.float64)


def sum_ideal(query: Ints, gain: Floats, discount: Floats, queries: int, limit: Ints | None = None) -> Floats:
    """The DCG (Q,) of each query's gains in descending order, cut where the discounts end. `query` never falls.

    `limit` (Q,), at most the number of discounts, cuts each query's list at a rank of its own.
    """
    worth = gain > 0
    query, gain = query[worth], gain[worth]
    gain = gain[np.lexsort((-gain, query))]
    position = positions(query)
    inside = position < (len(discount) if limit is None else limit[query])
    return sum_discounted(query[inside], gain[inside], position[inside], discount, queries)


def positions(query: Ints) -> Ints:
    """How many entries of the same query stand before each entry (N,). `query` never falls."""
    counts = np.bincount(query)
    return np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)


def at_least(below: Floats, ideal: Floats) -> Floats:
    """The ideal, lifted to what must not exceed it where rounding pushed it under; refuses more than that."""
    if (below - ideal > ROUNDING * below).any():
        raise MetricsError("The hits and the judgments of a query do not carry the same grades.")
    return np.maximum(ideal, below)
