"""A formula as a value with a text: gain, discount, cutoff, recall depth and policies."""

from dataclasses import dataclass, replace
from math import isfinite
from typing import Final, Self

from touchstone_core.metrics.discount import DEFAULT_BASE, DISCOUNTS, discounts
from touchstone_core.metrics.errors import FormulaError
from touchstone_core.metrics.gain import GAINS
from touchstone_core.metrics.grammar import Value, read, write
from touchstone_core.metrics.policies import CONDENSED, MISSING, SKIP, UNJUDGED, ZERO, policy_words
from touchstone_core.metrics.types import Floats

IDEALS: Final = ("local", "recall", "global", "max")
DEFAULT_IDEAL: Final = "global"
DEFAULT_CUTOFF: Final = 10

# No page of results is this long, and an array of this length still fits into memory when a URL asks for it.
GREATEST_CUTOFF: Final = 100_000

_KEY_PARAMETERS: Final = frozenset({"base", "depth", "discount", "gain", "missing", "unjudged", "zero"})

GAIN_WORDS: Final = {
    "linear": "linear gain (the grade itself)",
    "exp": "exponential gain (2^grade − 1)",
    "table": "the gain that the scale gives each level (between two levels: in proportion)",
}
DISCOUNT_WORDS: Final = {
    "log2": "log2 discount 1/log2(rank+1)",
    "jk": "Järvelin–Kekäläinen discount with base {base:g} (1 before rank {base:g}, then 1/log{base:g}(rank))",
    "reciprocal": "reciprocal discount 1/rank",
    "none": "no discount",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """How to compute DCG and its four ideals. If `depth` is None, it is the whole ranking. Only 'jk' has a `base`.

    The policies are those of the measures: `unjudged` documents gain nothing, or are removed from the ranking first.
    `zero` is the NDCG of a query whose ideal is 0, `missing` that of a judged query without an answer; 'skip' leaves the
    query out of every average. Formulas that mean the same are equal: under 'jk' a base of None becomes 2.
    """

    gain: str = "linear"
    discount: str = "log2"
    base: float | None = None
    cutoff: int = DEFAULT_CUTOFF
    depth: int | None = None
    unjudged: str = UNJUDGED[0]
    zero: int | str = 0
    missing: int | str = 0

    def __post_init__(self) -> None:
        _check_choice("gain", self.gain, GAINS)
        _check_choice("discount", self.discount, DISCOUNTS)
        object.__setattr__(self, "base", _canonical_base(self.base, self.discount))
        _check_choice("unjudged", self.unjudged, UNJUDGED)
        object.__setattr__(self, "zero", _canonical_policy("zero", self.zero, ZERO))
        object.__setattr__(self, "missing", _canonical_policy("missing", self.missing, MISSING))
        _check_rank("cutoff", self.cutoff)
        if self.depth is not None:
            _check_rank("recall depth", self.depth)
            if self.depth < self.cutoff:
                raise FormulaError(
                    f"The recall depth can’t be {self.depth}. Use at least the cutoff, which is {self.cutoff}."
                )

    @classmethod
    def from_key(cls, text: str) -> Self:
        """Returns the formula with this `key`; raises FormulaError for any other text."""
        name, parameters, cutoff, _ = read(text)
        if name != "DCG" or cutoff is None:
            raise FormulaError(
                f"'{text}' can’t be read as a formula. Write a text such as DCG(gain='exp')@10."
            )
        if unknown := sorted(set(parameters) - _KEY_PARAMETERS):
            raise FormulaError(
                f"'{text}' has the parameter {unknown[0]}. Use one of {', '.join(sorted(_KEY_PARAMETERS))}."
            )
        return cls(cutoff=cutoff, **parameters)  # type: ignore[arg-type]  # __post_init__ checks the types

    @property
    def key(self) -> str:
        """The canonical text of the whole formula, recall depth included: `DCG(depth=100, gain='exp')@10`."""
        return write("DCG", self._parameters() | self._zero() | self._depth(), self.cutoff)

    def measure(self, ideal: str) -> str:
        """The canonical text of NDCG under one ideal: `nDCG(depth=100, ideal='recall')@10`."""
        check_ideal(ideal)
        parameters = self._parameters() | self._zero()
        if ideal != DEFAULT_IDEAL:
            parameters["ideal"] = ideal
        if ideal == "recall":
            parameters |= self._depth()
        return write("nDCG", parameters, self.cutoff)

    def dcg_measure(self) -> str:
        """The canonical text of DCG, which has no recall depth: `DCG(gain='exp')@10`."""
        return write("DCG", self._parameters(), self.cutoff)

    def judged_measure(self) -> str:
        """The canonical text of judged@k, which counts unjudged documents under every policy: `Judged@10`."""
        return write("Judged", self._missing(), self.cutoff)

    def holes_measure(self) -> str:
        """The canonical text of the number of holes: `Holes@10`."""
        return write("Holes", self._missing(), self.cutoff)

    @property
    def condenses(self) -> bool:
        """Whether unjudged documents are removed from the ranking before anything is counted."""
        return self.unjudged == CONDENSED

    @property
    def skips_missing(self) -> bool:
        """Whether averages and sums leave out judged queries without an answer."""
        return self.missing == SKIP

    @property
    def counting_missing(self) -> Self:
        """The same formula with missing=0, because comparisons are paired and never leave out a query without an answer."""
        return replace(self, missing=0)

    @property
    def zero_ndcg(self) -> float | None:
        """The NDCG of an answered query whose ideal is 0; None if it is left out."""
        return None if isinstance(self.zero, str) else float(self.zero)

    def words(self) -> str:
        """The formula as one English sentence, policies included."""
        over = "the whole ranking" if self.depth is None else f"the first {self.depth} ranks"
        sentence = (
            f"{GAIN_WORDS[self.gain]}, {DISCOUNT_WORDS[self.discount].format(base=self.base)}, "
            f"cutoff {self.cutoff}, ideal of recall over {over}; "
            f"{policy_words(self.unjudged, self.missing, self.zero)}."
        )
        return sentence[0].upper() + sentence[1:]

    def discounts(self) -> Floats:
        """The discounts of the ranks 1 to the cutoff."""
        return discounts(self.discount, self.cutoff, self.base)

    def _parameters(self) -> dict[str, Value]:
        parameters: dict[str, Value] = {}
        if self.gain != "linear":
            parameters["gain"] = self.gain
        if self.discount != "log2":
            parameters["discount"] = self.discount
        if self.base not in (None, DEFAULT_BASE):
            parameters["base"] = self.base
        if self.unjudged != UNJUDGED[0]:
            parameters["unjudged"] = self.unjudged
        return parameters | self._missing()

    def _missing(self) -> dict[str, Value]:
        return {} if self.missing == MISSING[0] else {"missing": self.missing}

    def _zero(self) -> dict[str, Value]:
        return {} if self.zero == ZERO[0] else {"zero": self.zero}

    def _depth(self) -> dict[str, Value]:
        return {} if self.depth is None else {"depth": self.depth}


def check_ideal(ideal: str) -> None:
    """Raises FormulaError unless this is the name of one of the four ideals."""
    _check_choice("ideal", ideal, IDEALS)


def _check_choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise FormulaError(f"The {what} can’t be {value!r}. Use one of {', '.join(choices)}.")


def _canonical_policy(what: str, value: object, choices: tuple[int | str, ...]) -> int | str:
    """Returns the policy from `choices`, so that 1.0 becomes 1. True equals 1 in Python, but is no policy."""
    if isinstance(value, bool) or value not in choices:
        raise FormulaError(f"The {what} can’t be {value!r}. Use one of {', '.join(map(str, choices))}.")
    return choices[choices.index(value)]


def _check_rank(what: str, value: object) -> None:
    # True is an int in Python, but no rank.
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= GREATEST_CUTOFF:
        raise FormulaError(f"The {what} can’t be {value!r}. Use a whole number from 1 to {GREATEST_CUTOFF}.")


def _canonical_base(base: object, discount: str) -> float | None:
    if discount != "jk":
        if base is not None:
            raise FormulaError(
                f"The base can’t be {base!r}. Leave it out, because only the discount 'jk' has one."
            )
        return None
    if base is None:
        return DEFAULT_BASE
    if not isinstance(base, int | float) or isinstance(base, bool) or not isfinite(base) or base <= 1:
        raise FormulaError(f"The base can’t be {base!r}. Use a number above 1.")
    return float(base)
