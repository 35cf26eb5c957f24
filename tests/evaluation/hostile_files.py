"""Small files that were made to take gigabytes or minutes, as they are sent to the pages that take files."""

import bz2
import gzip
import io
import json
import zipfile
from collections.abc import Callable

import polars as pl
import zstandard

MEGABYTE = 1 << 20


def blanks() -> bytes:
    return gzip.compress(b"\n" * (1000 * MEGABYTE), compresslevel=9)


def nearly_blank() -> bytes:
    return gzip.compress((b"\n" * (MEGABYTE // 2) + b"q Q0 d 1 1 t\n") * 400, compresslevel=9)


def one_line(pack: Callable[[bytes], bytes] = gzip.compress) -> bytes:
    return pack(b'{"q": [' + b'"x",' * (60 * MEGABYTE))


def rows(pack: Callable[[bytes], bytes] = bz2.compress) -> bytes:
    return pack(b"q Q0 d 1 1.0 t\n" * MEGABYTE)


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(data)


def zipped(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", data)
    return stream.getvalue()


def nested() -> bytes:
    return gzip.compress(gzip.compress(b"\0" * (500 * MEGABYTE)))


def many_members() -> bytes:
    """The directory of an archive of 60,000 files, each of nothing, with names of 500 letters."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(60_000):
            archive.writestr(f"{number:0500}", b"")
    return stream.getvalue()


def parquet() -> bytes:
    """Twenty million rows, which differ in nothing, from a writer that says each value once."""
    stream = io.BytesIO()
    pl.select(
        pl.repeat("q1", 20_000_000, dtype=pl.String).alias("query_id"),
        pl.repeat("d1", 20_000_000, dtype=pl.String).alias("document_id"),
    ).write_parquet(stream, compression="zstd", row_group_size=20_000_000)
    return stream.getvalue()


def parquet_of_long_texts() -> bytes:
    stream = io.BytesIO()
    pl.select(
        pl.repeat("q" * 100_000, 20_000, dtype=pl.String).alias("query_id"),
        pl.repeat("d1", 20_000, dtype=pl.String).alias("document_id"),
    ).write_parquet(stream, compression="zstd", row_group_size=20_000)
    return stream.getvalue()


def wide() -> bytes:
    header = ["query_id", "document_id", "grade", *(f"column {number}" for number in range(20_000))]
    return ("\n".join([",".join(header), *[",".join(["1"] * len(header))] * 20]) + "\n").encode()


def commas() -> bytes:
    return b"query_id,document_id,grade\n" + b"," * 9_000_000 + b"\n" + b"," * 9_000_000 + b"\n"


def deep() -> bytes:
    return b'{"q": ' + b"[" * 3_000_000


def giant_numbers() -> bytes:
    return b'{"q": {"d": ' + b"9" * 3_000_000 + b"}}"


def many_keys() -> bytes:
    return "\n".join(json.dumps({f"k{line} {n}": 1 for n in range(500)}) for line in range(300)).encode()


def cell() -> bytes:
    return b'query_id,document_id,grade\nq,"' + b"x" * (30 * MEGABYTE) + b'",1\n'


HOSTILE = {
    "gzip of blanks": blanks,
    "gzip, nearly blank": nearly_blank,
    "gzip of one line": one_line,
    "gzip of rows": lambda: rows(gzip.compress),
    "bzip2 of rows": rows,
    "zstd of rows": lambda: rows(zstd),
    "zstd of one line": lambda: one_line(zstd),
    "zip of rows": lambda: rows(zipped),
    "nested": nested,
    "zip of many files": many_members,
    "parquet of many rows": parquet,
    "parquet of long texts": parquet_of_long_texts,
    "wide": wide,
    "commas": commas,
    "deep": deep,
    "giant numbers": giant_numbers,
    "many keys": many_keys,
    "one cell": cell,
}
