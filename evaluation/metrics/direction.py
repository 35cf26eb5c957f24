"""Whether a difference between two runs says which of them is better."""

from typing import Final

from evaluation.metrics.formula import IDEALS
from evaluation.metrics.rounding import read_rounded

DCG: Final = "dcg"
"""How a comparison on the DCG of its formula is named, beside the names of the ideals."""
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


def _read(on: str) -> tuple[bool, bool]:
    """Whether it says something of quality, and whether by an ideal that depends on the run."""
    if on == DCG:
        return True, False
    if on in IDEALS:
        return True, on in _OF_THE_RUN
    ((_, found),) = read_rounded(on)
    ideal = dict(found.measure.parameters).get("ideal")
    return found.measure.name not in _NO_QUALITY, ideal in _OF_THE_RUN
