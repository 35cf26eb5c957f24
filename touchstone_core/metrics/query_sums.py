"""Sums per query, such as DCG, for entries sorted by query. Q queries, N entries."""

from collections.abc import Callable

import numpy as np

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.policies import SKIP
from touchstone_core.metrics.types import Floats, Ints, Mask

# Sums of the same gains in another order may differ in the last digits. A greater difference means wrong input.
ROUNDING = 1e-9


def sum_discounted(query: Ints, gain: Floats, position: Ints, discount: Floats, queries: int) -> Floats:
    """The sum of gain · discount of each query (Q,), added in this order. Positions count from 0."""
    return sums(query, gain * discount[position], queries)


def sums(query: Ints, worth: Floats, queries: int) -> Floats:
    """The sum of each query's entries (Q,), added in this order."""
    # np.bincount returns integers if there is nothing to add.
    return np.asarray(np.bincount(query, worth, queries), dtype=np.float64)


def sum_ideal(query: Ints, gain: Floats, discount: Floats, queries: int, limit: Ints | None = None) -> Floats:
    """The DCG (Q,) of each query's gains in descending order, cut where the discounts end. Entries are sorted by `query`.

    `limit` (Q,) cuts each query's list at its own rank, at most the number of discounts.
    """
    worth = gain > 0
    query, gain = query[worth], gain[worth]
    gain = gain[np.lexsort((-gain, query))]
    position = positions(query)
    inside = position < (len(discount) if limit is None else limit[query])
    return sum_discounted(query[inside], gain[inside], position[inside], discount, queries)


def positions(query: Ints) -> Ints:
    """How many entries of the same query come before each entry (N,). Entries are sorted by `query`."""
    counts = np.bincount(query)
    return np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)


def at_least(below: Floats, ideal: Floats) -> Floats:
    """Returns the ideal, raised to `below` where rounding made it smaller; raises MetricsError where it is smaller by more."""
    if (below - ideal > ROUNDING * below).any():
        raise MetricsError("The hits and the judgments of a query have different grades.")
    return np.maximum(ideal, below)


def divide_by_ideal(
    dcg: Floats, ideal: Floats, *, zero: int | str, answered: Mask, some_gain: Callable[[], Mask]
) -> Floats:
    """NDCG (Q,): DCG / ideal DCG. Where the ideal is 0, the policy `zero` decides; NaN for 'skip'.

    A query that is missing from the run counts as 0 under zero=1 too. Under 'skip' it is left out only if its judgments hold
    no gain, because otherwise missing it is the run's fault.
    """
    at_zero = np.nan if zero == SKIP else float(zero)
    values = np.divide(dcg, ideal, out=np.full(len(ideal), at_zero), where=ideal > 0)
    values[(~answered & some_gain()) if zero == SKIP else ~answered] = 0.0
    return values
