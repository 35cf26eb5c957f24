"""Measures whose values are rounded query by query, as some tools do before they average."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple, Self

from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.averages import round_half_up
from touchstone_core.metrics.errors import TextError
from touchstone_core.metrics.grammar import split
from touchstone_core.metrics.measure import Measure, parse
from touchstone_core.metrics.types import Floats

MOST_DIGITS: Final = 15
_DIGITS: Final = re.compile(r"~([0-9]{1,2})\Z", re.ASCII)


class RoundedMeasure(NamedTuple):
    """A measure whose values are rounded to `digits` decimals before any average, or not at all if None.

    Its text is that of the measure, then ~ and the decimals: `nDCG(gain='exp')@10~2`.
    """

    measure: Measure
    digits: int | None = None

    def __str__(self) -> str:
        return str(self.measure) if self.digits is None else f"{self.measure}~{self.digits}"

    def values(self, run: JudgedRun) -> Floats:
        """The value of every query (Q,)."""
        values = self.measure.values(run)
        return values if self.digits is None else round_half_up(values, self.digits)

    @property
    def counting_missing(self) -> Self:
        """The same as `Formula.counting_missing`."""
        parameters = tuple(pair for pair in self.measure.parameters if pair[0] != "missing")
        return self._replace(measure=replace(self.measure, parameters=parameters))


def read_rounded(text: str) -> Iterator[tuple[int, RoundedMeasure]]:
    """Reads measures separated by white space; yields each with its place in the text. Raises TextError."""
    return ((start, _read(piece, text, start)) for start, piece in split(text))


def _read(piece: str, whole: str, start: int) -> RoundedMeasure:
    rounding = _DIGITS.search(piece)
    end = rounding.start() if rounding else len(piece)
    digits = int(rounding[1]) if rounding else None
    if digits is not None and digits > MOST_DIGITS:
        raise TextError(whole, start + end + 1, f"expected at most {MOST_DIGITS} decimals")
    try:
        return RoundedMeasure(parse(piece[:end]), digits)
    except TextError as error:
        raise TextError(whole, start + error.position, error.sentence) from error
