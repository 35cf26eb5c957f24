"""A run's table put in order and joined to the judgments: only judged rows survive."""

from collections.abc import Mapping
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
    """The judgments by query, in the order of the file, ready to be joined to one run after the other."""

    names: list[str]
    query: Ints
    document: pl.Series
    grade: Floats
    key: Hashes


def index_judgments(table: Table) -> Judgments:
    by_query = np.argsort(table.query, kind="stable")
    document = table.document.gather(by_query)
    return Judgments(
        table.names, table.query[by_query], document, table.number[by_query], table.key[by_query]
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


def join(run: Table, judgments: Judgments, scale: ScaleInfo) -> tuple[JudgedRun, Ordered, int]:
    """The JudgedRun of the judged queries, the order, and the number of the run's queries without a judgment."""
    ordered = order(run)
    place = {name: index for index, name in enumerate(judgments.names)}
    judged = np.array(
        [place.get(name, -1) for name in run.names], dtype=np.int64
    )  # for each query of the run
    retrieved = np.zeros(len(place), dtype=np.int64)
    retrieved[judged[judged >= 0]] = ordered.size[judged >= 0]
    hits = _hits(run, ordered, judged, judgments)
    joined = judged_run(
        answered=retrieved > 0,
        retrieved=retrieved,
        hit_query=hits["query"].to_numpy(),
        hit_rank=hits["rank"].to_numpy(),
        hit_grade=hits["grade"].to_numpy(),
        judged_query=judgments.query,
        judged_grade=judgments.grade,
        scale=scale,
    )
    return joined, ordered, int((judged < 0).sum())


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


def _hits(run: Table, ordered: Ordered, judged: Ints, judgments: Judgments) -> pl.DataFrame:
    """Query, rank and grade of the retrieved judged documents, by query and rank.

    Hashes only pick rows to look at: what counts is that query and document are equal as text.
    """
    found = _candidates(run, judged, judgments)
    query = run.query[found]
    rank = _positions(ordered, found, len(run.number)) - ordered.start[query] + 1
    candidates = pl.DataFrame({"query": judged[query], "document": run.document.gather(found), "rank": rank})
    known = pl.DataFrame({"query": judgments.query, "document": judgments.document, "grade": judgments.grade})
    return candidates.join(known, on=["query", "document"], how="inner").sort("query", "rank")


def _candidates(run: Table, judged: Ints, judgments: Judgments) -> Ints:
    """The rows of the table, in its order, whose key falls into a slot that a judged key marks."""
    bits = max(10, int(len(judgments.key) * SLOTS_FOR_EACH).bit_length())
    shift = np.uint64(64 - bits)
    marked = np.zeros(1 << bits, dtype=np.bool_)
    marked[judgments.key >> shift] = True
    passed = np.flatnonzero(marked[run.key >> shift])
    return passed[judged[run.query[passed]] >= 0]


def _positions(ordered: Ordered, rows: Ints, count: int) -> Ints:
    if isinstance(ordered.row, slice):
        return rows
    position = np.empty(count, dtype=np.int64)
    position[ordered.row] = np.arange(count)
    return position[rows]
