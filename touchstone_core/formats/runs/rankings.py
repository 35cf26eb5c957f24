"""Puts one query's rows of a run into evaluated order, whatever the file's format.

The order is retrieval score descending, in single precision or by choice in double, then document ID descending by UTF-8
bytes, like `touchstone_core.metrics.order` for arrays. Python compares strings by code point, which gives the same order.
By choice, or without scores, the file's rank column decides. A file with neither keeps the order of its lines.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from touchstone_core.formats.problems import Report
from touchstone_core.metrics.order import Order as Order
from touchstone_core.metrics.order import Precision, list_at_precision, precision_of
from touchstone_core.metrics.types import Floats

Duplicates = Literal["refuse", "first"]

RANK_CONFLICT: Final = "score and rank disagree"
SEVERAL_TAGS: Final = "several tags"
TWICE: Final = "a document twice"
"""Not said where several tags are refused: a document of two tags isn't a document twice."""


@dataclass(slots=True)
class Rows:
    """Columns of one query in the order of the file. `scores` and `ranks` are as long as `documents`, or empty."""

    line: int | None
    documents: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ParsedRanking:
    """`documents` are best first. `scores` have the same order, or are None if the file has none.

    `tied`: two documents share the value that decides the order. `line` is the query's first line, or None in JSON.
    """

    query: str
    documents: list[str]
    scores: list[float] | None
    tied: bool
    line: int | None

    @property
    def size(self) -> int:
        return len(self.documents)

    @property
    def joined(self) -> str:
        """The documents as one text, joined by line feeds, which no ID holds."""
        return "\n".join(self.documents)


@dataclass(frozen=True, slots=True)
class JoinedRanking:
    """A `ParsedRanking` whose documents are one text, joined by line feeds, and whose scores are an array of float64."""

    query: str
    joined: str
    scores: Floats
    tied: bool
    line: int

    @property
    def documents(self) -> list[str]:
        return self.joined.split("\n")

    @property
    def size(self) -> int:
        return len(self.scores)


Ranking: TypeAlias = ParsedRanking | JoinedRanking


def finish(query: str, rows: Rows, report: Report, *, order: Order, duplicates: Duplicates) -> ParsedRanking:
    """Refuses or drops repeated documents, sorts the others, and warns of an order that may surprise."""
    if len(set(rows.documents)) != len(rows.documents):
        rows = _once(query, rows, report, duplicates)
    by_rank = bool(rows.ranks) and (order == "rank" or not rows.scores)
    if by_rank:
        ranking = _by_rank(query, rows)
    elif rows.scores:
        ranking = _by_score(query, rows, report, precision_of(order))
    else:
        ranking = ParsedRanking(query, rows.documents, None, False, rows.line)
    if ranking.tied:
        warn_of_ties(query, rows.line, report, tie="equal ranks" if by_rank else "equal scores")
    return ranking


def warn_of_ties(query: str, line: int | None, report: Report, *, tie: str = "equal scores") -> None:
    report.warn(line, "", f"{tie} for query {query}", _TIES[tie], kind=f"{tie} in a query")


def warn_of_conflict(query: str, line: int | None, report: Report) -> None:
    difference = f"ranks and scores in different orders for query {query}"
    report.warn(line, "", difference, _SAME_ORDER, kind=RANK_CONFLICT)


_SAME_ORDER = "the same order by both (scores decide, unless you choose to order by rank)"
_TIES = {
    "equal scores": "a different one for each document (ties are put in descending order of document IDs)",
    "equal ranks": "a different one for each document (ties are put in order of scores, then document IDs)",
}


def _by_score(query: str, rows: Rows, report: Report, precision: Precision) -> ParsedRanking:
    ranks = rows.ranks or range(len(rows.documents))
    keys = list_at_precision(rows.scores, precision)
    best_first = sorted(zip(keys, rows.documents, ranks, rows.scores, strict=True), reverse=True)
    numbers = [number for number, _, _, _ in best_first]
    scores = [score for _, _, _, score in best_first]
    if rows.ranks and disagree(numbers, [rank for _, _, rank, _ in best_first]):
        warn_of_conflict(query, rows.line, report)
    documents = [document for _, document, _, _ in best_first]
    return ParsedRanking(query, documents, scores, _repeats(numbers), rows.line)


def _by_rank(query: str, rows: Rows) -> ParsedRanking:
    """Sorts by rank, equal ranks by score, and equal scores by ID."""
    scores = rows.scores or [0.0] * len(rows.documents)
    best_first = sorted(zip(scores, rows.documents, rows.ranks, strict=True), reverse=True)
    by_rank = sorted(best_first, key=lambda row: row[2])
    ranks = [rank for _, _, rank in by_rank]
    scores_by_rank = [score for score, _, _ in by_rank] if rows.scores else None
    documents = [document for _, document, _ in by_rank]
    return ParsedRanking(query, documents, scores_by_rank, _repeats(ranks), rows.line)


def disagree(scores: Sequence[float], ranks: Sequence[int]) -> bool:
    """Whether a document has a higher score and a greater rank than another. `scores` are best first."""
    if _ascending(ranks):
        return False
    by_rank = sorted(zip(scores, ranks, strict=True), key=lambda row: (-row[0], row[1]))
    return not _ascending([rank for _, rank in by_rank])


def _ascending(values: Sequence[int]) -> bool:
    return all(one <= other for one, other in pairwise(values))


def _repeats(values: Sequence[float]) -> bool:
    """Whether a sorted sequence repeats a value."""
    return any(one == other for one, other in pairwise(values))


def _once(query: str, rows: Rows, report: Report, duplicates: Duplicates) -> Rows:
    first: dict[str, int] = {}
    places: list[int] = []
    tell = report.error if duplicates == "refuse" else report.warn
    for place, document in enumerate(rows.documents):
        if first.setdefault(document, place) == place:
            places.append(place)
            continue
        if SEVERAL_TAGS in report.errors.counts:
            continue
        line, earlier = (rows.lines[place], rows.lines[first[document]]) if rows.lines else (None, None)
        where = f" (it is on line {earlier} already)" if rows.lines else ""
        column = "document" if rows.lines else f"query {query}"
        tell(line, column, document, f"listed once for query {query}{where}", kind=TWICE)
    return Rows(
        rows.line,
        [rows.documents[place] for place in places],
        [rows.scores[place] for place in places if rows.scores],
        [rows.ranks[place] for place in places if rows.ranks],
    )
