"""Pages that show fewer documents than the cutoff, and what NDCG-local and NDCG-global make of them."""

from dataclasses import asdict, dataclass
from typing import Any, Self

from touchstone_core.metrics.averages import mean
from touchstone_core.metrics.ladder import Ladder
from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.words import counted


@dataclass(frozen=True, slots=True)
class ShortPages:
    """Of `answered` queries, how many pages are `short`, and how many of these are `empty`. `local` and `ideal_global` are the
    mean NDCGs of the others, None where none is left or has a value.

    NDCG-local compares a page with its own documents only, so that one poor document alone scores 1.0.
    """

    cutoff: int
    answered: int
    short: int
    empty: int
    local: float | None
    ideal_global: float | None

    @classmethod
    def of(cls, cutoff: int, answered: Mask, shown: Ints, local: Floats, ideal_global: Floats) -> Self:
        """From arrays (Q,): the documents on each page, at most `cutoff`, and both NDCGs, NaN where undefined."""
        empty = answered & (shown == 0)
        short = answered & (shown > 0) & (shown < cutoff)
        return cls(
            cutoff=cutoff,
            answered=int(answered.sum()),
            short=int(short.sum() + empty.sum()),
            empty=int(empty.sum()),
            local=mean(local[short]),
            ideal_global=mean(ideal_global[short]),
        )

    @classmethod
    def of_ladder(cls, found: Ladder) -> Self:
        """By the formula of the ladder."""
        cutoff = found.formula.cutoff
        return cls.of(cutoff, found.answered, found.shown, found.ndcg("local"), found.ndcg("global"))

    def as_json(self) -> dict[str, Any]:
        """`global` for `ideal_global`, which is a word of the language."""
        return {name.removeprefix("ideal_"): value for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """What `as_json` gave."""
        return cls(**{"ideal_global" if name == "global" else name: value for name, value in stored.items()})

    @property
    def words(self) -> str:
        """A sentence or two; empty where every page is full."""
        if not self.short:
            return ""
        pages, documents = counted(self.answered, "page"), counted(self.cutoff, "document")
        told = f"{self.short:,} of {pages} {'shows' if self.short == 1 else 'show'} fewer than {documents}"
        if self.empty:
            told += f", {self.empty:,} of them none"
        rest = self.short - self.empty
        if not rest or self.local is None or self.ideal_global is None:
            return f"{told}."
        where = (
            ("the other one" if self.empty else "this one")
            if rest == 1
            else f"the {rest:,} others"
            if self.empty
            else f"these {rest:,}"
        )
        return (
            f"{told}. On {where}, mean NDCG-local is {self.local:.4f} and mean NDCG-global {self.ideal_global:.4f}: local "
            f"compares a page with its own documents only, so one poor result alone scores 1.0 if it gains anything."
        )
