"""Reads a piece of a file into columns: with polars if it's clean, otherwise line by line like the plain readers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from touchstone_core.formats.cells import LONGEST_ID
from touchstone_core.formats.judgments.qrels import read_rows
from touchstone_core.formats.problems import MOST_PROBLEMS, Report
from touchstone_core.formats.runs.rankings import Rows
from touchstone_core.formats.runs.trec import TrecReader
from touchstone_core.formats.runs.trec_shapes import NO_TAG
from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.offline.fast.chunks import NEWLINE, WINDOW, Chunk, refuse_unreadable

BLANK: Final = 32
_BLANKS: Final = bytes.maketrans(b"\t\v\f", b"   ")
_BEYOND_ASCII: Final = bytes(range(128, 256))
_LETTERS: Final = bytes.maketrans(_BEYOND_ASCII, b"x" * len(_BEYOND_ASCII))
_CONTROL: Final = rb"\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]"  # as `cells.NOT_IN_IDS`, in UTF-8
_HIDDEN: Final = (  # as `words.is_visible` finds it
    rb"\xc2[\xa0\xad]|\xe1\x85[\x9f\xa0]|\xe2\x80[\x80-\x8f\xaa-\xae]|\xe2\x81[\x9f-\xaf]|\xe2\xa0\x80|\xe3\x80\x80|"
    rb"\xe3\x85\xa4|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf|\xef\xbe\xa0"
)
_RARE: Final = re.compile(rb"%b|%b" % (_CONTROL, _HIDDEN))
_NO_ID: Final = re.compile(rb"%b|(?<![^ \n])(?:%b)+(?![^ \n])" % (_CONTROL, _HIDDEN))
"""What an ID can't hold, and one of which nothing can be seen. Six times slower than looking for what is `_RARE` first."""

MOST: Final = np.iinfo(np.int64).max
NO_RANKS: Final = np.zeros(0, dtype=np.int64)

Hashes: TypeAlias = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns in the order of the file, and the one that is the same in every row (None: none)."""

    columns: dict[str, pl.DataType]
    same: str | None

    @property
    def places(self) -> list[int]:
        """Those of the columns that are read."""
        return [place for place, name in enumerate(self.columns) if name in (*_READ, self.same)]


_TEXT: Final = pl.String()
_READ: Final = ("query", "document", "rank", "number")
_UNTAGGED: Final = {
    "query": _TEXT,
    "Q0": _TEXT,
    "document": _TEXT,
    "rank": pl.Int64(),
    "number": pl.Float64(),
}
RUN: Final = Layout(_UNTAGGED | {"tag": _TEXT}, "tag")
RUN_WITHOUT_TAG: Final = Layout(_UNTAGGED, "Q0")
QRELS: Final = Layout({"query": _TEXT, "iteration": _TEXT, "document": _TEXT, "number": pl.Float64()}, None)


@dataclass(frozen=True, slots=True)
class Columns:
    """The good rows of a piece. `query` has an element for each change of query, and `length` its number of rows.

    `lines` is None if row i is on line `line` + i. `rank` is empty for judgments.
    """

    query: pl.Series
    length: Ints
    document: pl.Series
    number: Floats
    rank: Ints
    key: Hashes  # of query and document
    line: int
    lines: Ints | None = None
    report: Report = field(default_factory=Report)
    tags: dict[str, int] = field(default_factory=dict)


def read_run_rows(chunk: Chunk, tag: bytes | None, *, name: str) -> Columns:
    """Rows of a TREC run. `tag` is the first row's. A piece with another tag is read line by line, which reports it."""
    whole, chunk = chunk, behind_comments(chunk)
    columns = _clean(chunk, RUN, tag, name=name) if tag else _clean(chunk, RUN_WITHOUT_TAG, b"Q0", name=name)
    if columns is None:
        return _run_by_lines(whole)
    if tag:
        columns.tags[tag.decode()] = chunk.line
        return columns
    rows = int(columns.length.sum())
    for line in range(chunk.line, chunk.line + min(rows, MOST_PROBLEMS)):
        columns.report.warn(line, "", "5 columns", "6 (the tag is missing)", kind=NO_TAG)
    columns.report.warnings.counts[NO_TAG] = rows
    return columns


def read_qrels_rows(chunk: Chunk, *, name: str) -> Columns:
    columns = _clean(behind_comments(chunk), QRELS, b"", name=name)
    if (
        columns is None or (columns.number != np.trunc(columns.number)).any()
    ):  # fractions are kept, with a warning for each
        return _qrels_by_lines(chunk)
    return columns


def first_tag(data: bytes) -> bytes | None:
    """The last word of the first row after comments, if it has six."""
    data = behind_comments(Chunk(1, data)).data
    words = data[: data.find(b"\n")].split(maxsplit=len(RUN.columns))
    return words[-1] if len(words) == len(RUN.columns) else None


def behind_comments(chunk: Chunk) -> Chunk:
    """The chunk without comments at its start, which would make all of it be read line by line."""
    start = comments = 0
    while chunk.data.startswith(
        (b"# ", b"#\n"), start
    ):  # others may be rows, of which the plain reader warns
        start = chunk.data.find(b"\n", start) + 1
        comments += 1
    return Chunk(chunk.line + comments, chunk.data[start:]) if comments else chunk


