"""Whether a difference between two runs says which of them is better, and how large it can be."""

from typing import Final

from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.metrics.types import Floats

DCG: Final = "dcg"
"""How a comparison on the DCG of its formula is named, beside the names of the ideals."""
_ROUNDING: Final = 1e-9
_NO_QUALITY: Final = frozenset({"Holes", "RBPres", "Judged", "IDCG"})
_OF_THE_RUN: Final = frozenset({"local", "recall", "global-hits"})


def has_own_ideal(on: str) -> bool:
    """Whether each run is divided by an ideal of its own, so that a better one can score lower: see `ranks_runs`."""
    quality, own = _read(on)
    return quality and own


def ranks_runs(on: str) -> bool:
    """`on` is the name of an ideal, `dcg`, or the text of one measure. Raises TextError for what is none of them."""
    quality, own = _read(on)
    return quality and not own


def greatest_difference(on: str, values: Floats, best_dcg: float | None = None) -> float | None:
    """Of two values of what `on` names, as in `ranks_runs`; None where it has no upper end, or `values` leave 0 to it.

    `best_dcg` is what no DCG of the formula exceeds, where that is known.
    """
    if on == DCG:
        most = best_dcg
    elif on in IDEALS:
        most = 1.0
    else:
        ((_, found),) = read_rounded(on)
        most = 1.0 if found.measure.definition.is_share else None
    inside = most is not None and values.min() >= -_ROUNDING and values.max() <= most + _ROUNDING
    return most if inside else None


def _read(on: str) -> tuple[bool, bool]:
    """Whether it says something of quality, and whether by an ideal that depends on the run."""
    if on == DCG:
        return True, False
    if on in IDEALS:
        return True, on in _OF_THE_RUN
    ((_, found),) = read_rounded(on)
    ideal = dict(found.measure.parameters).get("ideal")
    return found.measure.name not in _NO_QUALITY, ideal in _OF_THE_RUN
