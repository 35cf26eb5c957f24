"""A measure as a value with a text: a name, a cutoff and parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from touchstone_core.metrics import averages
from touchstone_core.metrics.arrays import JudgedRun, condense
from touchstone_core.metrics.definition import Definition
from touchstone_core.metrics.definitions import DEFINITIONS
from touchstone_core.metrics.errors import ChoiceError, TextError
from touchstone_core.metrics.grammar import Value, read, write
from touchstone_core.metrics.parameters import SKIP
from touchstone_core.metrics.trec_names import in_our_grammar
from touchstone_core.metrics.types import Floats

# Names are read in any case. ir_measures reads these other names, too.
_OTHER_NAMES: Final = {"map": "AP", "mrr": "RR", "recall": "R", "precision": "P"}
_NAMES: Final = {name.lower(): name for name in DEFINITIONS} | _OTHER_NAMES

# Parameters of ir_measures that mean the same as ours.
_OTHER_PARAMETERS: Final[Mapping[tuple[str, Value], Mapping[str, Value]]] = {
    ("dcg", "log2"): {},
    ("dcg", "exp-log2"): {"gain": "exp"},
    ("judged_only", False): {},
    ("judged_only", True): {"unjudged": "condensed"},
}


@dataclass(frozen=True, slots=True)
class Measure:
    """Measures that mean the same are equal and have one text, because defaults are left out of `parameters`.

    These are pairs of name and value; `Measure.of` takes them by name. Raises ChoiceError.
    """

    name: str
    cutoff: int | None = None
    parameters: tuple[tuple[str, Value], ...] = ()

    def __post_init__(self) -> None:
        if self.name not in DEFINITIONS:
            names = ", ".join(DEFINITIONS)
            raise ChoiceError(f"there is no measure {self.name}. Use one of {names}, as in nDCG@10", "")
        parameters = self.definition.canonical(dict(self.parameters), self.cutoff)
        object.__setattr__(self, "parameters", tuple(parameters.items()))

    @classmethod
    def of(cls, name: str, cutoff: int | None = None, **parameters: Value) -> Self:
        """`Measure.of("nDCG", 10, gain="exp")`."""
        return cls(name, cutoff, tuple(parameters.items()))

    def __str__(self) -> str:
        """Returns the canonical text, which `parse` reads: `nDCG(gain='exp', ideal='recall')@10`."""
        return write(self.name, dict(self.parameters), self.cutoff)

    @property
    def definition(self) -> Definition:
        """How to compute it, and its documentation."""
        return DEFINITIONS[self.name]

    def values(self, run: JudgedRun) -> Floats:
        """The value of every query (Q,); NaN where a policy leaves the query out.

        Raises MetricsError if the judgments do not fit the measure, for example a grade above its `max`.
        """
        choices = self.definition.with_defaults(dict(self.parameters))
        missing = choices.pop("missing")
        if choices.pop("unjudged", None) == "condensed":
            run = condense(run)
        if "max" in choices:
            choices["top"] = choices.pop("max")
        if self.definition.cutoff != "none":
            choices["cutoff"] = self.cutoff
        values = self.definition.compute(run, **choices)
        return np.where(run.answered, values, np.nan) if missing == SKIP else values

    def mean(self, values: Floats) -> float | None:
        """The mean without the queries that are left out; None if none is left."""
        return averages.mean(values)


def parse(text: str) -> Measure:
    """Returns the measure of a text; raises TextError, which names the wrong character."""
    own = in_our_grammar(text)
    name, parts, cutoff, places = read(own)
    parameters: dict[str, Value] = {}
    try:
        for pair in parts.items():
            _add(parameters, *pair)
        return Measure(_NAMES.get(name.lower(), name), cutoff, tuple(parameters.items()))
    except ChoiceError as error:
        place = places.get(error.part, places[""]) if own == text else 0
        raise TextError(text, place, str(error)) from error


def _add(parameters: dict[str, Value], key: str, value: Value) -> None:
    """Adds a parameter, one of ir_measures under our name for it."""
    for name, meaning in _OTHER_PARAMETERS.get((key, value), {key: value}).items():
        if name in parameters:
            raise ChoiceError(f"{key} sets {name} a second time", key)
        parameters[name] = meaning
