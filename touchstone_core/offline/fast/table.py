"""A whole file as arrays. Reads pieces in parallel, joins them, and reports repeated documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from touchstone_core.ahead import ahead
from touchstone_core.formats.judgments.qrels import twice
from touchstone_core.formats.problems import MOST_PROBLEMS, FormatError, Report
from touchstone_core.formats.runs.rankings import SEVERAL_TAGS, TWICE
from touchstone_core.formats.runs.trec import TrecReader
from touchstone_core.formats.runs.trec_shapes import refuse_different_columns
from touchstone_core.metrics.types import Floats, Ints
from touchstone_core.offline.fast.chunks import SIZE, Chunk, read_chunks
from touchstone_core.offline.fast.columns import Columns, Hashes, first_tag, read_qrels_rows, read_run_rows

NO_ROWS: Final = "{name} holds no rows, only comments or blank lines."
NO_PLACES: Final = np.zeros(0, dtype=np.int64)
NONE_AGAIN: Final = pl.DataFrame({"row": NO_PLACES, "first": NO_PLACES})
MOST_ROOM: Final = 2  # times the rows, to have those of each query in a line of their own

Number = TypeVar("Number", np.int64, np.uint64, np.float64)
Unsigned = TypeVar("Unsigned", np.uint32, np.uint64)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows in the order of the file. `query` is an index into `names`, which has each query once, in order of appearance.

    `report` has no errors unless rows are missing here. `rank` is empty for judgments.
    """

    names: list[str]
    query: Ints
    document: pl.Series
    number: Floats
    rank: Ints
    key: Hashes  # of query and document
    report: Report
    tag: str = ""


def read_run_table(path: Path, *, name: str, limit: int, size: int = SIZE) -> Table:
    """Reads a TREC run, whose scores are the numbers. Raises FormatError if there are no rows."""
    chunks = read_chunks(path, name=name, limit=limit, size=size)
    first = next(chunks, Chunk(1, b""))
    tag = first_tag(first.data)
    pieces = list(ahead(lambda chunk: read_run_rows(chunk, tag, name=name), chain([first], chunks)))
    report, run_tag = one_report([(piece.report, piece.tags) for piece in pieces])
    table = run_table(pieces, report, run_tag)
    refuse_nothing(len(table.names), report, NO_ROWS.format(name=name))
    return table


def read_qrels_table(path: Path, *, name: str, limit: int, size: int = SIZE) -> Table:
    """Reads TREC qrels, whose grades are the numbers. Raises FormatError if there are no rows."""
    chunks = read_chunks(path, name=name, limit=limit, size=size)
    first = next(chunks, Chunk(1, b""))
    pieces = list(ahead(lambda chunk: read_qrels_rows(chunk, name=name), chain([first], chunks)))
    report, _ = one_report([(piece.report, piece.tags) for piece in pieces])
    table = _together(pieces, report, "")
    refuse_nothing(len(table.names), report, f"{name} holds no judgments.")
    return _counted_once(table, pieces)


def run_table(pieces: Sequence[Columns], report: Report, tag: str = "") -> Table:
    """The table of some pieces. Reports repeated documents of a query."""
    table = _together(pieces, report, tag)
    if SEVERAL_TAGS not in report.errors.counts:
        _refuse_twice(table, pieces)
    return table


def refuse_nothing(queries: int, report: Report, sentence: str) -> None:
    if not queries and report.ok:
        raise FormatError(sentence)


def _together(pieces: Sequence[Columns], report: Report, tag: str) -> Table:
    changes = pl.concat([piece.query for piece in pieces], rechunk=True)
    names = changes.unique(maintain_order=True)
    query = np.repeat(_places(changes, names), _one_array([piece.length for piece in pieces]))
    document = pl.concat([piece.document for piece in pieces], rechunk=False)
    number = _one_array([piece.number for piece in pieces])
    rank = _one_array([piece.rank for piece in pieces])
    key = _one_array([piece.key for piece in pieces])
    return Table(names.to_list(), query, document, number, rank, key, report, tag)


