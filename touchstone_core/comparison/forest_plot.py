"""Where the marks of a forest plot are: differences with their intervals on one axis. Pure numbers, no drawing.

Places are percentages of the width of the axis, so that a plot has the width that a page leaves it.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

MOST_TICKS: Final = 8
MARGIN: Final = 0.04
"""The share of the axis that stays free at either end."""
LEAST_REACH: Final = 0.01
"""Where nothing differs, the axis reaches so far to both sides."""


@dataclass(frozen=True, slots=True)
class Span:
    """From one place to another, with the numbers that are there."""

    low: float
    high: float
    start: float
    width: float

    @property
    def end(self) -> float:
        return round(self.start + self.width, 3)


@dataclass(frozen=True, slots=True)
class Tick:
    text: str
    place: float
    minor: bool


@dataclass(frozen=True, slots=True)
class Axis:
    """From `low` to `high`, with 0 on it."""

    low: float
    high: float

    def place(self, number: float) -> float:
        """In percent of the width; a number beyond an end is at that end."""
        share = (number - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 3)

    def span(self, low: float, high: float) -> Span:
        start = self.place(low)
        return Span(low, high, start, round(self.place(high) - start, 3))

    @property
    def zero(self) -> float:
        return self.place(0.0)

    @property
    def ticks(self) -> list[Tick]:
        """At round numbers. Every second one, counted from 0, is minor: a narrow page leaves it out."""
        step = _round_step((self.high - self.low) / MOST_TICKS)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        places = max(0, -math.floor(math.log10(step) + 1e-9))
        return [
            Tick(_tick_text(at * step, places), self.place(at * step), minor=bool(at % 2))
            for at in range(first, last + 1)
        ]


def axis_of(numbers: Iterable[float | None], limit: float | None = None) -> Axis:
    """The axis that shows these numbers and 0. `limit`: no difference of the measure can be greater, so the axis ends there."""
    there = [number for number in numbers if number is not None and math.isfinite(number)]
    low, high = min([0.0, *there]), max([0.0, *there])
    margin = MARGIN * (high - low) if high > low else LEAST_REACH
    low, high = low - margin, high + margin
    return Axis(low, high) if limit is None else Axis(max(low, -limit), min(high, limit))


@dataclass(frozen=True, slots=True)
class ForestNumbers:
    """What one row shows: a difference, its interval, the minimum detectable difference, and what unjudged documents leave
    possible. None for what isn't known."""

    difference: float
    interval: tuple[float, float] | None = None
    detectable: float | None = None
    bounds: tuple[float, float] | None = None

    @property
    def every(self) -> list[float]:
        """All numbers that have a place on the axis."""
        detectable = [] if self.detectable is None else [-self.detectable, self.detectable]
        return [self.difference, *(self.interval or ()), *detectable, *(self.bounds or ())]


@dataclass(frozen=True, slots=True)
class ForestRow:
    """The places of the same on an axis."""

    numbers: ForestNumbers
    at: float
    interval: Span | None
    detectable: Span | None
    bounds: Span | None


def forest_rows(rows: Sequence[ForestNumbers], axis: Axis) -> list[ForestRow]:
    return [
        ForestRow(
            numbers=row,
            at=axis.place(row.difference),
            interval=row.interval and axis.span(*row.interval),
            detectable=None if row.detectable is None else axis.span(-row.detectable, row.detectable),
            bounds=row.bounds and axis.span(*row.bounds),
        )
        for row in rows
    ]


def _round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _tick_text(number: float, places: int) -> str:
    text = f"{number:+z.{places}f}".replace("-", "−")
    return "0" if float(text.replace("−", "-")) == 0 else text
