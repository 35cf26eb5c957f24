"""The names that a formula goes by: presets of the tools, and the query set's own formulas."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evaluation.models import SavedFormula
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.presets import PRESETS, Preset
from touchstone_core.metrics.selection import Selection, read_measures

OWN: Final = "own-"


@dataclass(frozen=True, slots=True)
class Name:
    """A name of what is shown. `column` says where a preset's number stands: an ideal, or a measure's text."""

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
    """`first` is what the page calls its formula, None where nothing equals it; `equal` has all that do.

    `beside` are the tools whose number stands in some column, though the page shows more or other than they do.
    """

    first: Name | None
    equal: list[Name]
    beside: list[Name]

    @property
    def others(self) -> list[Name]:
        return [name for name in (*self.equal, *self.beside) if name != self.first]


def names_of(chosen: Selection, saved: Sequence[SavedFormula], wanted: str = "") -> Names:
    """Every name of what is shown; of several equal ones, `wanted` is the first if it is among them."""
    own = [Name(f"{OWN}{formula.pk}", formula.name) for formula in saved if saved_choice(formula) == chosen]
    cutoff = chosen.formula.cutoff
    shown = [(preset, column) for preset in PRESETS.values() if (column := _column(chosen, preset, cutoff))]
    same = [Selection.of_preset(preset, cutoff) == chosen for preset, _ in shown]
    tools = [_name(preset, column) for preset, column in shown]
    equal = own + [name for name, is_same in zip(tools, same, strict=True) if is_same]
    beside = [name for name, is_same in zip(tools, same, strict=True) if not is_same]
    first = next((name for name in equal if name.key == wanted), equal[0] if equal else None)
    return Names(first, equal, beside)


def saved_choice(saved: SavedFormula) -> Selection:
    """What a saved formula stands for."""
    return Selection(Formula.from_key(saved.formula), read_measures(saved.measures))


def _column(chosen: Selection, preset: Preset, cutoff: int) -> str:
    return chosen.shows(preset.measure(cutoff), preset.digits)


def _name(preset: Preset, column: str) -> Name:
    return Name(preset.key, preset.name, column, preset.words, preset.trap, preset.source)
