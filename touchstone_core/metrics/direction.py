"""Whether a difference between two runs says which of them is better, and how large it can be."""

from typing import Final

from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.metrics.types import Floats

DCG: Final = "dcg"
"""The name of a comparison on the DCG of its formula; the others have the names of the ideals."""
_ROUNDING: Final = 1e-9
_NO_QUALITY: Final = frozenset({"Holes", "RBPres", "Judged", "IDCG"})
_OF_THE_RUN: Final = frozenset({"local", "recall", "global-hits"})


def measures_quality(on: str) -> bool:
    """Whether it says anything about how good a run is. For `on` see `ranks_runs`."""
    return _read(on)[0]


def has_own_ideal(on: str) -> bool:
    """Whether each run has an ideal of its own, so that a better run can score lower. For `on` see `ranks_runs`."""
    quality, own = _read(on)
    return quality and own


def ranks_runs(on: str) -> bool:
    """Whether the better run scores higher. `on` is the name of an ideal, `dcg`, or the text of one measure.

    Raises TextError for any other text.
    """
    quality, own = _read(on)
    return quality and not own


def greatest_difference(on: str, values: Floats, best_dcg: float | None) -> float | None:
    """The greatest difference of two values of `on`, as in `ranks_runs`; None if there is none, or `values` are out of range.

    `best_dcg` is the greatest DCG that the formula allows, if known.
    """
    if on == DCG:
        most = best_dcg
    elif on in IDEALS:
        most = 1.0
    else:
        ((_, one),) = read_rounded(on)
        most = 1.0 if one.measure.definition.is_share else None
    inside = most is not None and values.min() >= -_ROUNDING and values.max() <= most + _ROUNDING
    return most if inside else None


def _read(on: str) -> tuple[bool, bool]:
    """Whether it measures quality, and whether its ideal depends on the run."""
    if on == DCG:
        return True, False
    if on in IDEALS:
        return True, on in _OF_THE_RUN
    ((_, one),) = read_rounded(on)
    return one.measure.name not in _NO_QUALITY, dict(one.measure.parameters).get("ideal") in _OF_THE_RUN
