"""A number for people, or the sentence that says why there is none."""

from dataclasses import dataclass
from math import isnan
from typing import Literal

Level = Literal["nominal", "ordinal", "interval"]

NO_COUPLES = "No pair has two judgments yet, so there is nothing to compare."
ONE_GRADE = (
    "All raters gave the same grade to everything: agreement beyond chance cannot be told from chance."
)


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` is None exactly where `why` says why."""

    value: float | None
    why: str = ""

    @classmethod
    def of(cls, value: float, why: str) -> "Figure":
        """NaN becomes the sentence `why`."""
        return cls(None, why) if isnan(value) else cls(float(value))
