"""Compares answers with the known right ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from judgments.models import Scale
from touchstone_core.grades import accuracy


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """An answer to a gold pair. `distance` is how many grades it is above the nearest right one; below, it is negative."""

    right: bool
    distance: float


def known_answer(
    scale: Scale, steps: Sequence[float], value: float, right_values: Sequence[float]
) -> KnownAnswer:
    """Compares a grade with those that count as right. `steps` are the grades of the scale."""
    nearest = min(right_values, key=lambda right: abs(value - right))
    if scale.continuous:
        return KnownAnswer(accuracy.is_right(value, right_values, tolerance_of(scale)), value - nearest)
    places = sorted({*steps, value, *right_values})
    return KnownAnswer(value in right_values, places.index(value) - places.index(nearest))


def tolerance_of(scale: Scale) -> float:
    """How far an answer may be from the right one and still count as right."""
    return accuracy.CONTINUOUS_TOLERANCE * (scale.maximum - scale.minimum) if scale.continuous else 0.0
