"""The documents on the pages of runs, each once, as what decides between two runs needs them. R runs, Q queries, N ranks, D documents."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.types import Floats, Ints, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Every document of each query that one of the runs shows, sorted by query. The first two runs are compared.

    A document that both of them show at the same rank, or that only other runs show, has the weight 0: it can't decide.
    """

    query: Ints  # (D,) index of the query, never falling
    number: Ints  # (D,) the document's number, as on the pages
    discount: Floats  # (D, R) of its rank in each run, 0 where the run doesn't show it
    rank: Ints  # (D,) the best rank in any run, from 0
    gain: Floats  # (D,) NaN for an unjudged document
    queries: int
    top: float  # the greatest gain that the scale allows
    ideal: float  # IDCG-max

    @classmethod
    def of_pages(cls, document: Ints, gain: Floats, discount: Floats, top: float) -> Self:
        """Of pages (R, Q, N): `document` numbers, negative where nothing is shown, and `gain`, NaN where nothing is judged.

        Raises MetricsError for fewer than two runs, or if the greatest gain is not above 0.
        """
        if len(document) < 2 or not top > 0:
            raise MetricsError("To tell runs apart takes two of them, and a scale with a gain above 0.")
        run, query, rank = np.nonzero(document >= 0)
        number = document[run, query, rank]
        numbers = int(document.max(initial=0)) + 1
        key, at = np.unique(query * numbers + number, return_inverse=True)
        of_runs = np.zeros((len(key), len(document)))
        of_runs[at, run] = discount[rank]
        best = np.full(len(key), len(discount))
        np.minimum.at(best, at, rank)
        of_documents = np.full(len(key), np.nan)
        of_documents[at] = gain[run, query, rank]
        ideal = float(top * discount.sum())
        queries = max(1, document.shape[1])  # without any query nothing differs
        return cls(key // numbers, key % numbers, of_runs, best, of_documents, queries, top, ideal)

    @property
    def weight(self) -> Floats:
        """(D,) what a gain of 1 adds to the difference of NDCG-max of its query: the second run minus the first."""
        return np.asarray((self.discount[:, 1] - self.discount[:, 0]) / self.ideal)

    @property
    def unjudged(self) -> Mask:
        """(D,)"""
        return np.isnan(self.gain)

    @property
    def open(self) -> Mask:
        """(D,) unjudged documents that can decide."""
        return np.asarray(self.unjudged & (self.weight != 0))
