"""Runs as Parquet files with the columns of a CSV file. Reports count rows from 1 instead of lines."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from touchstone_core.formats.delimiters import MOST_COLUMNS
from touchstone_core.formats.kinds import size_in_words
from touchstone_core.formats.packing import FREE_LINES, PARQUET, most_lines, most_unpacked
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.runs.options import Options, RunRows
from touchstone_core.formats.runs.rankings import Rows
from touchstone_core.formats.runs.table_runs import add_row, names_texts, refuse_judgments, run_columns
from touchstone_core.formats.tables import match_columns
from touchstone_core.formats.text import Text

if TYPE_CHECKING:
    import polars as pl

BATCH: Final = 100_000
ROW_SIZE: Final = 16
NUMBERS: Final = ("rank", "score")


def read_parquet(data: bytes, name: str, report: Report, options: Options, *, limit: int) -> RunRows:
    """Reads only the columns of a run. `limit` is for the bytes of their texts. Raises FormatError."""
    if not data.startswith(PARQUET):
        raise FormatError(f"{name} is not a Parquet file.")
    try:
        import polars as pl
    except ImportError:
        message = f"{name} is a Parquet file, which needs the package polars. Save it as CSV."
        raise FormatError(message) from None
    try:
        frame = pl.scan_parquet(io.BytesIO(data))
        _refuse_large(frame, name, len(data))
        return _read(
            frame, name, report, options, limit=min(limit, ROW_SIZE * FREE_LINES + most_unpacked(len(data)))
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise FormatError(f"{name} is damaged: it starts as Parquet but cannot be read.") from None


def refuse_text(text: Text, report: Report, options: Options) -> RunRows:
    """Refuses a text, because Parquet files aren't text."""
    raise FormatError(f"{text.name} is not a Parquet file.")


def _refuse_large(frame: "pl.LazyFrame", name: str, size: int) -> None:
    """Refuses a file by its metadata, before any row is unpacked."""
    import polars as pl

    columns = len(frame.collect_schema())
    if columns > MOST_COLUMNS:
        raise FormatError(f"{name} has {columns:,} columns; at most {MOST_COLUMNS:,} are read.")
    rows = frame.select(pl.len()).collect().item()
    if rows > most_lines(size):
        raise FormatError(
            f"{name} says that it has {rows:,} rows, too many for its size ({size_in_words(size)}). Save it as CSV."
        )


def _read(frame: "pl.LazyFrame", name: str, report: Report, options: Options, *, limit: int) -> RunRows:
    schema = frame.collect_schema()
    headers = report.headers = match_columns(list(schema), run_columns(options), options.columns)
    refuse_judgments(name, schema, headers)
    plain = _plain(frame, headers, schema)
    if _size(plain) > limit:
        raise FormatError(f"{name} unpacks to more than {size_in_words(limit)}.")
    by_text = names_texts(headers["query"], options)
    rows_by_query: dict[str, Rows] = {}
    for number, row in enumerate(_rows(plain), start=1):
        add_row(number, dict(zip(headers, row, strict=True)), rows_by_query, report, by_text=by_text)
    return RunRows({"": rows_by_query}, by_text=by_text)


def _plain(frame: "pl.LazyFrame", headers: dict[str, str], schema: "pl.Schema") -> "pl.LazyFrame":
    """The columns of a run under our names, as text, 64-bit fractions or whole numbers as text."""
    import polars as pl

    columns = []
    for target, header in headers.items():
        kind = schema[header]
        text = kind == pl.String or isinstance(kind, (pl.Categorical, pl.Enum))
        fraction = kind.is_float() and target in NUMBERS
        if not (text or fraction or kind.is_integer()):
            expected = "numbers" if target in NUMBERS else "text or whole numbers"
            raise FormatError(f"The column “{header}” holds {kind}; expected {expected}.")
        columns.append(pl.col(header).cast(pl.Float64 if fraction else pl.String).alias(target))
    return frame.select(columns)


def _size(frame: "pl.LazyFrame") -> int:
    import polars as pl
    import polars.selectors as cs

    sizes = frame.select(cs.string().str.len_bytes().cast(pl.Int64).sum(), rows=pl.len()).collect().row(0)
    *texts, rows = (int(size or 0) for size in sizes)
    return sum(texts) + rows * ROW_SIZE


def _rows(frame: "pl.LazyFrame") -> Iterator[list[str]]:
    """Every cell as text. Numbers have the shortest form that reads back to them, and null is empty."""
    for batch in frame.collect().iter_slices(BATCH):
        for row in batch.iter_rows():
            yield ["" if cell is None else str(cell).strip() for cell in row]
