"""Reads a large TREC run into rankings that are ready to be stored, without a Python object per row.

`formats.runs.runs.read_file` is the specification. Without this, a run of 7 million rows takes a minute instead of seconds
(`make bench-uploads`).
"""

from functools import partial
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from touchstone_core.ahead import ahead
from touchstone_core.formats.kinds import UTF8_BOM
from touchstone_core.formats.packing import unpack
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.runs.declarations import TREC
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.rankings import JoinedRanking, warn_of_conflict, warn_of_ties
from touchstone_core.formats.runs.runs import ParsedFile, ParsedRun, is_trec
from touchstone_core.formats.runs.trec import notes_of
from touchstone_core.metrics.order import Precision, precision_of
from touchstone_core.offline.fast.chunks import SIZE, Chunk, chunks_of
from touchstone_core.offline.fast.columns import behind_comments, first_tag, read_run_rows
from touchstone_core.offline.fast.probe import order_rows
from touchstone_core.offline.fast.table import Table, run_table

HEAD: Final = 1 << 20


class _Part(NamedTuple):
    """The rankings of a piece of the file, and the queries whose ranks and scores disagree."""

    rankings: list[JoinedRanking]
    conflicts: set[str]


def read_clean_run(
    data: bytes, *, name: str, limit: int, options: Options, size: int = SIZE
) -> ParsedFile | None:
    """As `formats.runs.runs.read_file`, of a file that is plain or packed with gzip. None where it isn't a clean TREC run."""
    try:
        raw = unpack(data, name=name, limit=limit).removeprefix(UTF8_BOM)
        if not is_trec(raw[:HEAD].decode(errors="ignore")):
            return None
        chunks = chunks_of(raw, name=name, size=size)
        first = next(chunks, Chunk(1, b""))
        tag = first_tag(first.data)
        if tag is None:
            return None
        precision = precision_of(options.order)
        part = partial(_part, tag=tag, name=name, precision=precision)
        pieces = list(ahead(part, chain([first], chunks)))
    except (FormatError, UnicodeDecodeError):
        return None  # the plain reader knows other encodings, and says what is wrong
    parts = [piece for piece in pieces if piece]
    if len(parts) < len(pieces):
        return None
    rankings = [ranking for part in parts for ranking in part.rankings]
    if len({ranking.query for ranking in rankings}) < len(rankings):  # its rows aren't adjacent
        return None
    report = Report()
    conflicts = {query for part in parts for query in part.conflicts}
    for ranking in rankings:
        if ranking.query in conflicts:
            warn_of_conflict(ranking.query, ranking.line, report)
        if ranking.tied:
            warn_of_ties(ranking.query, ranking.line, report)
    rows = sum(ranking.size for ranking in rankings)
    comments = first.data.removesuffix(behind_comments(first).data).decode()
    by_text = options.queries == "text"
    run = ParsedRun(tag.decode(), TREC.name, notes_of(comments), rankings, report, rows, by_text)
    return ParsedFile(TREC.name, [run], report)


def _part(chunk: Chunk, *, tag: bytes, name: str, precision: Precision) -> _Part | None:
    """None for a piece of which the plain reader may have something to report."""
    if chunk.line > 1 and chunk.data.startswith(b"#"):  # notes may stand there
        return None
    piece = read_run_rows(chunk, tag, name=name)
    table = run_table([piece], piece.report)
    if piece.lines is not None or not table.report.ok:
        return None
    return _joined(table, piece.line, precision)


def _joined(table: Table, line: int, precision: Precision) -> _Part:
    """`line` is that of the first row."""
    row_order, names = order_rows(table, precision), np.arange(len(table.names))
    query, scores = table.query[row_order.row], table.number[row_order.row]
    documents = table.document if isinstance(row_order.row, slice) else table.document.gather(row_order.row)
    by_query = pl.DataFrame({"query": query, "document": documents}).group_by("query", maintain_order=True)
    first_rows = np.full(len(names), len(scores))
    np.minimum.at(first_rows, table.query, np.arange(len(scores)))
    columns = (
        by_query.agg(pl.col("document").str.join("\n"))["document"].to_list(),
        np.split(scores, row_order.start[1:]),
        np.isin(names, row_order.tied).tolist(),
        (line + first_rows).tolist(),
    )
    rankings = list(map(JoinedRanking, table.names, *columns))
    return _Part(rankings, {table.names[place] for place in row_order.conflicts})
