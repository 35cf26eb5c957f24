"""Two pages of the same queries as numbers: which documents are on both, and how much each move weighs.

A page is a row of N document numbers, best first, and negative numbers where it shows nothing. A document has the same number
on both pages of a query. Q queries, N ranks.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from touchstone_core.metrics.types import Floats, Ints

NOTHING: Final = -1
"""The number of a rank without a document."""


class CommonDocuments(NamedTuple):
    """The documents on both pages (S,), sorted by query and rank in the baseline. Ranks count from 0."""

    query: Ints
    baseline: Ints
    candidate: Ints


def number_documents(pages: Sequence[Sequence[Sequence[str]]], cutoff: int) -> Ints:
    """Numbers the documents of R runs within each query: (R, Q, N). N is the cutoff.

    Raises ValueError if the runs do not have the same number of queries.
    """
    queries = len(pages[0])
    numbers = np.full((len(pages), queries, cutoff), NOTHING)
    by_query: list[dict[str, int]] = [{} for _ in range(queries)]
    for place, of_run in enumerate(pages):
        for query, (number_of, page) in enumerate(zip(by_query, of_run, strict=True)):
            row = [number_of.setdefault(document, len(number_of)) for document in page[:cutoff]]
            numbers[place, query, : len(row)] = row
    return numbers


def common_documents(baseline: Ints, candidate: Ints) -> CommonDocuments:
    """Returns the documents that are on both pages (Q, N)."""
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
    return CommonDocuments(old // cutoff, old % cutoff, new % cutoff)


def moves(baseline: Ints, candidate: Ints, discount: Floats) -> Floats:
    """The discount of each document in the candidate minus that in the baseline (Q, 2N); a document outside a page has 0.

    The first N columns are the ranks of the candidate, the others those of the baseline. A document on both pages counts in
    the first half only.
    """
    cutoff = len(discount)
    both = common_documents(baseline, candidate)
    weight = np.concatenate(
        [np.where(candidate >= 0, discount, 0.0), np.where(baseline >= 0, -discount, 0.0)], axis=1
    )
    weight[both.query, both.candidate] -= discount[both.baseline]
    weight[both.query, cutoff + both.baseline] = 0.0
    return weight
