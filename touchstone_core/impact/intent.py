"""Whether a change affected the queries that it was meant for, and how many others. Q queries."""

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from touchstone_core.formats.columns import Column
from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.words import counted


@dataclass(frozen=True, slots=True)
class QueryCounts:
    """Counts of some queries. `changed` have another page, None if pages aren't compared. `improved`, `worse` and `same` add up
    to the queries, None without grades. `undecided` could still be won by either run."""

    queries: int
    changed: int | None = None
    improved: int | None = None
    worse: int | None = None
    same: int | None = None
    undecided: int | None = None


@dataclass(frozen=True, slots=True)
class IntentCounts:
    """Counts of the intended queries, and of all others."""

    intended: QueryCounts
    others: QueryCounts

    @property
    def changed(self) -> int | None:
        """How many queries changed."""
        first, others = self.intended.changed, self.others.changed
        return None if first is None or others is None else first + others

    @property
    def precision(self) -> float | None:
        """Changed and intended / changed; None if nothing changed."""
        return _share(self.intended.changed, self.changed)

    @property
    def recall(self) -> float | None:
        """Changed and intended / intended; None if no intended query was compared."""
        return _share(self.intended.changed, self.intended.queries)

    def as_json(self) -> dict[str, Any]:
        """Counts and shares for JSON; None if undefined."""
        return {
            "intended": asdict(self.intended),
            "others": asdict(self.others),
            "changed": self.changed,
            "precision": self.precision,
            "recall": self.recall,
        }


FIGURES: Final = ("queries", "changed", "improved", "worse", "same", "undecided")
COLUMNS: Final[tuple[Column[IntentCounts], ...]] = (
    *(
        Column(f"{part}: {name}", "", f"{part}__{name}")
        for part in ("intended", "others")
        for name in FIGURES
    ),
    Column("precision of the intent", "", "precision"),
    Column("recall of the intent", "", "recall"),
)


def count_intent(
    intended: Mask,
    *,
    changed: Mask | None,
    difference: Floats | Ints | None = None,
    undecided: Mask | None = None,
) -> IntentCounts:
    """Counts queries; all arrays (Q,). A positive `difference` is an improvement. Without an array its counts are None."""
    return IntentCounts(*(_count(mask, changed, difference, undecided) for mask in (intended, ~intended)))


def _count(
    mask: Mask, changed: Mask | None, difference: Floats | Ints | None, undecided: Mask | None
) -> QueryCounts:
    signs = None if difference is None else np.sign(difference[mask])
    return QueryCounts(
        queries=int(mask.sum()),
        changed=None if changed is None else int(changed[mask].sum()),
        improved=None if signs is None else int((signs > 0).sum()),
        worse=None if signs is None else int((signs < 0).sum()),
        same=None if signs is None else int((signs == 0).sum()),
        undecided=None if undecided is None else int(undecided[mask].sum()),
    )


def intent_words(counts: IntentCounts, *, ranks: bool) -> str:
    """One sentence about the intended queries and one about the others."""
    if not counts.intended.queries:
        return "None of the intended queries is compared."
    first = _half(
        counts.intended, counted(counts.intended.queries, "intended query", "intended queries"), ranks
    )
    others = _half(counts.others, counted(counts.others.queries, "other query", "other queries"), ranks)
    return f"{first} {others}" if counts.others.queries else first


def _half(part: QueryCounts, of: str, ranks: bool) -> str:
    parts = []
    if part.changed is not None:
        parts.append(f"{part.changed:,} changed")
    if part.improved is not None and part.worse is not None:
        up, down = ("improved", "got worse") if ranks else ("went up", "went down")
        parts += [f"{part.improved:,} {up}", f"{part.worse:,} {down}"]
    last = parts.pop()
    return f"Of {of}, {', '.join(parts)}{' and ' if parts else ''}{last}."


def _share(part: int | None, whole: int | None) -> float | None:
    return None if part is None or not whole else part / whole
