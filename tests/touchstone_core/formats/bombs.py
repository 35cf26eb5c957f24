"""Files that unpack to far more than they are."""

import bz2
import gzip
import io
import zipfile
from collections.abc import Callable
from typing import Any

import zstandard


def gigabyte(kind: str, block: bytes) -> bytes:
    """A gigabyte of `block` again and again; of bzip2, which is slow, the sixteenth part."""
    stream = io.BytesIO()
    writers: dict[str, Callable[[], Any]] = {
        "gzip": lambda: gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=1),
        "bzip2": lambda: bz2.BZ2File(stream, "wb", compresslevel=1),
        "zstd": lambda: zstandard.ZstdCompressor(level=1).stream_writer(stream, closefd=False),
        "zip": lambda: zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1),
    }
    with writers[kind]() as file:
        inner = file.open("a", "w") if kind == "zip" else file
        for _ in range((1 << 30) // len(block) if kind != "bzip2" else 64):
            inner.write(block)
        if kind == "zip":
            inner.close()
    return stream.getvalue()
