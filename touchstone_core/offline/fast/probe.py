"""Sorts a run's table and joins it to the judgments. Only judged rows remain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from touchstone_core.metrics.arrays import JudgedRun, judged_run
from touchstone_core.metrics.order import Precision, at_precision
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.offline.fast.columns import Hashes
from touchstone_core.offline.fast.table import NO_PLACES, Table

SLOTS_FOR_EACH: Final = 16  # slots per judged key: at most one unjudged row in sixteen hits a mark


@dataclass(frozen=True, slots=True)
class RowOrder:
    """Rows by query, best first. `row` is the place in the table. `start` and `size` (Q,) belong to its names."""

    row: Ints | slice
    start: Ints
    size: Ints
    tied: Ints  # queries in which two documents have the same score
    conflicts: Ints  # queries whose ranks put a document of lower score before one of higher score


@dataclass(frozen=True, slots=True)
class Judgments:
    """The judgments by query, ready to join to any number of runs. `place` is a name's place in `names`.

    `key` is sorted, and `row` has the judgment of each key. `marks` has a mark in the slot of every key, which its upper bits say.
    """

    names: list[str]
    place: dict[str, int]
    query: Ints
    document: pl.Series
    grade: Floats
    key: Hashes  # of query and document
    row: Ints
    marks: Mask


def index_judgments(table: Table) -> Judgments:
    by_query = np.argsort(table.query, kind="stable")
    row = np.argsort(table.key[by_query])
    key = table.key[by_query][row]
    marks = np.zeros(1 << max(10, (len(key) * SLOTS_FOR_EACH).bit_length()), dtype=np.bool_)
    marks[_slots(key, marks)] = True
    return Judgments(
        table.names,
        {name: place for place, name in enumerate(table.names)},
        table.query[by_query],
        table.document[by_query],
        table.number[by_query],
        key,
        row,
        marks,
    )


def order_rows(table: Table, precision: Precision) -> RowOrder:
    """Score descending, then document ID descending by bytes. Only sorts what isn't sorted already."""
    query, score = table.query, at_precision(table.number, precision)
    row: Ints | slice = slice(None)
    same = query[1:] == query[:-1]
    if not (query[1:] >= query[:-1]).all() or (same & (score[1:] > score[:-1])).any():
        row = _sort_places({"query": query, "score": score + 0.0})  # + 0.0: -0 and 0 are the same score
        query, score = query[row], score[row]
        same = query[1:] == query[:-1]
    equal = np.flatnonzero(same & (score[1:] == score[:-1]))  # each with the row behind it
    places, group = _groups(equal)
    if equal.size:
        row = _by_document_where(places, group, row, table.document)
    size = np.bincount(query, minlength=len(table.names))
    conflicts = _conflicts(query, table.rank[row], places, group)
    return RowOrder(row, np.cumsum(size) - size, size, np.unique(query[equal]), conflicts)


@dataclass(frozen=True, slots=True)
class Part:
    """What remains of a table: the length of each ranking, and the hits: the rank of each, and the row of its judgment.

    `pages` has the first documents of each judged query, by name.
    """

    names: list[str]
    size: Ints
    tied: int
    conflicts: int
    rank: Ints
    judgment: Ints
    pages: dict[str, list[str]]


def probe(table: Table, judgments: Judgments, page_size: int = 0, precision: Precision = "single") -> Part:
    """Sorts the table, looks its rows up in the judgments, and keeps pages of `page_size` documents."""
    row_order = order_rows(table, precision)
    judged = np.array([judgments.place.get(name, -1) for name in table.names], dtype=np.int64)
    rows, judgment = _hits(table, judged, judgments)
    rank = _positions(row_order, rows, len(table.number)) - row_order.start[table.query[rows]] + 1
    pages = _pages(table, row_order, np.flatnonzero(judged >= 0), page_size)
    tied, conflicts = len(row_order.tied), len(row_order.conflicts)
    return Part(table.names, row_order.size, tied, conflicts, rank, judgment, pages)


