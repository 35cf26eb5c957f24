"""A formula: gain, discount, cutoff and recall depth, as a value that its text stands for."""

from dataclasses import dataclass
from math import isfinite
from typing import Final, Self

from evaluation.metrics.discount import DEFAULT_BASE, DISCOUNTS, discounts
from evaluation.metrics.errors import FormulaError
from evaluation.metrics.gain import GAINS
from evaluation.metrics.grammar import Value, read, write
from evaluation.metrics.types import Floats

IDEALS: Final = ("local", "recall", "global", "max")
DEFAULT_IDEAL: Final = "global"
DEFAULT_CUTOFF: Final = 10

# Far beyond any page of results, and small enough that a URL cannot ask for an array that fills the memory.
GREATEST_CUTOFF: Final = 100_000

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
POLICY_WORDS: Final = (
    "an unjudged document keeps its rank and gains nothing; "
    "a judged query without an answer counts as 0, and so does one whose ideal is 0"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """How DCG and its four ideals are computed. `depth` None is the whole ranking; `base` belongs to 'jk'.

    Two formulas that mean the same are equal: under 'jk' a base of None becomes 2. Raises FormulaError.
    """

    gain: str = "linear"
    discount: str = "log2"
    base: float | None = None
    cutoff: int = DEFAULT_CUTOFF
    depth: int | None = None

    def __post_init__(self) -> None:
        _check_choice("gain", self.gain, GAINS)
        _check_choice("discount", self.discount, DISCOUNTS)
        object.__setattr__(self, "base", _checked_base(self.base, self.discount))
        _check_rank("cutoff", self.cutoff)
        if self.depth is not None:
            _check_rank("recall depth", self.depth)
            if self.depth < self.cutoff:
                raise FormulaError(
                    f"The recall depth is {self.depth}; expected at least the cutoff, which is {self.cutoff}."
                )

    @classmethod
    def from_key(cls, text: str) -> Self:
        """The formula whose `key` this is; raises FormulaError for any other text."""
        name, parameters, cutoff, _ = read(text)
        if name != "DCG" or cutoff is None:
            raise FormulaError(f"'{text}' is not a formula; expected a text such as DCG(gain='exp')@10.")
        if unknown := sorted(set(parameters) - {"gain", "discount", "base", "depth"}):
            raise FormulaError(
                f"'{text}' has the parameter {unknown[0]}; expected base, depth, discount or gain."
            )
        return cls(cutoff=cutoff, **parameters)  # type: ignore[arg-type]  # __post_init__ checks the types

    @property
    def key(self) -> str:
        """The canonical text of the whole formula, recall depth included: `DCG(depth=100, gain='exp')@10`."""
        return write("DCG", self._parameters() | self._depth(), self.cutoff)

    def measure(self, ideal: str) -> str:
        """The canonical text of NDCG under one ideal: `nDCG(depth=100, ideal='recall')@10`."""
        check_ideal(ideal)
        parameters = self._parameters()
        if ideal != DEFAULT_IDEAL:
            parameters["ideal"] = ideal
        if ideal == "recall":
            parameters |= self._depth()
        return write("nDCG", parameters, self.cutoff)

    def dcg_measure(self) -> str:
        """The canonical text of DCG, which knows no recall depth: `DCG(gain='exp')@10`."""
        return write("DCG", self._parameters(), self.cutoff)

    def words(self) -> str:
        """The formula as one English sentence, policies included."""
        over = "the whole ranking" if self.depth is None else f"the first {self.depth} ranks"
        sentence = (
            f"{GAIN_WORDS[self.gain]}, {DISCOUNT_WORDS[self.discount].format(base=self.base)}, "
            f"cutoff {self.cutoff}, ideal of recall over {over}; {POLICY_WORDS}."
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
        return parameters

    def _depth(self) -> dict[str, Value]:
        return {} if self.depth is None else {"depth": self.depth}


def check_ideal(ideal: str) -> None:
    """Refuses what is not the name of one of the four ideals."""
    _check_choice("ideal", ideal, IDEALS)


def _check_choice(what: str, given: object, choices: tuple[str, ...]) -> None:
    if given not in choices:
        raise FormulaError(f"The {what} is {given!r}; expected one of {', '.join(choices)}.")


def _check_rank(what: str, given: object) -> None:
    # True is an int in Python, and no cutoff.
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= GREATEST_CUTOFF:
        raise FormulaError(f"The {what} is {given!r}; expected a whole number from 1 to {GREATEST_CUTOFF}.")


def _checked_base(base: object, discount: str) -> float | None:
    if discount != "jk":
        if base is not None:
            raise FormulaError(
                f"The base is {base!r}; expected none, because only the discount 'jk' has one."
            )
        return None
    if base is None:
        return DEFAULT_BASE
    if not isinstance(base, int | float) or isinstance(base, bool) or not isfinite(base) or base <= 1:
        raise FormulaError(f"The base is {base!r}; expected a number above 1.")
    return float(base)
