"""A large run joined to judgments piece by piece: of a piece nothing is kept but what may be a hit.

That needs the rows of a query to stand together. A run whose queries are scattered is read again, as one table.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from evaluation.ingest.fast.chunks import NEWLINE, SIZE, Chunk, count, read_chunks
from evaluation.ingest.fast.columns import first_tag, read_run_rows
from evaluation.ingest.fast.probe import Judgments, Part, probe
from evaluation.ingest.fast.table import (
    NO_ROWS,
    one_report,
    read_run_table,
    read_side_by_side,
    refuse_nothing,
    run_table,
)
from judgments.formats.problems import Report


@dataclass(frozen=True, slots=True)
class RunParts:
    """Parts to be joined by `probe.join`, unless the report has errors."""

    parts: list[Part]
    report: Report
    tag: str


@dataclass(frozen=True, slots=True)
class _Reported:
    part: Part
    report: Report
    tags: dict[str, int]


def read_parts(path: Path, judgments: Judgments, *, name: str, limit: int, size: int = SIZE) -> RunParts:
    """A TREC run of any size. Raises FormatError where there is nothing to read."""
    chunks = read_chunks(path, name=name, limit=limit, size=size)
    first = next(chunks, Chunk(1, b""))
    tag = first_tag(first.data)

    def read(chunk: Chunk) -> _Reported:
        piece = read_run_rows(chunk, tag, name=name)
        return _Reported(probe(run_table([piece], piece.report), judgments), piece.report, piece.tags)

    found = read_side_by_side(whole_queries(chain([first], chunks)), read)
    report, run_tag = one_report(found)
    parts = [one.part for one in found]
    names = [query for part in parts for query in part.names]
    refuse_nothing(len(names), report, NO_ROWS.format(name=name))
    if len(set(names)) < len(names):
        table = read_run_table(path, name=name, limit=limit, size=size)
        return RunParts([probe(table, judgments)], table.report, table.tag)
    return RunParts(parts, report, run_tag)


def whole_queries(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Moves the last query of each chunk to the next one, so that no query is cut where its rows stand together.

    A chunk of one query only stays as it is: queries may be longer than a chunk.
    """
    rest = b""
    line = 1
    for chunk in chunks:
        data = rest + chunk.data
        cut = _start_of_last_query(data)
        whole, rest = (data[:cut], data[cut:]) if cut else (data, b"")
        yield Chunk(line, whole)
        line += count(whole, NEWLINE)
    if rest:
        yield Chunk(line, rest)


def _start_of_last_query(data: bytes) -> int:
    """Where the lines begin that start with the same word as the last; 0 for all or none of them."""
    start = data.rfind(b"\n", 0, max(len(data) - 1, 0)) + 1
    word = data[start:].split(maxsplit=1)[:1]
    while word and start:
        before = data.rfind(b"\n", 0, start - 1) + 1
        if data[before:start].split(maxsplit=1)[:1] != word:
            return start
        start = before
    return 0
