"""One query's rows of a run, whatever the file's format, put into evaluated order once and for all.

Order: retrieval score descending, in single precision or by choice in double, then document id descending by UTF-8
bytes, as `touchstone_core.metrics.order` does for arrays. Python compares strings by code point, and UTF-8 keeps that order.
By choice, or where there are no scores, the file's rank column decides; a file with neither is taken as listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal

from touchstone_core.formats.problems import Report
from touchstone_core.metrics.order import Order as Order
from touchstone_core.metrics.order import Precision, list_at_precision, precision_of

Duplicates = Literal["refuse", "first"]

MOVED: Final = "score and rank disagree"


@dataclass(slots=True)
class Rows:
    """Columns of one query as the file lists them. `scores` and `ranks` are as long as `documents`, or empty."""

    line: int | None
    documents: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ParsedRanking:
    """`documents` best first; `scores` belong to them by position, None where the file has none.

    `tied`: two documents share what decided the order. `reordered`: the file's ranks (or, without ranks, its lines) put
    a document of lower score before one of higher score; equal scores may stand in any order. `line` is where the query first stands, None in JSON.
    """

    query: str
    documents: list[str]
    scores: list[float] | None
    tied: bool
    reordered: bool
    line: int | None


def finish(query: str, rows: Rows, report: Report, *, order: Order, duplicates: Duplicates) -> ParsedRanking:
    """Refuses or drops repeated documents, decides the order, and warns where it may surprise."""
    if len(set(rows.documents)) != len(rows.documents):
        rows = _once(query, rows, report, duplicates)
    by_rank = bool(rows.ranks) and (order == "rank" or not rows.scores)
    if by_rank:
        ranking = _by_rank(query, rows)
    elif rows.scores:
        ranking = _by_score(query, rows, report, precision_of(order))
    else:
        ranking = ParsedRanking(query, rows.documents, None, False, False, rows.line)
    if ranking.tied:
        found = "equal ranks" if by_rank else "equal scores"
        report.warn(rows.line, "", f"{found} for query {query}", _TIES[found], kind=f"{found} in a query")
    return ranking


_SAME_ORDER = "the same order by both (scores decide, unless you choose to order by rank)"
_TIES = {
    "equal scores": "distinct ones (ties are put in descending order of document ids)",
    "equal ranks": "distinct ones (ties are put in order of scores, then document ids)",
}


def _by_score(query: str, rows: Rows, report: Report, precision: Precision) -> ParsedRanking:
    ranks = rows.ranks or range(len(rows.documents))
    compared = list_at_precision(rows.scores, precision)
    ordered = sorted(zip(compared, rows.documents, ranks, rows.scores, strict=True), reverse=True)
    numbers = [number for number, _, _, _ in ordered]
    scores = [score for _, _, _, score in ordered]
    moved = disagree(numbers, [rank for _, _, rank, _ in ordered])
    if moved and rows.ranks:
        found = f"ranks and scores in different orders for query {query}"
        report.warn(rows.line, "", found, _SAME_ORDER, kind=MOVED)
    documents = [document for _, document, _, _ in ordered]
    return ParsedRanking(query, documents, scores, _repeats(numbers), moved, rows.line)


def _by_rank(query: str, rows: Rows) -> ParsedRanking:
    """Equal ranks fall back to the order by score, then to the order by id."""
    scores = rows.scores or [0.0] * len(rows.documents)
    best_first = sorted(zip(scores, rows.documents, rows.ranks, strict=True), reverse=True)
    ordered = sorted(best_first, key=lambda row: row[2])
    ranks = [rank for _, _, rank in ordered]
    kept = [score for score, _, _ in ordered] if rows.scores else None
    return ParsedRanking(
        query, [document for _, document, _ in ordered], kept, _repeats(ranks), False, rows.line
    )


def disagree(scores: Sequence[float], ranks: Sequence[int]) -> bool:
    """Whether some document has a higher score and a greater rank than another; `scores` best first."""
    if _ascending(ranks):
        return False
    by_rank = sorted(zip(scores, ranks, strict=True), key=lambda row: (-row[0], row[1]))
    return not _ascending([rank for _, rank in by_rank])


def _ascending(values: Sequence[int]) -> bool:
    return all(one <= other for one, other in pairwise(values))


def _repeats(values: Sequence[float]) -> bool:
    """Whether a sorted sequence holds a value twice."""
    return any(one == other for one, other in pairwise(values))


def _once(query: str, rows: Rows, report: Report, duplicates: Duplicates) -> Rows:
    first: dict[str, int] = {}
    kept: list[int] = []
    tell = report.error if duplicates == "refuse" else report.warn
    for place, document in enumerate(rows.documents):
        if first.setdefault(document, place) == place:
            kept.append(place)
            continue
        line, earlier = (rows.lines[place], rows.lines[first[document]]) if rows.lines else (None, None)
        where = f" (it is on line {earlier} already)" if rows.lines else ""
        column = "document" if rows.lines else f"query {query}"
        tell(line, column, document, f"each document once for query {query}{where}", kind="a document twice")
    return Rows(
        rows.line,
        [rows.documents[place] for place in kept],
        [rows.scores[place] for place in kept if rows.scores],
        [rows.ranks[place] for place in kept if rows.ranks],
    )
