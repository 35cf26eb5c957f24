"""What a measure is: how it is computed, which parameters it takes, and how the documentation describes it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from touchstone_core.metrics.errors import ChoiceError
from touchstone_core.metrics.formula import GREATEST_CUTOFF
from touchstone_core.metrics.grammar import Value
from touchstone_core.metrics.parameters import PARAMETERS
from touchstone_core.metrics.types import Floats

Choices: TypeAlias = Mapping[str, Value]


def no_further_rule(choices: Choices, cutoff: int | None) -> None:
    """Most measures take every combination of their parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """`compute` takes a JudgedRun, the cutoff and all parameters by name, and returns one value per query.

    `Measure.values` handles the parameters `missing` and `unjudged`.
    """

    name: str
    line: str
    formula: str
    edges: str
    source: str
    compute: Callable[..., Floats]
    parameters: tuple[str, ...] = ()
    cutoff: Literal["required", "optional", "none"] = "optional"
    is_share: bool = True  # every value lies between 0 and 1
    check: Callable[[Choices, int | None], None] = no_further_rule

    def canonical(self, parameters: Choices, cutoff: int | None) -> dict[str, Value]:
        """Returns the parameters without defaults, sorted, equal values in one form.

        Raises ChoiceError, with a sentence that lacks its full stop, for what this measure does not take.
        """
        self._check_cutoff(cutoff)
        values = {}
        for name, value in parameters.items():
            if name not in self.parameters:
                own = ", ".join(self.parameters)
                raise ChoiceError(f"{self.name} has no parameter {name}. Use {own}", name)
            if (fitting := PARAMETERS[name].canonical(value)) != PARAMETERS[name].default:
                values[name] = fitting
        self.check(parameters, cutoff)
        return dict(sorted(values.items()))

    def with_defaults(self, values: Choices) -> dict[str, Value | None]:
        """Returns all parameters with their values or defaults."""
        return {name: values.get(name, PARAMETERS[name].default) for name in self.parameters}

    def _check_cutoff(self, cutoff: object) -> None:
        if cutoff is None:
            if self.cutoff == "required":
                raise ChoiceError(f"{self.name} needs a cutoff such as {self.name}@10", "")
            return
        if self.cutoff == "none":
            raise ChoiceError(f"{self.name} has no cutoff. Leave it out", "@")
        # True is an int in Python, and no cutoff.
        if not isinstance(cutoff, int) or isinstance(cutoff, bool) or not 1 <= cutoff <= GREATEST_CUTOFF:
            raise ChoiceError(
                f"the cutoff can’t be {cutoff!r}. Use a whole number from 1 to {GREATEST_CUTOFF}", "@"
            )


def check_discounted(choices: Choices, cutoff: int | None) -> None:
    """Refuses combinations of parameters that DCG, IDCG and nDCG cannot have."""
    ideal = choices.get("ideal")
    if "base" in choices and choices.get("discount") != "jk":
        raise ChoiceError("base needs discount='jk'", "base")
    if "max" in choices and ideal != "max":
        raise ChoiceError("max needs ideal='max'", "max")
    if "max" in choices and choices.get("gain") == "table":
        raise ChoiceError("max can’t be used with gain='table', whose greatest gain is the top", "max")
    if ideal == "max" and cutoff is None:
        raise ChoiceError("ideal='max' needs a cutoff, as there is a top grade at every rank", "ideal")
    if (depth := choices.get("depth")) is not None:
        _check_depth(depth, ideal, cutoff)


def _check_depth(depth: Value, ideal: Value | None, cutoff: int | None) -> None:
    if ideal != "recall":
        raise ChoiceError("depth needs ideal='recall'", "depth")
    if cutoff is None or (not isinstance(depth, str) and depth < cutoff):
        raise ChoiceError(f"depth can’t be {depth}. Give a cutoff, and a depth that is not below it", "depth")


def check_biased(choices: Choices, cutoff: int | None) -> None:
    """Refuses rel beside max, because RBP reads a document either as relevant or not, or by its grade."""
    if "rel" in choices and "max" in choices:
        raise ChoiceError("rel and max can’t be used together: with rel a document counts 1 or 0", "max")
