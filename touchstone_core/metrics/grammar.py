"""The text of a measure, in the grammar of ir_measures: `nDCG(gain='exp', ideal='recall')@10`.

Nothing is evaluated. Errors name the character that does not fit the grammar.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from touchstone_core.metrics.errors import TextError

Value: TypeAlias = int | float | str

_BLANKS: Final = re.compile(r"\s*", re.ASCII)
_NAME: Final = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)
_KEY: Final = re.compile(r"[A-Za-z_]+", re.ASCII)
_VALUE: Final = re.compile(
    r"'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"|(?P<flag>True|False)|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)",
    re.ASCII,
)
_CUTOFF: Final = re.compile(r"\d{1,18}(?!\d)", re.ASCII)


class Text(NamedTuple):
    """The parts of a measure's text. Names and values are not checked here.

    `places` says where each part begins: '' the name, '@' the cutoff, otherwise the parameter of that name.
    """

    name: str
    parameters: Mapping[str, Value]
    cutoff: int | None
    places: Mapping[str, int]


def write(name: str, parameters: Mapping[str, Value], cutoff: int | None) -> str:
    """Returns the canonical text: parameters in alphabetical order, whole numbers without a fraction.

    Callers leave out defaults.
    """
    inside = ", ".join(f"{key}={_literal(parameters[key])}" for key in sorted(parameters))
    return name + (f"({inside})" if inside else "") + ("" if cutoff is None else f"@{cutoff}")


def read(text: str) -> Text:
    """Returns the parts of a text; raises TextError."""
    return _Reader(text).read()


def split(text: str) -> Iterator[tuple[int, str]]:
    """Splits a text at white space outside brackets; yields each piece with its place in the text."""
    start, depth = 0, 0
    for place, character in enumerate(text + " "):
        if character.isspace() and depth == 0:
            if start < place:
                yield start, text[start:place]
            start = place + 1
        depth += (character == "(") - (character == ")" and depth > 0)
    if depth:
        yield start, text[start:]


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read(self) -> Text:
        self._skip()
        places = {"": self._at}
        name = self._expect(_NAME, "the name of a measure such as nDCG").group()
        parameters = self._parameters(places) if self._take("(") else {}
        places["@"] = self._at
        cutoff = int(self._expect(_CUTOFF, "a cutoff such as 10").group()) if self._take("@") else None
        self._skip()
        if self._at < len(self._text):
            raise self._error("the end" if cutoff is not None else "a cutoff such as @10, or the end")
        return Text(name, parameters, cutoff, places)

    def _parameters(self, places: dict[str, int]) -> dict[str, Value]:
        parameters: dict[str, Value] = {}
        self._skip()
        if self._take(")"):
            return parameters
        while True:
            self._parameter(parameters, places)
            if self._take(")"):
                return parameters
            if not self._take(","):
                raise self._error("a comma or a closing bracket")

    def _parameter(self, parameters: dict[str, Value], places: dict[str, int]) -> None:
        self._skip()
        place = self._at
        key = self._expect(_KEY, "a parameter such as gain='exp'").group()
        if key in parameters:
            raise TextError(self._text, place, f"the parameter {key} is repeated")
        self._skip()
        if not self._take("="):
            raise self._error("an equals sign")
        self._skip()
        parameters[key] = _value(self._expect(_VALUE, "a number or a text in quotes"))
        places[key] = place
        self._skip()

    def _skip(self) -> None:
        self._at += len(_BLANKS.match(self._text, self._at)[0])  # type: ignore[index]  # it matches nothing too

    def _take(self, character: str) -> bool:
        matches = self._text.startswith(character, self._at)
        self._at += matches
        return matches

    def _expect(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise self._error(what)
        self._at = match.end()
        return match

    def _error(self, expected: str) -> TextError:
        where = "the text ends too early, " if self._at >= len(self._text) else ""
        return TextError(self._text, self._at, f"{where}expected {expected}")


def _value(match: re.Match[str]) -> Value:
    if (number := match["number"]) is not None:
        return int(number) if number.isdigit() and len(number) <= 18 else float(number)
    if (flag := match["flag"]) is not None:
        return flag == "True"
    return match["single"] if match["single"] is not None else match["double"]


def _literal(value: Value) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
