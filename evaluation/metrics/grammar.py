"""The text of a measure, in the grammar of ir_measures: `nDCG(gain='exp', ideal='recall')@10`.

Nothing is evaluated: a text that does not fit the grammar is refused.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from evaluation.metrics.errors import FormulaError

Value: TypeAlias = int | float | str

_NUMBER = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_PARAMETER: Final = re.compile(rf"\s*([A-Za-z_]+)\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|({_NUMBER}))\s*", re.ASCII)
_MEASURE: Final = re.compile(r"\s*([A-Za-z]+)(?:\((.*)\))?(?:@(\d{1,18}))?\s*", re.ASCII)


class Text(NamedTuple):
    """The parts of a measure's text; which names and values make sense is not the grammar's business."""

    name: str
    parameters: Mapping[str, Value]
    cutoff: int | None


def write(name: str, parameters: Mapping[str, Value], cutoff: int) -> str:
    """The canonical text: parameters in alphabetical order, whole numbers without a fraction.

    Leaving out defaults is the caller's part.
    """
    inside = ", ".join(f"{key}={_literal(parameters[key])}" for key in sorted(parameters))
    return f"{name}({inside})@{cutoff}" if inside else f"{name}@{cutoff}"


def read(text: str) -> Text:
    """The parts of a text; raises FormulaError where it is not one."""
    match = _MEASURE.fullmatch(text)
    if match is None:
        raise FormulaError(f"'{text}' is not a measure; expected a text such as nDCG(gain='exp')@10.")
    name, inside, cutoff = match.groups()
    return Text(name, _parameters(inside or "", text), None if cutoff is None else int(cutoff))


def _parameters(inside: str, text: str) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for part in inside.split(",") if inside.strip() else []:
        match = _PARAMETER.fullmatch(part)
        if match is None:
            raise FormulaError(
                f"'{part.strip()}' in '{text}' is not a parameter; expected a text such as gain='exp'."
            )
        key, single, double, number = match.groups()
        if key in found:
            raise FormulaError(f"The parameter {key} stands twice in '{text}'.")
        found[key] = _number(number) if number is not None else single if single is not None else double
    return found


def _number(text: str) -> int | float:
    return int(text) if text.isdigit() and len(text) <= 18 else float(text)


def _literal(value: Value) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
