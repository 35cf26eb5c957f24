"""TREC runs that lack columns. They are read if they can only mean one thing, and otherwise refused with what to do."""

import math
from collections.abc import Iterator
from typing import Final

from touchstone_core.formats import cells
from touchstone_core.formats.judgments.qrels import Q0
from touchstone_core.formats.problems import Report

SIX: Final = "query, Q0, document, rank, score and tag"
NO_TAG: Final = "no tag"
NO_Q0: Final = "no Q0"
TAG_IS_MISSING: Final = "the tag is missing"
RANKS: Final = ("rank", "position", "pos")
SCORES: Final = ("score", "sim", "similarity", "rsv")
LEAST_SURE: Final = (
    4  # documents that the last column has to count in some query, because grades don't count that far
)
THREE: Final = (
    "{name} has three columns and no header. If they are query, document and rank, choose to order by the rank column "
    "(--order rank); else add a first line that names them, such as query,document,score."
)
FOUR: Final = (
    "{name} has four columns, as judgments (TREC qrels) have; a run has six: " + SIX + ". If the fourth is "
    "a rank, choose to order by the rank column (--order rank)."
)


def is_header(parts: list[str]) -> bool:
    """Whether a row of words names the columns: a score behind a rank, or a rank at the end."""
    words = [part.strip("#_").casefold() for part in parts]
    if words[-1] in RANKS:
        return len(words) == 3 or (len(words) == 4 and parts[1] in Q0)
    with_q0 = len(words) in (5, 6) and words[3] in RANKS and words[4] in SCORES
    return with_q0 or (len(words) in (4, 5) and words[2] in RANKS and words[3] in SCORES)


def complete(parts: list[str]) -> tuple[list[str], str] | None:
    """Completes a row of four or five columns, and says what it lacks. None if it may mean two things.

    Without Q0 the third column is the rank and the fourth the score. A document may be called 0, but not Q0.
    """
    if len(parts) not in (4, 5):
        return None
    ranked = _whole(parts[2]) and cells.number(parts[3]) is not None
    if len(parts) == 4:
        sure = ranked and parts[1] not in Q0 and not _whole(parts[3])
        return ([parts[0], "Q0", *parts[1:]], "Q0 and the tag are missing") if sure else None
    untagged = _whole(parts[3]) and cells.number(parts[4]) is not None
    q0 = parts[1] in Q0[:2]
    if ranked and (untagged or q0):
        return (parts, TAG_IS_MISSING) if untagged and q0 else None
    if ranked:
        return [parts[0], "Q0", *parts[1:]], "Q0 is missing"
    return (parts, TAG_IS_MISSING) if _whole(parts[3]) or parts[1] in Q0 else None


def refuse_different_columns(report: Report) -> None:
    """Reports an error if some rows lack the tag and others Q0: then one of them was read in the wrong columns."""
    if {NO_TAG, NO_Q0} <= report.warnings.counts.keys():
        lines = {one.kind: one.line for one in reversed(report.warnings.first)}
        first, second = sorted((NO_TAG, NO_Q0), key=lambda kind: lines.get(kind) or math.inf)
        place = f"on line {lines[first]}" if first in lines else "in other rows"
        expected = f"the same columns as {place} ({first}): add Q0 and the tag to every row"
        report.error(lines.get(second), "", second, expected, kind="different columns")


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
