"""A run's table put in order and joined to the judgments: only judged rows survive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from touchstone_core.metrics.arrays import JudgedRun, judged_run
from touchstone_core.metrics.order import Precision, ScoreArray, at_precision
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.offline.fast.columns import Hashes
from touchstone_core.offline.fast.table import Table

SLOTS_FOR_EACH: Final = (
    16  # of the table that judged keys are marked in: one foreign row in sixteen passes at most
)


@dataclass(frozen=True, slots=True)
class Ordered:
    """Rows by query, best first. `row` is the place in the table; `start` and `size` (Q,) belong to its names."""

    row: Ints | slice
    start: Ints
    size: Ints
    tied: int  # queries in which two documents have the same score
    moved: int  # queries whose ranks put a document of lower score before one of higher score


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
    key: Hashes  # of query and document
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
        table.key[by_query],
        marked,
    )


def order(table: Table, precision: Precision = "single") -> Ordered:
    """Score descending, then document id descending by bytes. Sorts only what is not in order already."""
    query, score = table.query, at_precision(table.number, precision)
    row: Ints | slice = slice(None)
    same = query[1:] == query[:-1]
    if not (query[1:] >= query[:-1]).all() or (same & (score[1:] > score[:-1])).any():
        row = _sorted({"query": query, "score": score + 0.0})  # + 0.0: -0 and 0 are the same score
        query, score = query[row], score[row]
        same = query[1:] == query[:-1]
    equal = np.flatnonzero(same & (score[1:] == score[:-1]))  # each with the row behind it
    if equal.size:
        row = _by_document_where(equal, row, table.document)
    size = np.bincount(query, minlength=len(table.names))
    moved = _count_moved(query, score, table.rank[row])
    return Ordered(row, np.cumsum(size) - size, size, _changes(query[equal]), moved)


@dataclass(frozen=True, slots=True)
class Part:
    """What a table leaves behind: the length of each ranking, and rows that may be hits (key, query, document, rank).

    `pages` are the first documents of each judged query, by its name.
    """

    names: list[str]
    size: Ints
    tied: int
    moved: int
    candidates: pl.DataFrame
    pages: dict[str, list[str]]


def probe(table: Table, judgments: Judgments, shown: int = 0, precision: Precision = "single") -> Part:
    """Puts the table in order, looks its rows up among the judgments, and keeps pages of `shown` documents."""
    ordered = order(table, precision)
    judged = np.array([judgments.place.get(name, -1) for name in table.names], dtype=np.int64)
    found = np.flatnonzero(judgments.marked[_slots(table.key, judgments.marked)])
    found = found[judged[table.query[found]] >= 0]
    query = table.query[found]
    rank = _positions(ordered, found, len(table.number)) - ordered.start[query] + 1
    candidates = pl.DataFrame(
        {
            "key": table.key[found],
            "query": judged[query],
            "document": table.document.gather(found),
            "rank": rank,
        }
    )
    pages = _pages(table, ordered, np.flatnonzero(judged >= 0), shown)
    return Part(table.names, ordered.size, ordered.tied, ordered.moved, candidates, pages)


def _pages(table: Table, ordered: Ordered, queries: Ints, shown: int) -> dict[str, list[str]]:
    """Of these queries, by name."""
    sizes = np.minimum(ordered.size[queries], shown)
    ends = np.cumsum(sizes)
    at = np.arange(sizes.sum()) + np.repeat(ordered.start[queries] - (ends - sizes), sizes)
    documents = table.document.gather(at if isinstance(ordered.row, slice) else ordered.row[at]).to_list()
    return {
        table.names[query]: documents[end - size : end]
        for query, size, end in zip(queries.tolist(), sizes.tolist(), ends.tolist(), strict=True)
    }


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
    hits = _hits(pl.concat([part.candidates for part in parts]), judgments)
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


def _hits(candidates: pl.DataFrame, judgments: Judgments) -> pl.DataFrame:
    """The candidates that are judged, with their grades, by query and rank."""
    known = pl.DataFrame(
        {
            "key": judgments.key,
            "query": judgments.query,
            "document": judgments.document,
            "grade": judgments.grade,
        }
    )
    same_key = candidates.join(known, on="key", how="inner", suffix="_known")
    same = (pl.col("query") == pl.col("query_known")) & (pl.col("document") == pl.col("document_known"))
    return same_key.filter(same).sort("query", "rank")


def _slots(key: Hashes, marked: Mask) -> Ints:
    """The place of each key in the table of marks, by its upper bits."""
    return (key >> np.uint64(65 - len(marked).bit_length())).view(np.int64)


def _by_document_where(equal: Ints, row: Ints | slice, document: pl.Series) -> Ints:
    """The order with tied neighbors put in descending order of their ids. Strings are compared only there."""
    rows = np.arange(len(document)) if isinstance(row, slice) else row
    first = equal[np.diff(equal, prepend=-2) > 1]  # of each group of ties
    places = np.union1d(equal, equal + 1)
    among = rows[places]
    group = np.searchsorted(first, places, side="right")
    rows[places] = among[_sorted({"group": group, "document": document.gather(among)})]
    return rows


def _count_moved(query: Ints, score: ScoreArray, rank: Ints) -> int:
    """Of rows by query and score, best first: the queries in which a greater rank has a higher score.

    Rows of equal score may stand in any order, so where ranks fall the queries are looked at again by score and rank.
    """
    falls = (query[1:] == query[:-1]) & (rank[1:] < rank[:-1])
    among = np.flatnonzero(np.isin(query, query[1:][falls])) if falls.any() else np.zeros(0, dtype=np.int64)
    among = among[np.lexsort((rank[among], -score[among], query[among]))]
    query, rank = query[among], rank[among]
    return len(np.unique(query[1:][(query[1:] == query[:-1]) & (rank[1:] < rank[:-1])]))


def _changes(values: Ints) -> int:
    """How many different values there are, where equal ones stand together."""
    return int(np.count_nonzero(values[1:] != values[:-1])) + bool(values.size)


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
