"""What explains each gap of one query: the documents and ranks behind the losses of the ladder.

Each list is empty exactly where its gap is 0, so that a page never explains a loss that is none.
"""

from dataclasses import dataclass

from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.worked_query import IdealRow, WorkedIdeal, WorkedQuery


@dataclass(frozen=True, slots=True)
class Swap:
    """Two ranks of the page that had better change places, and the DCG points that this gains."""

    upper: int
    lower: int
    gain: float


def best_swap(worked: WorkedQuery) -> Swap | None:
    """The swap within the page that gains most, the first of several; None where the page is in its best order."""
    page = [row for row in worked.rows if row.inside]
    swaps = [
        Swap(upper.rank, lower.rank, (lower.gain - upper.gain) * (upper.discount - lower.discount))
        for place, upper in enumerate(page)
        for lower in page[place + 1 :]
    ]
    best = max(swaps, key=lambda swap: swap.gain, default=None)
    return best if best and best.gain > 0 else None


def below_the_cutoff(worked: WorkedQuery, formula: Formula) -> list[IdealRow]:
    """The retrieved documents below the cutoff, within the recall depth, that the best page would hold."""
    least = _least(worked.ideals["local"], formula)
    return [
        row
        for row in worked.ideals["recall"].rows
        if row.gain > least and row.source is not None and not worked.rows[row.source].inside
    ]


def never_retrieved(worked: WorkedQuery, formula: Formula, retrieved: set[int]) -> list[IdealRow]:
    """The judged documents that the best page would hold and the ranking lacks down to the recall depth.

    `retrieved` holds the places of the retrieved ones among the judged grades that the query was worked out from.
    """
    least = _least(worked.ideals["recall"], formula)
    return [row for row in worked.ideals["global"].rows if row.gain > least and row.source not in retrieved]


@dataclass(frozen=True, slots=True)
class Short:
    """Ranks of the best page that no document of the top grade can fill: `lower` hold another, `empty` none judged."""

    lower: int
    empty: int


def short_of_the_top(worked: WorkedQuery) -> Short:
    """Of the ideal global beside the ideal max."""
    top = worked.ideals["max"].rows
    best = worked.ideals["global"].rows
    lower = sum(row.gain < top[0].gain for row in best)
    return Short(lower, max(len(top) - len(best), 0))


def _least(ideal: WorkedIdeal, formula: Formula) -> float:
    """What a further document must be worth more than to enter an ideal."""
    full = len(ideal.rows) >= formula.cutoff
    return ideal.rows[-1].gain if full else 0.0
