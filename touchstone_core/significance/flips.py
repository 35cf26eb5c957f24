"""Sign flips: the sums of differences when the two runs of each query are swapped at random.

Under the null hypothesis the two scores of a query could be swapped, so every difference may change its sign (Fisher 1935;
Smucker, Allan & Carterette, CIKM 2007).

Multiplying by a matrix of 100,000 × 7,000 random signs takes seconds, mostly for writing the signs. Here one random byte
has the signs of eight queries, and a table has their 256 possible sums ("Four Russians", Arlazarov et al. 1970). Each draw
then adds one row of a table for each eight queries. All runs share the bytes. The order of additions is fixed, so the sums
are the same on every machine.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from touchstone_core.significance.types import Floats

EIGHT: Final = 8
# So many draws, and tables of eight queries, are processed at once, because they fit into a processor's cache.
_BLOCK, _TABLES = 4096, 64


def flipped_sums(columns: Floats, draws: int, generator: np.random.Generator) -> Floats:
    """The sums (B, R) of columns (Q, R) under B random assignments of signs. All columns share the signs."""
    queries, runs = columns.shape
    eights = np.concatenate([columns, np.zeros((-queries % EIGHT, runs))]).reshape(-1, EIGHT, runs)
    sums = np.zeros((draws, runs))
    for start in range(0, len(eights), _TABLES):
        some = eights[start : start + _TABLES]
        tables, has_changes = _tables(some), some.any(axis=(1, 2))
        for first in range(0, draws, _BLOCK):
            block = sums[first : first + _BLOCK]
            signs = generator.integers(0, 256, size=(len(some), len(block)), dtype=np.uint8)
            _add(block, tables[has_changes], signs[has_changes])
    return sums


def every_sum(column: Floats) -> Floats:
    """The sums (2ⁿ,) of one column (n,) under every assignment of signs, for a small n."""
    sums = np.zeros(1)
    for value in column:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _tables(eights: Floats) -> Floats:
    """The sums (G, 256, R) of each eight queries (G, 8, R) under all assignments of signs."""
    groups, _, runs = eights.shape
    tables = np.zeros((groups, 1, runs))
    for query in range(EIGHT):
        value = eights[:, query, None]
        tables = np.concatenate([tables + value, tables - value], axis=1)
    return tables


def _add(sums: Floats, tables: Floats, signs: NDArray[np.uint8]) -> None:
    """Adds to the sums (b, R) the row of each table (G, 256, R) that the signs (G, b) choose."""
    rows = np.empty_like(sums)
    for table, bytes_ in zip(tables, signs, strict=True):
        # Without a mode, numpy would write to a buffer first.
        np.take(table, bytes_, axis=0, out=rows, mode="clip")
        sums += rows
