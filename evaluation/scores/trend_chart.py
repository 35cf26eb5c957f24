"""The geometry of a trend: means in a row, each with its interval, as places in an SVG picture."""

import itertools
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

TOP, BOTTOM = 24.0, 268.0
MOST_TICKS: Final = 5
SPARK_WIDTH: Final = 120.0
SPARK_HEIGHT: Final = 28.0
SPARK_MARGIN: Final = 4.0
LEAST_SPARK_RANGE: Final = 0.1
"""Else the smallest difference would look like a leap: a small picture has no numbers at its side."""


class Mean(NamedTuple):
    """`low` and `high` are the ends of the interval; they equal the mean where there is none."""

    value: float
    low: float
    high: float


class Dot(NamedTuple):
    """A mean in the picture."""

    x: float
    y: float
    low: float
    high: float


class TrendChart(NamedTuple):
    """`ticks` are heights with their numbers, `marks` are places between two dots.

    Places are percentages of the width, heights are pixels: the picture is as wide as the page, and its text keeps its size.
    """

    dots: list[Dot]
    ticks: list[tuple[float, str]]
    marks: list[float]

    @property
    def steps(self) -> list[tuple[Dot, Dot]]:
        """Each dot with the next one: the line through all means."""
        return list(itertools.pairwise(self.dots))

    @property
    def top(self) -> float:
        return TOP

    @property
    def bottom(self) -> float:
        return BOTTOM


def trend_chart(means: Sequence[Mean], marks: Sequence[int] = ()) -> TrendChart:
    """The picture of at least one mean. A mark of `n` lies before the mean with this place, or behind all."""
    step = tick_step(min(one.low for one in means), max(one.high for one in means))
    first = math.floor(min(one.low for one in means) / step + 1e-9)
    last = max(math.ceil(max(one.high for one in means) / step - 1e-9), first + 1)
    apart = 100 / len(means)

    def x(place: float) -> float:
        return apart * (place + 0.5)

    def y(value: float) -> float:
        share = (value / step - first) / (last - first)
        return BOTTOM - share * (BOTTOM - TOP)

    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return TrendChart(
        [Dot(x(place), y(one.value), y(one.low), y(one.high)) for place, one in enumerate(means)],
        [(y(tick * step), f"{tick * step:.{decimals}f}") for tick in range(first, last + 1)],
        [x(place - 0.5) for place in marks],
    )


class Sparks(NamedTuple):
    """A trend as small as a word: only its values."""

    width: float
    height: float
    dots: list[tuple[float, float]]

    @property
    def line(self) -> str:
        """The points of a polyline."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.dots)

    @property
    def last(self) -> tuple[float, float]:
        return self.dots[-1]


def sparks(values: Sequence[float]) -> Sparks:
    """The small picture of at least two values of a measure between 0 and 1, from left to right."""
    spread = max(max(values) - min(values), LEAST_SPARK_RANGE)
    bottom = (max(values) + min(values) - spread) / 2
    apart = (SPARK_WIDTH - 2 * SPARK_MARGIN) / (len(values) - 1)
    high = SPARK_HEIGHT - 2 * SPARK_MARGIN
    return Sparks(
        SPARK_WIDTH,
        SPARK_HEIGHT,
        [
            (SPARK_MARGIN + apart * place, SPARK_HEIGHT - SPARK_MARGIN - high * (value - bottom) / spread)
            for place, value in enumerate(values)
        ],
    )


def tick_step(low: float, high: float) -> float:
    """The least of 1, 2 and 5 times a power of ten by which few ticks cover the range."""
    span = max(high - low, 1e-3 * max(abs(high), abs(low)), 1e-4)
    steps = MOST_TICKS - 1
    power = 10.0 ** math.floor(math.log10(span / steps))
    return next((power * factor for factor in (1, 2, 5) if span <= power * factor * steps), power * 10)
