"""The parameters of the measures: their meanings, values and defaults."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Final

from touchstone_core.metrics.discount import DEFAULT_BASE, DISCOUNTS
from touchstone_core.metrics.errors import ChoiceError
from touchstone_core.metrics.formula import GREATEST_CUTOFF
from touchstone_core.metrics.gain import GAINS
from touchstone_core.metrics.grammar import Value
from touchstone_core.metrics.policies import MISSING as MISSING
from touchstone_core.metrics.policies import SKIP as SKIP
from touchstone_core.metrics.policies import UNJUDGED as UNJUDGED
from touchstone_core.metrics.policies import ZERO as ZERO

IDEALS: Final = ("global", "local", "recall", "max", "global-uncut", "global-hits")


@dataclass(frozen=True, slots=True)
class Parameter:
    """If `default` is None, `words` say what happens without a value. `expected` ends the error message."""

    name: str
    words: str
    expected: str
    fits: Callable[[Value], bool]
    default: Value | None = None

    def canonical(self, value: Value) -> Value:
        """Returns the value, equal numbers in one form; raises ChoiceError for a value that does not fit."""
        if isinstance(value, bool) or not self.fits(value):
            raise ChoiceError(f"{self.name} can’t be {value!r}. Use {self.expected}", self.name)
        if isinstance(value, str):
            return value
        number = float(value)
        return int(number) if number.is_integer() and number < 1e15 else number


def choice(name: str, choices: tuple[Value, ...], words: str) -> Parameter:
    """A parameter that takes one of these values; the first is the default."""
    expected = f"one of {', '.join(map(str, choices))}"
    return Parameter(name, words, expected, lambda value: value in choices, choices[0])


def number(
    name: str, words: str, expected: str, fits: Callable[[float], bool], default: Value | None = None
) -> Parameter:
    """A parameter that takes finite numbers."""

    def is_fitting(value: Value) -> bool:
        return not isinstance(value, str) and isfinite(value) and fits(value)

    return Parameter(name, words, expected, is_fitting, default)


PARAMETERS: Final = {
    parameter.name: parameter
    for parameter in (
        choice(
            "ideal",
            IDEALS,
            "the documents of the ideal DCG: all judged documents of the query, cut at k (global); the retrieved top k "
            "(local); all retrieved documents within the recall depth (recall); the top grade at every rank (max); all "
            "judged documents, not cut at k (global-uncut); all judged documents, cut at the number of documents shown "
            "(global-hits)",
        ),
        number(
            "depth",
            "the recall depth of ideal='recall', at least k; without it, the whole ranking",
            f"a whole number from 1 to {GREATEST_CUTOFF}",
            lambda value: float(value).is_integer() and 1 <= value <= GREATEST_CUTOFF,
        ),
        choice(
            "gain",
            GAINS,
            "the gain of a grade g: g itself (linear), 2^g − 1 (exp), or the gain in the scale (table)",
        ),
        choice(
            "discount",
            DISCOUNTS,
            "the share of the gain that counts at rank i: 1/log2(i + 1) (log2); 1 before rank b, then 1/log_b(i) (jk, by "
            "Järvelin and Kekäläinen); 1/i (reciprocal); all of it (none)",
        ),
        number(
            "base",
            "the base b of discount='jk'",
            "a number above 1",
            lambda value: value > 1,
            int(DEFAULT_BASE),
        ),
        choice(
            "unjudged",
            UNJUDGED,
            "unjudged documents keep their ranks and gain nothing (zero), or are removed first, together with documents of a "
            "negative grade, and the ranks close up (condensed)",
        ),
        choice("zero", ZERO, "the value if the ideal DCG is 0, or 'skip' to leave the query out of the mean"),
        choice(
            "missing",
            MISSING,
            "a judged query that the run does not answer counts as 0, as under trec_eval -c, or is left out of the mean (skip)",
        ),
        number(
            "rel",
            "the least grade that counts as relevant; without it, the scale’s threshold, and 1 without a scale",
            "a number from 0",
            lambda value: value >= 0,
        ),
        number(
            "max",
            "the top grade; without it, the scale’s, and without a scale the greatest grade in the judgments",
            "a number above 0",
            lambda value: value > 0,
        ),
        number(
            "p",
            "the persistence: the share of searchers who continue to the next document",
            "a number between 0 and 1",
            lambda value: 0 < value < 1,
            0.8,
        ),
    )
}
