"""Reads a large TREC run into rankings that are ready to be stored, without a Python object per row.

`formats.runs.runs.read_file` is the specification. Without this, a run of 7 million rows takes a minute instead of seconds
(`make bench-uploads`).
"""

from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
import polars as pl

from touchstone_core.formats.kinds import UTF8_BOM
from touchstone_core.formats.packing import unpack
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.runs.declarations import TREC
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.rankings import JoinedRanking, warn_of_conflict, warn_of_ties
from touchstone_core.formats.runs.runs import ParsedFile, ParsedRun, is_trec
from touchstone_core.formats.runs.trec import notes_of
from touchstone_core.metrics.order import Precision, at_precision, precision_of
from touchstone_core.offline.fast.chunks import SIZE, Chunk, chunks_of
from touchstone_core.offline.fast.columns import behind_comments, first_tag, read_run_rows
from touchstone_core.offline.fast.probe import order_rows
from touchstone_core.offline.fast.table import Table, read_side_by_side, run_table

HEAD: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class _Finding:
    """What the report says of a query: `conflict` that its ranks and scores disagree."""

    query: str
    line: int
    conflict: bool
    tied: bool


@dataclass(frozen=True, slots=True)
class _Part:
    """The rankings of a piece of the file, and what is to be said of them, both in the order of the file."""

    rankings: list[JoinedRanking]
    findings: list[_Finding]


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
        pieces = read_side_by_side(
            chain([first], chunks), lambda chunk: _part(chunk, tag, name=name, precision=precision)
        )
    except (
        FormatError,
        UnicodeDecodeError,
    ):  # the plain reader knows other encodings, and says what is wrong
        return None
    parts = [piece for piece in pieces if piece]
    if len(parts) < len(pieces):
        return None
    rankings = [ranking for part in parts for ranking in part.rankings]
    if len({ranking.query for ranking in rankings}) < len(rankings):  # its rows aren't adjacent
        return None
    report = Report()
    for finding in (finding for part in parts for finding in part.findings):
        if finding.conflict:
            warn_of_conflict(finding.query, finding.line, report)
        if finding.tied:
            warn_of_ties(finding.query, finding.line, report)
    rows = sum(ranking.size for ranking in rankings)
    comments = first.data.removesuffix(behind_comments(first).data).decode()
    by_text = options.queries == "text"
    run = ParsedRun(tag.decode(), TREC.name, notes_of(comments), rankings, report, rows, by_text)
    return ParsedFile(TREC.name, [run], report)


def _part(chunk: Chunk, tag: bytes, *, name: str, precision: Precision) -> _Part | None:
    """None for a piece of which the plain reader may have something to report."""
    if chunk.line > 1 and chunk.data.startswith(b"#"):  # notes may stand there
        return None
    piece = read_run_rows(chunk, tag, name=name)
    table = run_table([piece], piece.report)
    if piece.lines is not None or not table.report.ok:
        return None
    return _joined(table, piece.line, precision)


def _joined(table: Table, line: int, precision: Precision) -> _Part:
    row_order = order_rows(table, precision)
    query, scores = table.query[row_order.row], table.number[row_order.row]
    keys = at_precision(scores, precision)
    equal = np.flatnonzero((query[1:] == query[:-1]) & (keys[1:] == keys[:-1]))
    tied = np.isin(np.arange(len(table.names)), query[equal])
    conflict = np.isin(np.arange(len(table.names)), row_order.conflicts)
    rows = range(len(table.number))
    documents = table.document if isinstance(row_order.row, slice) else table.document.gather(row_order.row)
    first = np.full(len(table.names), len(rows))
    np.minimum.at(first, table.query, rows)
    by_query = pl.DataFrame({"query": query, "document": documents}).group_by("query", maintain_order=True)
    joined = by_query.agg(pl.col("document").str.join("\n"))["document"].to_list()
    ends = row_order.start + row_order.size
    rankings = [
        JoinedRanking(name, text, scores[start:end], is_tied, line + at)
        for name, text, start, end, is_tied, at in zip(
            table.names,
            joined,
            row_order.start.tolist(),
            ends.tolist(),
            tied.tolist(),
            first.tolist(),
            strict=True,
        )
    ]
    findings = [
        _Finding(ranking.query, ranking.line, disagrees, ranking.tied)
        for ranking, disagrees in zip(rankings, conflict.tolist(), strict=True)
        if disagrees or ranking.tied
    ]
    return _Part(rankings, findings)
