"""A whole file as arrays: its pieces read side by side, put together, and refused if a document stands twice."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final, Protocol, TypeVar

import numpy as np
import polars as pl

from evaluation.ingest.fast.chunks import SIZE, Chunk, read_chunks
from evaluation.ingest.fast.columns import Columns, Hashes, first_tag, read_qrels_rows, read_run_rows
from evaluation.ingest.formats.trec import TrecReader
from evaluation.metrics.types import Floats, Ints
from judgments.formats.problems import KEPT, Findings, FormatError, Report

WORKERS: Final = 2
NO_ROWS: Final = "{name} holds no rows, only comments or blank lines."

Piece = TypeVar("Piece")


class Reported(Protocol):
    """A piece of a file with what there is to be said of it."""

    @property
    def report(self) -> Report: ...
    @property
    def tags(self) -> dict[str, int]: ...


@dataclass(frozen=True, slots=True)
class Table:
    """Rows in the order of the file. `query` is an index into `names`, which holds each query once, first come first.

    `report` has no errors unless rows are missing here.
    """

    names: list[str]
    query: Ints
    document: pl.Series
    number: Floats
    key: Hashes  # of query and document
    report: Report
    tag: str = ""


def read_run_table(path: Path, *, name: str, limit: int, size: int = SIZE) -> Table:
    """A TREC run; scores are the numbers. Raises FormatError where there is nothing to read."""
    chunks = read_chunks(path, name=name, limit=limit, size=size)
    first = next(chunks, Chunk(1, b""))
    tag = first_tag(first.data)
    pieces = read_side_by_side(chain([first], chunks), lambda chunk: read_run_rows(chunk, tag, name=name))
    report, found_tag = one_report(pieces)
    table = run_table(pieces, report, found_tag)
    refuse_nothing(len(table.names), report, NO_ROWS.format(name=name))
    return table


def read_qrels_table(path: Path, *, name: str, limit: int, size: int = SIZE) -> Table:
    """TREC qrels; grades are the numbers. Raises FormatError where there is nothing to read."""
    chunks = read_chunks(path, name=name, limit=limit, size=size)
    first = next(chunks, Chunk(1, b""))
    pieces = read_side_by_side(chain([first], chunks), lambda chunk: read_qrels_rows(chunk, name=name))
    report, _ = one_report(pieces)
    table = _together(pieces, report, "", _twice_in_qrels)
    refuse_nothing(len(table.names), report, f"{name} holds no judgments.")
    return table


def run_table(pieces: Sequence[Columns], report: Report, tag: str = "") -> Table:
    """The table of some pieces; a document that stands twice in a query goes into the report."""
    return _together(pieces, report, tag, _twice_in_run)


def refuse_nothing(queries: int, report: Report, sentence: str) -> None:
    if not queries and report.ok:
        raise FormatError(sentence)


def read_side_by_side(chunks: Iterable[Chunk], read: Callable[[Chunk], Piece]) -> list[Piece]:
    """What is read from each chunk, in order. No more text is in memory than is being worked on, and one that waits."""
    pieces: list[Piece] = []
    waiting: deque[Future[Piece]] = deque()
    with ThreadPoolExecutor(WORKERS) as pool:
        for chunk in chunks:
            waiting.append(pool.submit(read, chunk))
            if len(waiting) > WORKERS:
                pieces.append(waiting.popleft().result())
        pieces += [future.result() for future in waiting]
    return pieces


def _together(
    pieces: Sequence[Columns], report: Report, tag: str, words: Callable[[str, str, int], tuple[str, str]]
) -> Table:
    changes = pl.concat([piece.query for piece in pieces], rechunk=True)
    length = np.concatenate([piece.length for piece in pieces])
    names = changes.unique(maintain_order=True)
    query = np.repeat(_places(changes, names), length)
    document = pl.concat([piece.document for piece in pieces], rechunk=False)
    number = np.concatenate([piece.number for piece in pieces])
    key = np.concatenate([piece.key for piece in pieces])
    table = Table(names.to_list(), query, document, number, key, report, tag)
    _refuse_twice(table, pieces, words)
    return table


def _places(values: pl.Series, among: pl.Series) -> Ints:
    found = pl.DataFrame({"name": values}).join(
        pl.DataFrame({"name": among, "place": np.arange(len(among))}),
        on="name",
        how="left",
        maintain_order="left",
    )
    return found["place"].to_numpy()


def one_report(pieces: Iterable[Reported]) -> tuple[Report, str]:
    """The findings of all pieces, and the tag; other tags become errors."""
    report, reader = Report(), TrecReader(Report())
    for piece in pieces:
        _add(report.errors, piece.report.errors)
        _add(report.warnings, piece.report.warnings)
        for tag, line in piece.tags.items():
            reader.tags.setdefault(tag, line)
    tag = reader.tag()
    _add(report.errors, reader.report.errors)
    return report, tag


def _add(findings: Findings, more: Findings) -> None:
    room = max(0, KEPT - len(findings.first))
    findings.first += more.first[:room]
    for kind, count in more.counts.items():
        findings.counts[kind] = findings.counts.get(kind, 0) + count


def _refuse_twice(
    table: Table, pieces: Sequence[Columns], words: Callable[[str, str, int], tuple[str, str]]
) -> None:
    """Reports every document that stands again in its query. Only rows with equal hashes are compared as text."""
    ordered = np.sort(table.key)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if not repeated.size:
        return
    rows = np.flatnonzero(np.isin(table.key, repeated))
    suspects = pl.DataFrame(
        {"query": table.query[rows], "document": table.document.gather(rows), "row": rows}
    )
    again = suspects.with_columns(first=pl.col("row").min().over("query", "document")).filter(
        pl.col("row") != pl.col("first")
    )
    lines = _Lines(pieces)
    for query, document, row, first in again.sort("query", "row").head(KEPT).iter_rows():
        expected, kind = words(table.names[query], document, lines.of(first))
        table.report.error(lines.of(row), "document", document, expected, kind=kind)
    if len(again) > KEPT:
        table.report.errors.counts[kind] += len(again) - KEPT


class _Lines:
    """The line of a row of the whole table."""

    def __init__(self, pieces: Sequence[Columns]) -> None:
        self._pieces = pieces
        self._starts = np.cumsum([0] + [len(piece.number) for piece in pieces])

    def of(self, row: int) -> int:
        place = int(np.searchsorted(self._starts, row, side="right")) - 1
        piece, inside = self._pieces[place], row - int(self._starts[place])
        return piece.line + inside if piece.lines is None else int(piece.lines[inside])


def _twice_in_run(query: str, document: str, line: int) -> tuple[str, str]:
    return f"each document once for query {query} (it is on line {line} already)", "a document twice"


def _twice_in_qrels(query: str, document: str, line: int) -> tuple[str, str]:
    return f"each document once for a query (it is on line {line} already)", "twice in the file"
