"""Policies for unjudged documents, for queries without any gain, and for queries without an answer."""

from typing import Final

UNJUDGED: Final = ("zero", "condensed")
ZERO: Final = (0, 1, "skip")
MISSING: Final = (0, "skip")
CONDENSED: Final = "condensed"
SKIP: Final = "skip"

_UNJUDGED_WORDS: Final = {
    "zero": "an unjudged document keeps its rank and gains nothing",
    CONDENSED: "unjudged documents are removed before anything else, and the ranks close up",
}
_MISSING_WORDS: Final = {0: "counts as 0", SKIP: "is left out"}
_ZERO_WORDS: Final = {
    (0, 0): "so does one whose ideal is 0",
    (0, 1): "an answered one whose ideal is 0 counts as 1",
    (0, SKIP): "one whose ideal is 0 is left out",
    (SKIP, 0): "one whose ideal is 0 counts as 0",
    (SKIP, 1): "one whose ideal is 0 counts as 1",
    (SKIP, SKIP): "so is one whose ideal is 0",
}


def policy_words(unjudged: str, missing: int | str, zero: int | str) -> str:
    """Returns the policies in words, as half a sentence."""
    return (
        f"{_UNJUDGED_WORDS[unjudged]}; a judged query without an answer {_MISSING_WORDS[missing]}, "
        f"and {_ZERO_WORDS[missing, zero]}"
    )
