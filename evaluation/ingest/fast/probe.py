"""A run's table put in order and joined to the judgments: only judged rows survive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from evaluation.ingest.fast.columns import Hashes
from evaluation.ingest.fast.table import Table
from evaluation.metrics.arrays import JudgedRun, judged_run
from evaluation.metrics.scale import ScaleInfo
from evaluation.metrics.types import Floats, Ints, Mask

SLOTS_FOR_EACH: Final = (
    16  # of the table that judged keys are marked in: one foreign row in sixteen passes at most
)


@dataclass(frozen=True, slots=True)
class Ordered:
    """Rows by query, best first. `row` is the place in the table; `start` and `size` (Q,) belong to its names."""

    query: Ints
    row: Ints | slice
    start: Ints
    size: Ints
    tied: int  # queries in which two documents have the same score


@dataclass(frozen=True, slots=True)
class Judgments:
    """The judgments by query, ready to be joined to one run after the other. `place` is a name's place in `names`.

    `marked` has a mark in the slot of every judged key, by its upper bits.
    """

    names: list[str]
    place: dict[str, int]
    query: Ints
    document: pl.Series
    grade: Floats
    marked: Mask


def index_judgments(table: Table) -> Judgments:
    by_query = np.argsort(table.query, kind="stable")
    marked = np.zeros(1 << max(10, (len(table.key) * SLOTS_FOR_EACH).bit_length()), dtype=np.bool_)
    marked[_slots(table.key, marked)] = True
    return Judgments(
        table.names,
        {name: place for place, name in enumerate(table.names)},
        table.query[by_query],
        table.document.gather(by_query),
        table.number[by_query],
        marked,
    )


def order(table: Table) -> Ordered:
    """Score descending, then document id descending by bytes. Sorts only what is not in order already."""
    query, score = table.query, table.number
    row: Ints | slice = slice(None)
    same = query[1:] == query[:-1]
    if not (query[1:] >= query[:-1]).all() or (same & (score[1:] > score[:-1])).any():
        row = _sorted({"query": query, "score": score + 0.0})  # + 0.0: -0 and 0 are the same score
        query, score = query[row], score[row]
        same = query[1:] == query[:-1]
    equal = same & (score[1:] == score[:-1])
    tied = len(np.unique(query[1:][equal]))
    if tied:
        row = _by_document_where(equal, row, table.document)
    size = np.bincount(query, minlength=len(table.names))
    return Ordered(query, row, np.cumsum(size) - size, size, tied)


@dataclass(frozen=True, slots=True)
class Part:
    """What a table leaves behind: the length of each ranking, and rows that may be hits (query, document, rank)."""

    names: list[str]
    size: Ints
    tied: int
    candidates: pl.DataFrame


def probe(table: Table, judgments: Judgments) -> Part:
    """Puts the table in order and looks its rows up among the judgments."""
    ordered = order(table)
    judged = np.array([judgments.place.get(name, -1) for name in table.names], dtype=np.int64)
    found = np.flatnonzero(judgments.marked[_slots(table.key, judgments.marked)])
    found = found[judged[table.query[found]] >= 0]
    query = table.query[found]
    rank = _positions(ordered, found, len(table.number)) - ordered.start[query] + 1
    candidates = pl.DataFrame(
        {"query": judged[query], "document": table.document.gather(found), "rank": rank}
    )
    return Part(table.names, ordered.size, ordered.tied, candidates)


def join(parts: Sequence[Part], judgments: Judgments, scale: ScaleInfo) -> tuple[JudgedRun, int]:
    """The JudgedRun of the judged queries, and the number of the run's queries without a judgment.

    No query may stand in two parts. Hashes only picked rows to look at: what counts is that query and document are
    equal as text.
    """
    retrieved = np.zeros(len(judgments.names), dtype=np.int64)
    unjudged = 0
    for part in parts:
        for name, size in zip(part.names, part.size.tolist(), strict=True):
            place = judgments.place.get(name)
            if place is None:
                unjudged += 1
            else:
                retrieved[place] = size
    known = pl.DataFrame({"query": judgments.query, "document": judgments.document, "grade": judgments.grade})
    candidates = pl.concat([part.candidates for part in parts])
    hits = candidates.join(known, on=["query", "document"], how="inner").sort("query", "rank")
    run = judged_run(
        answered=retrieved > 0,
        retrieved=retrieved,
        hit_query=hits["query"].to_numpy(),
        hit_rank=hits["rank"].to_numpy(),
        hit_grade=hits["grade"].to_numpy(),
        judged_query=judgments.query,
        judged_grade=judgments.grade,
        scale=scale,
    )
    return run, unjudged


def _slots(key: Hashes, marked: Mask) -> Hashes:
    """The place of each key in the table of marks, by its upper bits."""
    slots: Hashes = key >> np.uint64(65 - len(marked).bit_length())
    return slots


def _by_document_where(equal: Mask, row: Ints | slice, document: pl.Series) -> Ints:
    """The order with tied neighbors put in descending order of their ids. Strings are compared only there."""
    rows = np.arange(len(document)) if isinstance(row, slice) else row
    in_tie = np.zeros(len(rows), dtype=np.bool_)
    in_tie[1:] |= equal
    in_tie[:-1] |= equal
    group = np.cumsum(np.concatenate([[True], ~equal]))[in_tie]
    among = rows[in_tie]
    rows[in_tie] = among[_sorted({"group": group, "document": document.gather(among)})]
    return rows


def _sorted(columns: Mapping[str, ArrayLike]) -> Ints:
    """The places that put two columns in order, the first ascending, the second descending."""
    places = pl.DataFrame(columns).select(pl.arg_sort_by(*columns, descending=[False, True]))
    return places.to_series().to_numpy().astype(np.int64)


def _positions(ordered: Ordered, rows: Ints, count: int) -> Ints:
    if isinstance(ordered.row, slice):
        return rows
    position = np.empty(count, dtype=np.int64)
    position[ordered.row] = np.arange(count)
    return position[rows]