def hashes(query: pl.Series, length: Ints, document: pl.Series) -> Hashes:
    """Equal rows have equal hashes. The opposite has to be checked. Don't store them: polars may change them."""
    keys: Hashes = document.hash().to_numpy() ^ np.repeat(query.hash(1).to_numpy(), length)
    return keys


def _clean(chunk: Chunk, layout: Layout, same: bytes, *, name: str) -> Columns | None:
    """None if anything is unusual, even if polars would accept it (nan, long IDs)."""
    data, width = chunk.data, len(layout.columns)
    if not _is_even(data, width):
        refuse_unreadable(chunk, name=name)
        data = _single_blanks(data)
        if not _is_even(data.translate(_LETTERS), width) or _has_no_id(data):
            return None
    try:
        frame = pl.read_csv(
            data,
            separator=" ",
            has_header=False,
            quote_char=None,
            schema=layout.columns,
            columns=layout.places,
        )
    except pl.exceptions.PolarsError:
        return None
    if layout.same and not (frame[layout.same] == same.decode()).all():
        return None
    if b"#" in data and frame["query"].str.starts_with("#").any():
        return None
    return _columns(frame, chunk.line)


def _columns(frame: pl.DataFrame, line: int) -> Columns | None:
    if any(column.null_count() for column in frame.get_columns()):
        return None
    document, number = frame["document"], frame["number"].to_numpy()
    rank = frame["rank"].to_numpy() if "rank" in frame.columns else NO_RANKS
    changes = frame["query"].rle().struct.unnest()
    names, length = changes["value"], changes["len"].to_numpy().astype(np.int64)
    if not np.isfinite(number).all() or max(_longest(names), _longest(document)) > LONGEST_ID:
        return None
    return Columns(names, length, document, number, rank, hashes(names, length, document), line)


def _longest(column: pl.Series) -> int:
    """The longest text in bytes, so at least its number of characters."""
    return int(column.str.len_bytes().to_numpy().max(initial=0))


def _has_no_id(data: bytes) -> bool:
    """Whether something beyond ASCII can't be an ID."""
    return not data.isascii() and bool(_RARE.search(data)) and bool(_NO_ID.search(data))


def _is_even(data: bytes, columns: int) -> bool:
    """Whether it's all visible ASCII with single blanks or line ends between, without an empty word or line.

    The number of blanks has to match the columns, because polars ignores words after the last column.
    """
    every = np.frombuffer(data, dtype=np.uint8)
    blanks = newlines = 0
    for start in range(0, len(every), WINDOW):
        window = every[start : start + WINDOW]
        between = window - np.uint8(33) > 93  # wraps around: true outside of 33 to 126
        marks = _marks(between), _marks(window == BLANK), _marks(window == NEWLINE)
        if marks[0] != marks[1] + marks[2] or (between[1:] & between[:-1]).any():
            return False
        if between[0] and start and every[start - 1] <= BLANK:
            return False
        blanks, newlines = blanks + marks[1], newlines + marks[2]
    return blanks == newlines * (columns - 1) and every[:1].sum() > BLANK


def _marks(mask: Mask) -> int:
    return int(np.count_nonzero(mask))


def _single_blanks(data: bytes) -> bytes:
    """Turns white space into single blanks. Empty lines stay, so the piece is read line by line."""
    data = data.translate(_BLANKS)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ")


def _run_by_lines(chunk: Chunk) -> Columns:
    reader = TrecReader(Report(), trailing="skip")
    rows_by_query = reader.feed(chunk.data.decode(), chunk.line).get("", {})
    return _from_rows(list(rows_by_query.items()), reader.report, reader.tags)


def _qrels_by_lines(chunk: Chunk) -> Columns:
    report, groups = Report(), []
    for query, group in groupby(read_rows(chunk.data.decode(), chunk.line, report), attrgetter("query")):
        rows = list(group)
        documents, grades = [row.document for row in rows], [row.grade for row in rows]
        groups.append((query, Rows(None, documents, grades, lines=[row.line for row in rows])))
    return _from_rows(groups, report, {})


def _from_rows(groups: Sequence[tuple[str, Rows]], report: Report, tags: dict[str, int]) -> Columns:
    query = pl.Series([query for query, _ in groups], dtype=pl.String)
    document = pl.Series([one for _, rows in groups for one in rows.documents], dtype=pl.String)
    length = np.array([len(rows.documents) for _, rows in groups], dtype=np.int64)
    number = np.array([score for _, rows in groups for score in rows.scores], dtype=np.float64)
    ranks = [max(-MOST, min(rank, MOST)) for _, rows in groups for rank in rows.ranks]
    rank = np.array(ranks, dtype=np.int64)
    lines = np.array([line for _, rows in groups for line in rows.lines], dtype=np.int64)
    key = hashes(query, length, document)
    return Columns(query, length, document, number, rank, key, 0, lines, report, tags)
