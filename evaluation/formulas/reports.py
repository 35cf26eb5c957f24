"""The names of a formula: presets of other tools, and the query set's saved formulas."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evaluation.models import SavedFormula
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.presets import PRESETS
from touchstone_core.metrics.selection import Selection, read_measures

OWN: Final = "own-"
CUTOFFS: Final = (1, 3, 5, 10, 20, 100)
"""What pages offer."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name of the formula on a page. `column` has a preset's number: an ideal, or a measure's text."""

    key: str
    name: str
    column: str = ""
    words: str = ""
    trap: str = ""
    source: str = ""

    @property
    def own(self) -> bool:
        return self.key.startswith(OWN)

    @property
    def heading(self) -> str:
        """The heading of the column."""
        return f"NDCG-{self.column}" if self.column in IDEALS else self.column


@dataclass(frozen=True, slots=True)
class Names:
    """`first` is the page's name for its formula, or None; `equal` has all names of the same formula.

    `beside` are tools whose number is in some column, although the page shows a different formula.
    """

    first: Name | None
    equal: list[Name]
    beside: list[Name]

    @property
    def others(self) -> list[Name]:
        return [name for name in (*self.equal, *self.beside) if name != self.first]


def names_of(chosen: Selection, saved: Sequence[SavedFormula], preferred: str = "") -> Names:
    """Every name of the formula on a page. The name with the key `preferred` comes first if it's an equal one."""
    own = [Name(f"{OWN}{formula.pk}", formula.name) for formula in saved if saved_choice(formula) == chosen]
    cutoff = chosen.formula.cutoff
    equal, beside = own, list[Name]()
    for preset in PRESETS.values():
        if column := chosen.shows(preset.measure(cutoff), preset.digits):
            name = Name(preset.key, preset.name, column, preset.words, preset.trap, preset.source)
            (equal if Selection.of_preset(preset, cutoff) == chosen else beside).append(name)
    first = next((name for name in equal if name.key == preferred), equal[0] if equal else None)
    return Names(first, equal, beside)


def saved_choice(saved: SavedFormula) -> Selection:
    """What a saved formula stands for."""
    return Selection(Formula.from_key(saved.formula), read_measures(saved.measures))
