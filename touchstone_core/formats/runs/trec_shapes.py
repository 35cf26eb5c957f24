"""TREC runs that lack columns. They are read if they can only mean one thing, and otherwise refused with what to do."""

from collections.abc import Iterator
from typing import Final

from touchstone_core.formats import cells

Q0: Final = ("Q0", "q0", "0")
SIX: Final = "query, Q0, document, rank, score and tag"
HEADERS: Final = (("rank", "position", "pos"), ("score", "sim", "similarity", "rsv"))
LEAST_SURE: Final = (
    4  # documents that the last column has to count in some query, because grades don't count that far
)
THREE: Final = (
    "{name} has three columns and no header. If they are query, document and rank, choose to order by the rank column; "
    "else add a first line that names them, such as query,document,score."
)
FOUR: Final = (
    "{name} has four columns, as judgments (TREC qrels) have; a run has six: " + SIX + ". If the fourth is "
    "a rank, choose to order by the rank column."
)


def is_header(parts: list[str]) -> bool:
    """Whether a row of five or six words names the columns."""
    if len(parts) not in (5, 6):
        return False
    rank, score = (part.strip("#_").casefold() for part in parts[3:5])
    return rank in HEADERS[0] and score in HEADERS[1]


def complete(parts: list[str]) -> tuple[list[str], str] | None:
    """Completes a row of four or five columns, and says what it lacks. None if it may mean two things.

    Without Q0 the third column is the rank and the fourth the score. If all columns after the second are whole numbers,
    there's no telling.
    """
    if len(parts) == 5 and (parts[1] in Q0 or not _whole(parts[2])):
        return (parts, "the tag is missing") if _whole(parts[3]) or parts[1] in Q0 else None
    if len(parts) not in (4, 5) or parts[1] in Q0 or not _whole(parts[2]) or cells.number(parts[3]) is None:
        return None
    rest = parts[3:]
    if all(map(_whole, rest)):
        return None
    lacks = "Q0 is missing" if len(parts) == 5 else "Q0 and the tag are missing"
    return [parts[0], "Q0", *parts[1:]], lacks


def ranks_only(rows: Iterator[list[str]], *, sure: bool) -> bool:
    """Whether rows of three columns (query, document, rank) or four (with Q0) end in ranks.

    Ranks count the documents of each query from 0 or 1, and reach at least four in some query. If the file is `sure` to
    have ranks, whole numbers are enough, as long as no query repeats one.
    """
    ranks_by_query: dict[str, list[int]] = {}
    width = 0
    for parts in rows:
        width = width or len(parts)
        if (
            len(parts) != width
            or not (width == 3 or (width == 4 and parts[1] in Q0))
            or not _whole(parts[-1])
        ):
            return False
        ranks_by_query.setdefault(parts[0], []).append(int(parts[-1]))
    if sure:
        return all(len(set(ranks)) == len(ranks) for ranks in ranks_by_query.values())
    count_up = all(ranks == list(range(ranks[0], ranks[0] + len(ranks))) for ranks in ranks_by_query.values())
    first = {ranks[0] for ranks in ranks_by_query.values()}
    return count_up and first in ({0}, {1}) and max(map(len, ranks_by_query.values())) >= LEAST_SURE


def _whole(text: str) -> bool:
    return text.lstrip("+-").isdecimal() and len(text) < 19
