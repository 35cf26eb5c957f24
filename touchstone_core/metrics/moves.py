"""Two pages of the same queries as numbers: which documents stand on both, and what each change of place weighs.

A page is a row of N document numbers, best first, negative where nothing is shown; a document has the same number on both pages
of a query. Q queries, N ranks.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from touchstone_core.metrics.types import Floats, Ints

NOTHING: Final = -1
"""The number of a rank without a document."""


class Shared(NamedTuple):
    """The documents on both pages: (S,) each, by query and rank of the baseline; ranks count from 0."""

    query: Ints
    baseline: Ints
    candidate: Ints


def numbered(pages: Sequence[Sequence[Sequence[str]]], cutoff: int) -> Ints:
    """(R, Q, N) the documents of R runs by query, numbered within each query; `pages` are cut at N.

    Raises ValueError where a run has another number of queries than the first.
    """
    queries = len(pages[0])
    found = np.full((len(pages), queries, cutoff), NOTHING)
    numbers: list[dict[str, int]] = [{} for _ in range(queries)]
    for place, of_run in enumerate(pages):
        for query, (known, page) in enumerate(zip(numbers, of_run, strict=True)):
            row = [known.setdefault(document, len(known)) for document in page[:cutoff]]
            found[place, query, : len(row)] = row
    return found


def shared(baseline: Ints, candidate: Ints) -> Shared:
    """Of two pages (Q, N)."""
    cutoff = baseline.shape[1]
    old, new = np.flatnonzero(baseline >= 0), np.flatnonzero(candidate >= 0)
    most = max(baseline.max(initial=0), candidate.max(initial=0)) + 1
    _, at_old, at_new = np.intersect1d(
        (old // cutoff) * most + baseline.ravel()[old],
        (new // cutoff) * most + candidate.ravel()[new],
        assume_unique=True,
        return_indices=True,
    )
    order = np.argsort(old[at_old])
    old, new = old[at_old][order], new[at_new][order]
    return Shared(old // cutoff, old % cutoff, new % cutoff)


def moves(baseline: Ints, candidate: Ints, discount: Floats) -> Floats:
    """(Q, 2N) the discount of each document in the candidate less that in the baseline, 0 outside of a page.

    First the documents of the candidate's page, rank by rank, then those that have left the baseline's; 0 where a document keeps
    its rank, where nothing stands, and for what the first half has told of already.
    """
    cutoff = len(discount)
    both = shared(baseline, candidate)
    weight = np.concatenate(
        [np.where(candidate >= 0, discount, 0.0), np.where(baseline >= 0, -discount, 0.0)], axis=1
    )
    weight[both.query, both.candidate] -= discount[both.baseline]
    weight[both.query, cutoff + both.baseline] = 0.0
    return weight
