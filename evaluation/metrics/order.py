"""The one rule that puts a ranking in order, before any measure sees it."""

from collections.abc import Sequence

import numpy as np

from evaluation.metrics.errors import MetricsError
from evaluation.metrics.types import Floats, Ints


def order(scores: Floats | None, document_ids: Sequence[str]) -> Ints:
    """Indices that put the documents in order, best first; without scores the given order stands.

    As trec_eval: retrieval score descending, compared as float64, then external id descending by UTF-8 bytes.
    """
    if scores is None:
        return np.arange(len(document_ids))
    _check(scores, document_ids)
    best_first = np.argsort(-scores).astype(np.int64)
    if not _has_equal_neighbors(scores[best_first]):
        return best_first
    # Code points order strings exactly as their UTF-8 bytes do, so that nothing needs to be encoded.
    by_id = np.array(sorted(range(len(document_ids)), key=document_ids.__getitem__, reverse=True))
    return by_id[np.argsort(-scores[by_id], stable=True)]


def tied_within(scores: Floats | None, cutoff: int) -> bool:
    """Whether equal scores meet inside the cutoff or across it, so that the ids decide what is shown there.

    The scores may stand in any order.
    """
    if scores is None:
        return False
    return _has_equal_neighbors(np.sort(-scores)[: cutoff + 1])


def _has_equal_neighbors(ordered: Floats) -> bool:
    return bool((ordered[:-1] == ordered[1:]).any())


def _check(scores: Floats, document_ids: Sequence[str]) -> None:
    if len(scores) != len(document_ids):
        raise MetricsError(f"There are {len(scores)} scores for {len(document_ids)} documents.")
    if np.isnan(scores).any():
        raise MetricsError("A retrieval score is not a number, so the ranking has no order.")