def _hits(table: Table, judged: Ints, judgments: Judgments) -> tuple[Ints, Ints]:
    """The judged rows, and the row of the judgment of each. `judged` has the place of each query among the judgments' names.

    Hashes only find candidates. Hits have the same query and document as text.
    """
    rows = np.flatnonzero(judgments.marks[_slots(table.key, judgments.marks)])
    at = np.searchsorted(
        judgments.key[:-1], table.key[rows]
    )  # without the last, so that each is a place in `key`
    found = [(NO_PLACES, NO_PLACES)]
    while (same := np.flatnonzero(judgments.key[at] == table.key[rows])).size:
        rows, at = rows[same], at[same]
        judgment = judgments.row[at]
        is_hit = (judged[table.query[rows]] == judgments.query[judgment]) & (
            table.document[rows] == judgments.document[judgment]
        ).to_numpy()
        found.append((rows[is_hit], judgment[is_hit]))
        more = at + 1 < len(judgments.key)  # another judgment may have the same key
        rows, at = rows[more], at[more] + 1
    rows, judgment = map(np.concatenate, zip(*found, strict=True))
    return rows, judgment


def _pages(table: Table, row_order: RowOrder, queries: Ints, page_size: int) -> dict[str, list[str]]:
    """The pages of these queries, by name."""
    if not page_size:
        return {}
    sizes = np.minimum(row_order.size[queries], page_size)
    ends = np.cumsum(sizes)
    at = np.arange(sizes.sum()) + np.repeat(row_order.start[queries] - (ends - sizes), sizes)
    documents = table.document.gather(at if isinstance(row_order.row, slice) else row_order.row[at]).to_list()
    return {
        table.names[query]: documents[end - size : end]
        for query, size, end in zip(queries.tolist(), sizes.tolist(), ends.tolist(), strict=True)
    }


def join(parts: Sequence[Part], judgments: Judgments, scale: ScaleInfo) -> tuple[JudgedRun, int]:
    """The JudgedRun of the judged queries, and the number of queries without judgments.

    No query may be in two parts.
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
    rank, judgment = (
        np.concatenate([getattr(part, fact) for part in parts]) for fact in ("rank", "judgment")
    )
    order = np.lexsort((rank, judgments.query[judgment]))
    rank, judgment = rank[order], judgment[order]
    run = judged_run(
        answered=retrieved > 0,
        retrieved=retrieved,
        hit_query=judgments.query[judgment],
        hit_rank=rank,
        hit_grade=judgments.grade[judgment],
        judged_query=judgments.query,
        judged_grade=judgments.grade,
        scale=scale,
    )
    return run, unjudged


def _slots(key: Hashes, marks: Mask) -> Ints:
    """The place of each key in the table of marks, by its upper bits."""
    return (key >> np.uint64(65 - len(marks).bit_length())).view(np.int64)


def _by_document_where(places: Ints, group: Ints, row: Ints | slice, document: pl.Series) -> Ints:
    """The order, with tied neighbors, which are at these places, sorted by ID, descending. Only compares strings there."""
    rows = np.arange(len(document)) if isinstance(row, slice) else row
    among = rows[places]
    rows[places] = among[_sort_places({"group": group, "document": document[among]})]
    return rows


def _conflicts(query: Ints, rank: Ints, places: Ints, group: Ints) -> Ints:
    """The queries in which a greater rank has a higher score. Takes rows by query and score, best first; those of the same score
    are at these places, in these groups.

    Rows with equal scores may be in any order, so these are sorted by rank. Sorting all rows takes a third of the whole.
    """
    same = query[1:] == query[:-1]
    if places.size and (same & (rank[1:] < rank[:-1])).any():
        rank = np.array(rank)
        rank[places] = rank[places][np.lexsort((rank[places], group))]
    return np.unique(query[1:][same & (rank[1:] < rank[:-1])])


def _groups(equal: Ints) -> tuple[Ints, Ints]:
    """The places of all rows with equal neighbors, and the number of the group that each belongs to."""
    first = equal[np.diff(equal, prepend=-2) > 1]
    places = np.union1d(equal, equal + 1)
    return places, np.searchsorted(first, places, side="right")


def _sort_places(columns: Mapping[str, ArrayLike]) -> Ints:
    """The places that sort by two columns, the first ascending, the second descending."""
    places = pl.DataFrame(columns).select_seq(pl.arg_sort_by(*columns, descending=[False, True]))
    return places.to_series().to_numpy().astype(np.int64)


def _positions(row_order: RowOrder, rows: Ints, count: int) -> Ints:
    if isinstance(row_order.row, slice):
        return rows
    position = np.empty(count, dtype=np.int64)
    position[row_order.row] = np.arange(count)
    return position[rows]
