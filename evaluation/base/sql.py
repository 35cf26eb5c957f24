"""Rankings as stored blocks, and retrieved documents among those of a query set."""

import threading
from collections.abc import Iterable
from typing import Final, TypeAlias

import numpy as np
import zstandard
from numpy.typing import ArrayLike, NDArray

from judgments.base.sql import copy

_LEVEL: Final = 1  # level 3 saves 4 % of the size and takes twice the time
_SCORE: Final = np.dtype("<f8")

Block: TypeAlias = bytes | memoryview


class _Codec(threading.local):
    """Kept because creating these takes ten times longer than compressing a hundred IDs. One for each thread."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=_LEVEL).compress
        self.decompress = zstandard.ZstdDecompressor().decompress


_CODEC: Final = _Codec()


def pack_joined(text: str, size: int) -> bytes:
    """External IDs in the order in which they are evaluated, `size` of them, joined by line feeds. Raises ValueError for an empty ID or
    one with a line feed."""
    count = text.count("\n") + 1 if size else 0
    if count != size or (size and ("\n\n" in text or text[:1] in ("", "\n") or text[-1] == "\n")):
        raise ValueError("An external document ID is empty or holds a line break.")
    return _compress(text.encode())


def unpack_documents(block: Block, *, first: int = -1) -> list[str]:
    """The external IDs, or only the `first` of them, from the best on."""
    text = _CODEC.decompress(block).decode()
    documents = text.split("\n", first) if text else []
    return documents if first < 0 else documents[:first]


def pack_scores(scores: ArrayLike) -> bytes:
    return _compress(np.asarray(scores, dtype=_SCORE).tobytes())


def unpack_scores(block: Block) -> NDArray[np.float64]:
    return np.frombuffer(_CODEC.decompress(block), dtype=_SCORE).astype(np.float64)


def _compress(data: bytes) -> bytes:
    return bytes(_CODEC.compress(data))


# An array, looked up as a hash table or by the unique index: either way the time grows with the rows, whatever the
# planner takes the new tables to be. A join, even one by LATERAL … OFFSET 0, may compare everything with everything.
_COUNT: Final = """
    SELECT count(*) FROM judgments_document
    WHERE query_set_id = %(query_set)s AND external_id = ANY(%(names)s::text[])
"""

_ALL: Final = """
    SELECT string_agg(external_id, E'\\n') FROM judgments_document WHERE query_set_id = %(query_set)s GROUP BY id / 100000
"""
_IDS: Final = """
    SELECT external_id, id FROM judgments_document
    WHERE query_set_id = %(query_set)s AND external_id = ANY(%(names)s::text[])
"""


def count_known(query_set_id: int, names: Iterable[str]) -> int:
    """How many of these external IDs are documents of the query set. One query."""
    return int(copy.value(_COUNT, query_set=query_set_id, names=list(names)))


def all_ids(query_set_id: int) -> list[str]:
    """The external IDs of all documents of the query set, joined by line feeds in texts of up to 100,000. One query."""
    return [text for (text,) in copy.rows(_ALL, query_set=query_set_id)]


def known_ids(query_set_id: int, names: Iterable[str]) -> dict[str, int]:
    """The documents of the query set with these external IDs. One query."""
    return dict(copy.rows(_IDS, query_set=query_set_id, names=list(names)))
