"""Pages that show fewer documents than the cutoff, and their NDCG-local and NDCG-global."""

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.averages import mean
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.ladder import ladder
from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.words import counted


@dataclass(frozen=True, slots=True)
class ShortPages:
    """Of the `answered` queries, how many pages are `short`, and how many of these are `empty`. `local` and `ideal_global` are
    the mean NDCGs of the short pages that aren't empty, None if no query has a value.

    NDCG-local compares a page with its own documents only, so a page with one poor document scores 1.0.
    """

    cutoff: int
    answered: int
    short: int
    empty: int
    local: float | None
    ideal_global: float | None

    @classmethod
    def of(cls, cutoff: int, answered: Mask, shown: Ints, local: Floats, ideal_global: Floats) -> Self:
        """`shown` (Q,) are the documents on each page, `local` and `ideal_global` (Q,) its NDCGs, NaN where undefined."""
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
    def of_run(cls, run: JudgedRun, formula: Formula) -> Self:
        """Counts the short pages of a run. NDCGs are only worked out if there are any."""
        shown = np.minimum(run.retrieved, formula.cutoff)
        local = ideal_global = np.full(run.queries, np.nan)
        if (shown[run.answered] < formula.cutoff).any():
            steps = ladder(run, formula)
            local, ideal_global = steps.ndcg("local"), steps.ndcg("global")
        return cls.of(formula.cutoff, run.answered, shown, local, ideal_global)

    def as_json(self) -> dict[str, Any]:
        """A dict for JSON; `ideal_global` becomes `global`, which cannot be a name in Python."""
        return {name.removeprefix("ideal_"): value for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """The reverse of `as_json`."""
        return cls(**{"ideal_global" if name == "global" else name: value for name, value in values.items()})

    @property
    def words(self) -> str:
        """One or two sentences; empty if every page is full."""
        if not self.short:
            return ""
        pages, documents = counted(self.answered, "page"), counted(self.cutoff, "document")
        sentence = (
            f"{self.short:,} of {pages} {'shows' if self.short == 1 else 'show'} fewer than {documents}"
        )
        if self.empty:
            sentence += f", {self.empty:,} of them none"
        rest = self.short - self.empty
        if not rest or self.local is None or self.ideal_global is None:
            return f"{sentence}."
        where = (
            ("the other one" if self.empty else "this one")
            if rest == 1
            else f"the {rest:,} others"
            if self.empty
            else f"these {rest:,}"
        )
        return (
            f"{sentence}. On {where}, mean NDCG-local is {self.local:.4f} and mean NDCG-global {self.ideal_global:.4f}: local "
            f"compares a page with its own documents only, so one poor result alone scores 1.0 if it gains anything."
        )