def _one_array(parts: list[NDArray[Number]]) -> NDArray[Number]:
    """Concatenates the parts. Doesn't copy a single one."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _places(values: pl.Series, among: pl.Series) -> Ints:
    if len(values) == len(among):  # each query is there once
        return np.arange(len(among))
    joined_names = pl.DataFrame({"name": values}).join(
        pl.DataFrame({"name": among, "place": np.arange(len(among))}),
        on="name",
        how="left",
        maintain_order="left",
    )
    return joined_names["place"].to_numpy()


def one_report(pieces: Sequence[tuple[Report, Mapping[str, int]]]) -> tuple[Report, str]:
    """The report of all pieces, and the first tag. Takes each piece's tags with their first lines. Reports other tags."""
    report, reader = Report(), TrecReader(Report())
    for _, tags in pieces:
        for tag, line in tags.items():
            reader.tags.setdefault(tag, line)
    tag = reader.tag()
    for piece, _ in pieces:
        if len(reader.tags) > 1:
            piece.errors.forget(TWICE)
        report.add_all(piece)
    report.add_all(reader.report)
    refuse_different_columns(report)
    return report, tag


def _refuse_twice(table: Table, pieces: Sequence[Columns]) -> None:
    """Reports repeated documents of a query."""
    again, lines = _standing_again(table), _Lines(pieces)
    for row, first in again.head(MOST_PROBLEMS).iter_rows():
        expected = (
            f"listed once for query {table.names[table.query[row]]} (it is on line {lines.of(first)} already)"
        )
        table.report.error(lines.of(row), "document", table.document[row], expected, kind=TWICE)
    if len(again) > MOST_PROBLEMS:
        table.report.errors.counts[TWICE] += len(again) - MOST_PROBLEMS


def _counted_once(table: Table, pieces: Sequence[Columns]) -> Table:
    """Reports and removes repeated judgments of a document: the same grade twice counts once."""
    again, lines = _standing_again(table), _Lines(pieces)
    if again.is_empty():
        return table
    rows, firsts = again["row"].to_numpy(), again["first"].to_numpy()
    same = table.number[rows] == table.number[firsts]
    for alike, findings in ((True, table.report.warnings), (False, table.report.errors)):
        places = np.flatnonzero(same == alike)
        for place in places[:MOST_PROBLEMS]:
            expected, kind = twice(lines.of(firsts[place]), same=alike)
            findings.add(lines.of(rows[place]), "document", table.document[int(rows[place])], expected, kind)
        if len(places) > MOST_PROBLEMS:
            findings.counts[kind] += len(places) - MOST_PROBLEMS
    keep = np.ones(len(table.number), dtype=bool)
    keep[rows] = False
    return replace(
        table,
        query=table.query[keep],
        document=table.document.filter(pl.Series(keep)),
        number=table.number[keep],
        key=table.key[keep],
    )


def _standing_again(table: Table) -> pl.DataFrame:
    """Repeated rows of a query and document, and the `first` row of each. Only compares equal hashes as text."""
    halves = table.key.astype(np.uint32)  # sorted in two thirds of the time
    rows = _again(halves, table.query)
    rows = rows[_again(table.key[rows], table.query[rows])]
    if not rows.size:
        return NONE_AGAIN
    suspects = pl.DataFrame(
        {"query": table.query[rows], "document": table.document.gather(rows), "row": rows}
    )
    again = suspects.with_columns(first=pl.col("row").min().over("query", "document")).filter(
        pl.col("row") != pl.col("first")
    )
    return again.sort("query", "row").select("row", "first")


def _again(values: NDArray[Unsigned], query: Ints) -> Ints:
    """The places of values that occur more than once: in a query, as long as queries are neither scattered nor of very different
    lengths. Sorting many short rows takes a seventh of the time of a long one on AMD's Zen 4, and no more elsewhere."""
    if not values.size:
        return NO_PLACES
    counts = np.bincount(query)
    width = int(counts.max())
    if len(counts) * width > MOST_ROOM * len(values) or (query[1:] < query[:-1]).any():
        counts, width = np.array([len(values)]), len(values)
    filled = np.arange(width) < counts[:, np.newaxis]
    ordered = np.full(filled.shape, np.iinfo(values.dtype).max, dtype=values.dtype)
    ordered[filled] = values
    ordered.sort(axis=1)
    repeats = ordered[:, 1:][(ordered[:, 1:] == ordered[:, :-1]) & filled[:, 1:]]
    return np.flatnonzero(np.isin(values, repeats)) if repeats.size else NO_PLACES


class _Lines:
    """The line of a row of the whole table."""

    def __init__(self, pieces: Sequence[Columns]) -> None:
        self._pieces = pieces
        self._starts = np.cumsum([0] + [len(piece.number) for piece in pieces])

    def of(self, row: int) -> int:
        place = int(np.searchsorted(self._starts, row, side="right")) - 1
        piece, inside = self._pieces[place], row - int(self._starts[place])
        return piece.line + inside if piece.lines is None else int(piece.lines[inside])
