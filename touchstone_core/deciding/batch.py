"""Which documents to judge next, so that raters stay with a query. D documents."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from touchstone_core.deciding.difference import most_valuable
from touchstone_core.deciding.documents import Documents
from touchstone_core.metrics.query_sums import positions, sums
from touchstone_core.metrics.types import Floats, Ints, Mask

MOST_OF_QUERY: Final = 8
"""Of a query, so many documents are taken at once because of what they decide."""
RANDOM_SHARE: Final = 0.12
"""This share of a batch is drawn from all unjudged documents, each with the same chance."""
FIRST_RANKS: Final = 3
"""Before anything else, the documents down to this rank are judged where the runs differ."""
_QUERY_COST: Final = 1.5  # to read a query costs a rater as much as so many documents


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Documents (indices) that were chosen for what they decide, and those that were drawn at random, in no order."""

    targeted: Ints
    random: Ints

    def __len__(self) -> int:
        return len(self.targeted) + len(self.random)


def next_batch(
    documents: Documents, value: Floats, size: int, random: np.random.Generator, waiting: Mask | None = None
) -> Batch:
    """At most `size` unjudged documents; `value` (D,) is that of `Difference`. Those that are `waiting` (D,) for their raters
    already are left out. Empty once nothing is left that can decide.

    The random ones are drawn first, from all the others that are unjudged, so that each has the same chance. They tell how
    wrong the expected gains are.
    """
    free = documents.unjudged if waiting is None else documents.unjudged & ~waiting
    value = np.where(free, value, 0.0)
    if not value.any() or size < 1:
        return Batch(_NONE, _NONE)
    unjudged = np.flatnonzero(free)
    drawn = random.choice(unjudged, size=min(round(RANDOM_SHARE * size), len(unjudged)), replace=False)
    value[drawn] = 0.0
    first = _first_documents(documents, value, random)[: size - len(drawn)]
    value[first] = 0.0
    further = _best_queries(documents, value, size - len(drawn) - len(first))
    # In no order, so that raters can't guess a rank or a run from the place of a document.
    return Batch(random.permutation(np.concatenate([first, further])), drawn)


_NONE: Final = np.zeros(0, dtype=np.int64)


def _first_documents(documents: Documents, value: Floats, random: np.random.Generator) -> Ints:
    """Those of the first ranks that can decide, rank by rank, each rank in another order of the queries."""
    first = np.flatnonzero((documents.rank < FIRST_RANKS) & (value > 0))
    shuffled = random.permutation(documents.queries)
    return first[np.lexsort((shuffled[documents.query[first]], documents.rank[first]))]


def _best_queries(documents: Documents, value: Floats, size: int) -> Ints:
    """The most valuable documents of the queries that are worth most for what reading them costs; more than MOST_OF_QUERY of a
    query only once all have given so many."""
    best = most_valuable(value)
    best = best[np.argsort(documents.query[best], kind="stable")]
    query = documents.query[best]
    turn = positions(query) // MOST_OF_QUERY
    first = turn == 0
    taken = sums(query[first], np.ones(first.sum()), documents.queries)
    worth = sums(query[first], value[best[first]], documents.queries) / (_QUERY_COST + taken)
    return best[np.lexsort((-worth[query], turn))][:size]
