"""The rule that orders a ranking before any measure reads it."""

from array import array
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.types import Floats, Ints

Precision = Literal["single", "double"]
Order = Literal["score", "double", "rank"]
"""What decides a run's order: its scores in single precision, its scores in double precision, or its rank column."""
ScoreArray: TypeAlias = NDArray[np.float32] | Floats

ORDER_WORDS: Final[dict[Order, str]] = {
    "score": "Retrieval score in single precision, then document ID (as trec_eval)",
    "double": "Retrieval score in double precision, then document ID",
    "rank": "The file’s rank column",
}


def order(scores: Floats | None, document_ids: Sequence[str], precision: Precision = "single") -> Ints:
    """Returns the indices that sort the documents, best first. Without scores they stay in the given order.

    Sorts by retrieval score, then by document ID as UTF-8 bytes, both descending. trec_eval up to 9.0.8 and pytrec_eval do
    the same in single precision, trec_eval 10.0 in double precision (type of `sim` in trec_eval.h).
    """
    if scores is None:
        return np.arange(len(document_ids))
    _check(scores, document_ids)
    keys = at_precision(scores, precision)
    best_first = np.argsort(-keys).astype(np.int64)
    best_keys = keys[best_first]
    if not (best_keys[:-1] == best_keys[1:]).any():
        return best_first
    # Strings sort by code point exactly as their UTF-8 bytes do.
    by_id = np.array(sorted(range(len(document_ids)), key=document_ids.__getitem__, reverse=True))
    return by_id[np.argsort(-keys[by_id], stable=True)]


def at_precision(scores: Floats, precision: Precision) -> ScoreArray:
    """Returns the scores (n,) in this precision. In single precision, scores that agree to about seven digits are equal.

    Scores beyond 3.4e38 become infinite there, as in trec_eval.
    """
    if precision == "double":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)


def list_at_precision(scores: list[float], precision: Precision) -> Sequence[float]:
    """The same for a list, because numpy is slow for short lists."""
    return array("f", scores) if precision == "single" else scores


def precision_of(order: str) -> Precision:
    """The precision in which this order compares scores."""
    return "double" if order == "double" else "single"


def _check(scores: Floats, document_ids: Sequence[str]) -> None:
    if len(scores) != len(document_ids):
        raise MetricsError(f"There are {len(scores)} scores for {len(document_ids)} documents.")
    if np.isnan(scores).any():
        raise MetricsError("A retrieval score is not a number, so the ranking has no order.")
