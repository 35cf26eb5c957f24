"""The one rule that puts a ranking in order, before any measure sees it."""

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
Compared: TypeAlias = NDArray[np.float32] | Floats

ORDER_WORDS: Final[dict[Order, str]] = {
    "score": "Retrieval score in single precision, then document id (as trec_eval)",
    "double": "Retrieval score in double precision, then document id",
    "rank": "The file's rank column",
}


def order(scores: Floats | None, document_ids: Sequence[str], precision: Precision = "single") -> Ints:
    """Indices that put the documents in order, best first; without scores the given order stands.

    Retrieval score descending, then external id descending by UTF-8 bytes. In single precision that is what trec_eval
    up to 9.0.8 and pytrec_eval do, in double precision trec_eval 10.0 (type of `sim` in trec_eval.h).
    """
    if scores is None:
        return np.arange(len(document_ids))
    _check(scores, document_ids)
    compared = as_compared(scores, precision)
    best_first = np.argsort(-compared).astype(np.int64)
    if not _has_equal_neighbors(compared[best_first]):
        return best_first
    # Code points order strings exactly as their UTF-8 bytes do, so that nothing needs to be encoded.
    by_id = np.array(sorted(range(len(document_ids)), key=document_ids.__getitem__, reverse=True))
    return by_id[np.argsort(-compared[by_id], stable=True)]


def as_compared(scores: Floats, precision: Precision) -> Compared:
    """The scores (n,) as they are compared: in single precision those that agree to about seven digits are equal.

    What is beyond its range (3.4e38) is infinite there, as it is to trec_eval.
    """
    if precision == "double":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)


def list_as_compared(scores: list[float], precision: Precision) -> Sequence[float]:
    """The same of a list, without the arrays that short lists are slow in."""
    return array("f", scores) if precision == "single" else scores


def precision_of(order: str) -> Precision:
    """In which precision scores are compared where this decides a run's order."""
    return "double" if order == "double" else "single"


def _has_equal_neighbors(ordered: Compared) -> bool:
    return bool((ordered[:-1] == ordered[1:]).any())


def _check(scores: Floats, document_ids: Sequence[str]) -> None:
    if len(scores) != len(document_ids):
        raise MetricsError(f"There are {len(scores)} scores for {len(document_ids)} documents.")
    if np.isnan(scores).any():
        raise MetricsError("A retrieval score is not a number, so the ranking has no order.")
