"""Joins a large run to judgments piece by piece, and only keeps what may be a hit.

That needs adjacent rows for each query. A run with scattered queries is read again as one table.
"""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from touchstone_core.ahead import ahead
from touchstone_core.formats.problems import Report
from touchstone_core.metrics.order import Precision
from touchstone_core.offline.fast.chunks import SIZE, Chunk, read_chunks
from touchstone_core.offline.fast.columns import first_tag, read_run_rows
from touchstone_core.offline.fast.probe import Judgments, Part, probe
from touchstone_core.offline.fast.table import NO_ROWS, one_report, read_run_table, refuse_nothing, run_table


@dataclass(frozen=True, slots=True)
class RunParts:
    """Parts for `probe.join`, unless the report has errors."""

    parts: list[Part]
    report: Report
    tag: str


def read_parts(
    path: Path,
    judgments: Judgments,
    *,
    name: str,
    limit: int,
    size: int = SIZE,
    page_size: int = 0,
    precision: Precision = "single",
) -> RunParts:
    """Reads a TREC run of any size, with pages of `page_size` documents. Raises FormatError if there are no rows."""
    chunks = read_chunks(path, name=name, limit=limit, size=size, by_query=True)
    first = next(chunks, Chunk(1, b""))
    tag = first_tag(first.data)

    def read(chunk: Chunk) -> tuple[Part, Report, dict[str, int]]:
        piece = read_run_rows(chunk, tag, name=name)
        part = probe(run_table([piece], piece.report), judgments, page_size, precision)
        return part, piece.report, piece.tags

    pieces = list(ahead(read, chain([first], chunks)))
    report, run_tag = one_report([(report, tags) for _, report, tags in pieces])
    parts = [part for part, _, _ in pieces]
    names = [query for part in parts for query in part.names]
    refuse_nothing(len(names), report, NO_ROWS.format(name=name))
    if len(set(names)) < len(names):
        table = read_run_table(path, name=name, limit=limit, size=size)
        return RunParts([probe(table, judgments, page_size, precision)], table.report, table.tag)
    return RunParts(parts, report, run_tag)
