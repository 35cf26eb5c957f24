"""What scoring needs to know about a scale."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Self

import numpy as np

from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.types import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleInfo:
    """The top grade, the least grade that counts as relevant, and the gain of each level.

    `bottom` is None if the scale has no least grade, `gains` if its levels have no gains.
    """

    top_grade: float
    threshold: float = 1.0
    bottom: float | None = None
    gains: Mapping[float, float] | None = None

    def __post_init__(self) -> None:
        bottom = self.top_grade if self.bottom is None else self.bottom
        if not all(isfinite(grade) for grade in (self.top_grade, self.threshold, bottom)):
            raise MetricsError("A scale’s top grade, bottom grade and threshold must be finite numbers.")
        if bottom > self.top_grade:
            raise MetricsError(f"The bottom grade {bottom:g} lies above the top grade {self.top_grade:g}.")
        if self.gains is not None:
            self._check_gains(self.gains)

    def _check_gains(self, gains: Mapping[float, float]) -> None:
        if not gains:
            raise MetricsError("A table of gains needs at least one level.")
        for grade, gain in gains.items():
            if not isfinite(grade) or grade > self.top_grade:
                raise MetricsError(
                    f"The table gives a gain for {grade:g}, which is not a grade of this scale."
                )
            if not isfinite(gain) or gain < 0:
                raise MetricsError(f"The gain of grade {grade:g} is {gain:g}; a gain is a number from 0.")
            if grade < 0 < gain:
                raise MetricsError(
                    f"The gain of grade {grade:g} is {gain:g}; a negative grade has a gain of 0."
                )

    def with_top(self, top: float | None) -> Self:
        """Returns the scale with another top grade, without bottom and gains; if `top` is None, the scale itself."""
        return self if top is None else replace(self, top_grade=top, bottom=None, gains=None)

    def check(self, grades: Floats) -> None:
        """Raises MetricsError for grades that are not finite or are above the top grade."""
        if not np.isfinite(grades).all():
            raise MetricsError("A grade is not a finite number.")
        if grades.size and (greatest := grades.max()) > self.top_grade:
            raise MetricsError(f"The grade {greatest:g} lies above the top of the scale, {self.top_grade:g}.")
