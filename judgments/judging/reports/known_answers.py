"""Compares answers with those that are known to be right."""

from collections.abc import Sequence
from dataclasses import dataclass

from judgments.models import Scale
from touchstone_core.grades import accuracy


@dataclass(frozen=True, slots=True)
class Known:
    """An answer to a gold pair. `distance` is how many grades off the nearest right one it is, on its side."""

    right: bool
    distance: float


def known_answer(scale: Scale, steps: Sequence[float], value: float, accepted: Sequence[float]) -> Known:
    """Compares a grade with those that count as right. `steps` are the grades of the scale."""
    nearest = min(accepted, key=lambda right: abs(value - right))
    if scale.continuous:
        return Known(accuracy.is_right(value, accepted, tolerance_of(scale)), value - nearest)
    places = sorted({*steps, value, *accepted})
    return Known(value in accepted, places.index(value) - places.index(nearest))


def tolerance_of(scale: Scale) -> float:
    """How far from the right answer one may be that still counts as right."""
    return accuracy.CONTINUOUS_TOLERANCE * (scale.maximum - scale.minimum) if scale.continuous else 0.0
