"""The documents and ranks that explain each loss of one query.

Each list is empty exactly where its loss is 0.
"""

from dataclasses import dataclass

from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.worked_query import IdealRow, WorkedIdeal, WorkedQuery


@dataclass(frozen=True, slots=True)
class Swap:
    """Two ranks of the page, and the DCG points that swapping their documents gains."""

    upper: int
    lower: int
    gain: float


def best_swap(query: WorkedQuery) -> Swap | None:
    """The swap within the page that gains most, the first of equals; None if the page is in its best order."""
    page = [row for row in query.rows if row.inside]
    swaps = [
        Swap(upper.rank, lower.rank, (lower.gain - upper.gain) * (upper.discount - lower.discount))
        for place, upper in enumerate(page)
        for lower in page[place + 1 :]
    ]
    best = max(swaps, key=lambda swap: swap.gain, default=None)
    return best if best and best.gain > 0 else None


def below_the_cutoff(query: WorkedQuery, formula: Formula) -> list[IdealRow]:
    """The documents of the best page that the run retrieved below the cutoff, within the recall depth."""
    least = _least(query.ideals["local"], formula)
    return [
        row
        for row in query.ideals["recall"].rows
        if row.gain > least and row.source is not None and not query.rows[row.source].inside
    ]


def never_retrieved(query: WorkedQuery, formula: Formula, retrieved: set[int]) -> list[IdealRow]:
    """The documents of the best page that the run did not retrieve within the recall depth.

    `retrieved` holds the indices of retrieved documents in the judged grades that were given to `work_out`.
    """
    least = _least(query.ideals["recall"], formula)
    return [row for row in query.ideals["global"].rows if row.gain > least and row.source not in retrieved]


@dataclass(frozen=True, slots=True)
class Short:
    """Ranks of the best page without a document of the top grade: `lower` have another grade, `empty` have no judged document."""

    lower: int
    empty: int


def short_of_the_top(query: WorkedQuery) -> Short:
    """Compares the ideals global and max."""
    top = query.ideals["max"].rows
    best = query.ideals["global"].rows
    lower = sum(row.gain < top[0].gain for row in best)
    return Short(lower, max(len(top) - len(best), 0))


def _least(ideal: WorkedIdeal, formula: Formula) -> float:
    """A further document enters the ideal if its gain is greater than this."""
    full = len(ideal.rows) >= formula.cutoff
    return ideal.rows[-1].gain if full else 0.0
