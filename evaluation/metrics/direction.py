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
    name, ideal = _read(on)
    return name not in _NO_QUALITY and ideal in _OF_THE_RUN


def ranks_runs(on: str) -> bool:
    """`on` is the name of an ideal, `dcg`, or the text of one measure. Raises TextError for what is none of them."""
    name, ideal = _read(on)
    return name not in _NO_QUALITY and ideal not in _OF_THE_RUN


def _read(on: str) -> tuple[str, str]:
    """The name of the measure and the ideal that it is given; '' for its default."""
    if on in IDEALS:
        return "nDCG", on
    if on == DCG:
        return "DCG", ""
    ((_, found),) = read_rounded(on)
    return found.measure.name, str(dict(found.measure.parameters).get("ideal", ""))
