"""The rules that make one grade of several, and their ties. Each is declared once: its name, its words and what it does.

| rule | odd count, or one most frequent grade | even count, or several most frequent grades |
| --- | --- | --- |
| median | the middle grade | tie between the two middle grades, if they differ |
| majority | the most frequent grade | tie between the most frequent grades |
| mean | the arithmetic mean, exact before it is rounded to a float | the same |
| trimmed mean | of four or more: the mean without the lowest and highest fifth, at least one of each | the same |

| Dawid–Skene, nominal | the likeliest grade of the model (see `dawid_skene`); the majority without a model | a tie of that majority |
| Dawid–Skene, ordinal | the mean under the model's chances; the median without a model | a tie of that median |

A tie goes to the lower or the higher of these grades, to their mean, or stays undecided for an admin to adjudicate. Means
have no ties.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final, Self

from touchstone_core.grades.dawid_skene import Variant

LEAST_TRIMMED: Final = 4
TRIMMED_PART: Final = 5  # a fifth at each end


def exact_mean(grades: Sequence[float]) -> float:
    """The exact mean, so that it never leaves the range of its grades: three times 0.1 has the mean 0.1."""
    return float(sum(map(Fraction, grades)) / len(grades))


def cut(grades: Sequence[float]) -> int:
    """How many grades the trimmed mean leaves out at each end."""
    return max(1, len(grades) // TRIMMED_PART) if len(grades) >= LEAST_TRIMMED else 0


def _middle(in_order: Sequence[float]) -> list[float]:
    half = len(in_order) // 2
    return sorted({in_order[half], in_order[~half]})


def _mean(in_order: Sequence[float]) -> list[float]:
    return [exact_mean(in_order)]


def _trimmed_mean(in_order: Sequence[float]) -> list[float]:
    out = cut(in_order)
    return [exact_mean(in_order[out : len(in_order) - out])]


def _most_frequent(in_order: Sequence[float]) -> list[float]:
    counts = Counter(in_order)
    most = max(counts.values())
    return sorted(grade for grade, count in counts.items() if count == most)


class Choice(StrEnum):
    """A name as it is stored, its label in a form, and its words in a sentence."""

    label: str
    words: str

    def __new__(cls, name: str, *_more: object) -> Self:
        choice = str.__new__(cls, name)
        choice._value_ = name
        return choice

    def __init__(self, _name: str, label: str = "", words: str = "") -> None:
        super().__init__()
        self.label, self.words = label, words

    @classmethod
    def choices(cls) -> list[tuple[str, str]]:
        """Names and labels, for a form."""
        return [(choice.value, choice.label) for choice in cls]


class Rule(Choice):
    """How several judgments become one grade.

    `candidates` gives the grades, ascending, between which a tie decides: most often there is only one. Takes one grade or
    more, ascending. A rule with a `variant` reads grades that a background job has computed from all judgments of the list
    at once, and has candidates for pairs that aren't in the model.
    """

    candidates: Callable[[Sequence[float]], list[float]]
    variant: Variant | None

    def __init__(
        self,
        name: str,  # alone it looks a rule up: Rule("median")
        label: str = "",
        words: str = "",
        candidates: Callable[[Sequence[float]], list[float]] = _middle,
        variant: Variant | None = None,
    ) -> None:
        super().__init__(name, label, words)
        self.candidates, self.variant = candidates, variant

    MEDIAN = "median", "Median", "The grade of a pair is the median of its judgments", _middle
    MEAN = "mean", "Mean", "The grade of a pair is the mean of its judgments", _mean
    TRIMMED = (
        "trimmed",
        "Trimmed mean",
        "The grade of a pair is the mean of its judgments. Of four or more, the lowest and highest fifth don’t count",
        _trimmed_mean,
    )
    MAJORITY = "majority", "Majority", "The grade of a pair is the one that most raters gave", _most_frequent
    DS_NOMINAL = (
        "ds-nominal",
        "Dawid–Skene, nominal (model)",
        "The grade of a pair is the likeliest one under a model (Dawid–Skene). For a pair that the model hasn’t seen it’s the one that most raters gave",
        _most_frequent,
        "nominal",
    )
    DS_ORDINAL = (
        "ds-ordinal",
        "Dawid–Skene, ordinal (model)",
        "The grade of a pair is the mean under a model (Dawid–Skene, ordinal). For a pair that the model hasn’t seen it’s the median",
        _middle,
        "ordinal",
    )

    @property
    def plain(self) -> "Rule":
        """The rule for a pair that is not in the model; without a model, the rule itself."""
        return next(rule for rule in Rule if rule.candidates == self.candidates and not rule.variant)

    @property
    def has_ties(self) -> bool:
        return self.plain not in {Rule.MEAN, Rule.TRIMMED}


class Tie(Choice):
    """What a median or a majority does between two grades."""

    LOWER = "lower", "The lower grade", "the lower"
    HIGHER = "higher", "The higher grade", "the higher"
    MEAN = "mean", "The mean of both", "their mean"
    ADJUDICATE = "adjudicate", "No grade until an admin decides", "none until an admin decides"


MODEL_RULES: Final[dict[str, Variant]] = {rule.value: rule.variant for rule in Rule if rule.variant}
"""By name, the variants of rules with a model."""


@dataclass(frozen=True, slots=True)
class ConsensusRule:
    """The rule that makes one grade of several, and the rule for ties."""

    rule: Rule = Rule.MEDIAN
    tie: Tie = Tie.LOWER

    @property
    def has_model(self) -> bool:
        return self.rule.variant is not None
