"""Parquet files that say of themselves that they are too large, or turn out to be."""

import io

import polars as pl
import pytest

from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.runs import read_file


def parquet(**columns):
    stream = io.BytesIO()
    pl.select(**columns).write_parquet(stream)
    return stream.getvalue()


def repeated(value, count):
    return pl.repeat(value, count, dtype=pl.String)


def test_more_columns_than_are_read_are_refused():
    data = parquet(**{f"c{number}": pl.lit(1) for number in range(1_001)})

    with pytest.raises(FormatError, match="run has 1,001 columns; at most 1,000 are read"):
        read_file(data, name="run", limit=1 << 30)


def test_more_rows_than_its_size_allows_are_refused_before_they_are_read():
    data = parquet(query_id=repeated("q", 300_000), document_id=repeated("d", 300_000))

    with pytest.raises(FormatError, match="run says that it has 300,000 rows, too many for its size"):
        read_file(data, name="run", limit=1 << 30)


def test_texts_that_are_long_beyond_its_size_are_refused():
    data = parquet(query_id=repeated("q" * 1_000, 20_000), document_id=repeated("d", 20_000))

    with pytest.raises(FormatError, match="run unpacks to more than 4"):
        read_file(data, name="run", limit=1 << 30)
