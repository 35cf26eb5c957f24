"""A number, or the sentence that tells a person why there is none."""

from dataclasses import dataclass
from math import isnan
from typing import Literal

Level = Literal["nominal", "ordinal", "interval"]

NO_COUPLES = "No pair has two judgments yet, so there is nothing to compare."
ONE_GRADE = (
    "All raters gave the same grade to everything, so agreement beyond chance can’t be told from chance."
)


@dataclass(frozen=True, slots=True)
class Figure:
    """Either a `value`, or None and the reason in `why`."""

    value: float | None
    why: str = ""

    @classmethod
    def of(cls, value: float, why: str) -> "Figure":
        """A figure of `value`; if that is NaN, one without a value and with the reason `why`."""
        return cls(None, why) if isnan(value) else cls(float(value))
