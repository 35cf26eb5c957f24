"""What a page of values shows: a formula with its four NDCGs, and other measures beside them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Self

from touchstone_core.metrics.errors import FormulaError, TextError
from touchstone_core.metrics.formula import DEFAULT_CUTOFF, IDEALS, Formula
from touchstone_core.metrics.measure import Measure
from touchstone_core.metrics.presets import Preset
from touchstone_core.metrics.rounding import RoundedMeasure, read_rounded

MOST_MEASURES: Final = 12


def read_measures(text: str) -> tuple[RoundedMeasure, ...]:
    """Reads measures separated by white space, each once; raises TextError."""
    measures: dict[RoundedMeasure, None] = {}
    for start, measure in read_rounded(text):
        measures.setdefault(measure)
        if len(measures) > MOST_MEASURES:
            raise TextError(text, start, f"there are too many measures. Use at most {MOST_MEASURES}")
    return tuple(measures)


def is_measure(text: str) -> bool:
    """Whether a text is one measure."""
    try:
        return len(read_measures(text)) == 1
    except FormulaError:
        return False


def write_measures(measures: Iterable[RoundedMeasure]) -> str:
    """Returns the text that `read_measures` reads."""
    return " ".join(map(str, measures))


@dataclass(frozen=True, slots=True)
class Selection:
    """A formula and the measures beside it."""

    formula: Formula
    measures: tuple[RoundedMeasure, ...] = ()

    @classmethod
    def of(cls, measure: Measure, digits: int | None = None) -> Self:
        """Returns the formula with this measure among its four NDCGs, or else a formula with this measure beside it."""
        formula, beside = _formula(measure), RoundedMeasure(measure, digits)
        return cls(formula) if ideal_of(formula, beside) else cls(formula, (beside,))

    @classmethod
    def of_preset(cls, preset: Preset, cutoff: int) -> Self:
        """Returns a selection that shows a tool's number at this cutoff."""
        return cls.of(preset.measure(cutoff), preset.digits)

    def at(self, cutoff: int) -> Self:
        """Returns the selection with another cutoff; measures with the formula's old cutoff get it, too.

        A recall depth below the new cutoff becomes the cutoff.
        """
        before, depth = self.formula.cutoff, self.formula.depth
        formula = replace(self.formula, cutoff=cutoff, depth=None if depth is None else max(depth, cutoff))
        return replace(self, formula=formula, measures=with_cutoff(self.measures, before, cutoff))

    def shows(self, measure: Measure, digits: int | None = None) -> str:
        """Where a measure is shown: the name of an ideal, the text of a measure beside, or '' for nowhere."""
        beside = RoundedMeasure(measure, digits)
        return ideal_of(self.formula, beside) or (str(beside) if beside in self.measures else "")


def formula_of(measures: Iterable[RoundedMeasure], cutoff: int | None) -> Formula:
    """The formula of the first NDCG, or the usual one if there is none; with this cutoff if one is given."""
    first = next((one for one in measures if one.measure.name == "nDCG"), None)
    selection = Selection(Formula()) if first is None else Selection.of(*first)
    return selection.formula if cutoff is None else selection.at(cutoff).formula


def ideal_of(formula: Formula, one: RoundedMeasure) -> str:
    """The ideal whose NDCG under this formula is the measure; '' if none of the four is."""
    if one.digits is not None:
        return ""
    text = str(one.measure)
    return next((ideal for ideal in IDEALS if formula.measure(ideal) == text), "")


def _formula(measure: Measure) -> Formula:
    cutoff = measure.cutoff or DEFAULT_CUTOFF
    if measure.name != "nDCG" or measure.cutoff is None:
        return Formula(cutoff=cutoff)
    parameters = dict(measure.parameters)
    fields = {name: parameters[name] for name in Formula.__dataclass_fields__ if name in parameters}
    return Formula(cutoff=cutoff, **fields)  # type: ignore[arg-type]  # the measure has checked the types


def with_cutoff(measures: Iterable[RoundedMeasure], before: int, cutoff: int) -> tuple[RoundedMeasure, ...]:
    """Gives a new cutoff to the measures that have the one before."""
    return tuple(
        dict.fromkeys(
            each._replace(measure=_with_cutoff(each.measure, cutoff))
            if each.measure.cutoff == before
            else each
            for each in measures
        )
    )


def _with_cutoff(measure: Measure, cutoff: int) -> Measure:
    parameters = dict(measure.parameters)
    if isinstance(depth := parameters.get("depth"), int | float):
        parameters["depth"] = max(depth, cutoff)
    return Measure.of(measure.name, cutoff, **parameters)
