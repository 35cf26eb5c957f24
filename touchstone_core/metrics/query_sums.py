"""DCG of ragged lists: the sums that the ladder and the measures share. Q queries, N entries by query."""

from collections.abc import Callable

import numpy as np

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.policies import SKIP
from touchstone_core.metrics.types import Floats, Ints, Mask

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


def normalized(
    dcg: Floats, ideal: Floats, *, zero: int | str, answered: Mask, some_gain: Callable[[], Mask]
) -> Floats:
    """NDCG (Q,): DCG / ideal DCG; where the ideal is 0, what the policy `zero` says, and NaN for 'skip'.

    A query that is missing from the run counts as 0 under zero=1 too, since nothing can be right with it. Under 'skip' it is
    left out only if its judgments don't hold `some_gain`, since otherwise missing it is the run's fault.
    """
    undefined = np.nan if zero == SKIP else float(zero)
    values = np.divide(dcg, ideal, out=np.full(len(ideal), undefined), where=ideal > 0)
    values[(~answered & some_gain()) if zero == SKIP else ~answered] = 0.0
    return values
