"""Random measures, built as the rules between their parameters demand."""

from hypothesis import strategies as st

from touchstone_core.metrics.definitions import DEFINITIONS
from touchstone_core.metrics.measure import Measure
from touchstone_core.metrics.parameters import IDEALS

CUTOFF = st.integers(1, 30)
NUMBERS = {
    "rel": st.integers(0, 5) | st.floats(0, 1e300),
    "max": st.integers(4, 10) | st.floats(4, 100),
    "p": st.floats(0, 1, exclude_min=True, exclude_max=True),
    "base": st.floats(1, exclude_min=True, allow_infinity=False),
    "zero": st.sampled_from([0, 1, "skip"]),
    "missing": st.sampled_from([0, "skip"]),
    "unjudged": st.sampled_from(["zero", "condensed"]),
    "gain": st.sampled_from(["linear", "exp", "table"]),
    "discount": st.sampled_from(["log2", "jk", "reciprocal", "none"]),
    "ideal": st.sampled_from(IDEALS),
    "depth": st.integers(0, 30),
}


@st.composite
def measures(draw, names=tuple(DEFINITIONS)) -> Measure:
    name = draw(st.sampled_from(names))
    definition = DEFINITIONS[name]
    chosen = {key: draw(NUMBERS[key]) for key in definition.parameters if draw(st.booleans())}
    cutoff = None
    if definition.cutoff == "required" or chosen.get("ideal") == "max" or "depth" in chosen:
        cutoff = draw(CUTOFF)
    elif definition.cutoff == "optional":
        cutoff = draw(st.none() | CUTOFF)
    return Measure(name, cutoff, tuple(_fitting(name, chosen, cutoff).items()))


def _fitting(name, chosen, cutoff):
    """Without what does not go with the rest."""
    if chosen.get("discount") != "jk":
        chosen.pop("base", None)
    if "ideal" in DEFINITIONS[name].parameters:
        if chosen.get("ideal") != "max" or chosen.get("gain") == "table":
            chosen.pop("max", None)
        if chosen.get("ideal") != "recall":
            chosen.pop("depth", None)
    if "depth" in chosen:
        chosen["depth"] += cutoff
    if "rel" in chosen:
        chosen.pop("max", None)
    return chosen
