"""A ranking's columns as compressed blocks: external IDs joined by newlines, retrieval scores as float64."""

import threading
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import zstandard
from numpy.typing import ArrayLike, NDArray

_LEVEL: Final = 1  # level 3 saves 4 % of the size and takes twice the time
_SCORE: Final = np.dtype("<f8")

Block: TypeAlias = bytes | memoryview


class _Codec(threading.local):
    """Kept because creating these takes ten times longer than compressing a hundred IDs. One for each thread."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=_LEVEL).compress
        self.decompress = zstandard.ZstdDecompressor().decompress


_CODEC: Final = _Codec()


def pack_documents(documents: Sequence[str]) -> bytes:
    """External IDs in the order in which they are evaluated. An ID is not empty and holds no line feed: ValueError."""
    return pack_joined("\n".join(documents), len(documents))


def pack_joined(text: str, size: int) -> bytes:
    """As `pack_documents`, of `size` IDs that are joined by line feeds already."""
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
