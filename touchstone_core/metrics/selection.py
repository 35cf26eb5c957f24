"""What a page of values shows: a formula, and further measures beside its four NDCGs."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Self

from touchstone_core.metrics.errors import TextError
from touchstone_core.metrics.formula import DEFAULT_CUTOFF, IDEALS, Formula
from touchstone_core.metrics.measure import Measure
from touchstone_core.metrics.presets import Preset
from touchstone_core.metrics.rounding import Rounded, read_rounded

MOST_MEASURES: Final = 12


def read_measures(text: str) -> tuple[Rounded, ...]:
    """The measures that stand in a text with white space between them, each once; raises TextError."""
    found: dict[Rounded, None] = {}
    for start, measure in read_rounded(text):
        found.setdefault(measure)
        if len(found) > MOST_MEASURES:
            raise TextError(
                text, start, f"there is a measure too many; {MOST_MEASURES} can stand side by side"
            )
    return tuple(found)


def write_measures(measures: Iterable[Rounded]) -> str:
    """The text that `read_measures` reads back."""
    return " ".join(map(str, measures))


@dataclass(frozen=True, slots=True)
class Chosen:
    """A formula and the measures beside it."""

    formula: Formula
    measures: tuple[Rounded, ...] = ()

    @classmethod
    def of(cls, measure: Measure, digits: int | None = None) -> Self:
        """The formula of which this measure is one of the four NDCGs; where there is none, it stands beside."""
        wanted = Rounded(measure, digits)
        formula = _formula(measure)
        return cls(formula) if ideal_of(formula, wanted) else cls(formula, (wanted,))

    @classmethod
    def of_preset(cls, preset: Preset, cutoff: int) -> Self:
        """What shows the number of a tool at this cutoff."""
        return cls.of(preset.measure(cutoff), preset.digits)

    def at(self, cutoff: int) -> Self:
        """The same at another cutoff: a measure that had the formula's cutoff goes with it, and the others stay.

        A recall depth that the cutoff has outgrown grows with it.
        """
        before, depth = self.formula.cutoff, self.formula.depth
        formula = replace(self.formula, cutoff=cutoff, depth=None if depth is None else max(depth, cutoff))
        return replace(self, formula=formula, measures=moved(self.measures, before, cutoff))

    def shows(self, measure: Measure, digits: int | None = None) -> str:
        """Where a measure stands: the name of an ideal, the text of a further measure, or '' for nowhere."""
        wanted = Rounded(measure, digits)
        return ideal_of(self.formula, wanted) or (str(wanted) if wanted in self.measures else "")


def ideal_of(formula: Formula, wanted: Rounded) -> str:
    """The ideal under which this formula's NDCG is the measure; '' where it is none of the four."""
    if wanted.digits is not None:
        return ""
    text = str(wanted.measure)
    return next((ideal for ideal in IDEALS if formula.measure(ideal) == text), "")


def _formula(measure: Measure) -> Formula:
    cutoff = measure.cutoff or DEFAULT_CUTOFF
    if measure.name != "nDCG" or measure.cutoff is None:
        return Formula(cutoff=cutoff)
    chosen = dict(measure.parameters)
    named = {name: chosen[name] for name in Formula.__dataclass_fields__ if name in chosen}
    return Formula(cutoff=cutoff, **named)  # type: ignore[arg-type]  # the measure has checked the types


def moved(measures: Iterable[Rounded], before: int, cutoff: int) -> tuple[Rounded, ...]:
    """The measures with a new cutoff where they had the one before."""
    return tuple(dict.fromkeys(_moved(each, before, cutoff) for each in measures))


def _moved(wanted: Rounded, before: int, cutoff: int) -> Rounded:
    measure, digits = wanted
    if measure.cutoff != before:
        return wanted
    depth = dict(measure.parameters).get("depth")
    parameters = dict(measure.parameters)
    if isinstance(depth, int | float):
        parameters["depth"] = max(depth, cutoff)
    return Rounded(Measure(measure.name, cutoff, tuple(parameters.items())), digits)
