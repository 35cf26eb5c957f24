"""What is often written of NDCG and is wrong, each claim with what refutes it: for a test, and for the page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from touchstone_core.metrics.arrays import ScaleInfo, join
from touchstone_core.metrics.measure import parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """Rankings of the documents a, b, c … by name, and the measures under which to look at them."""

    judgments: Mapping[str, float]
    rankings: Mapping[str, tuple[str, ...]]
    measures: tuple[str, ...]
    shows: str

    def grades(self, ranking: str) -> tuple[float, ...]:
        """The grades of a ranking, best rank first."""
        return tuple(self.judgments[document] for document in self.rankings[ranking])

    def value(self, measure: str, ranking: str) -> float:
        """The value of a ranking under a measure."""
        scale = ScaleInfo(top_grade=max(self.judgments.values()))
        _, run = join({"q": self.judgments}, {"q": self.rankings[ranking]}, scale)
        return float(parse(measure).values(run)[0])

    def winner(self, measure: str) -> str:
        """The ranking that scores highest under a measure."""
        return max(self.rankings, key=lambda ranking: self.value(measure, ranking))


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """`claim` is what is written, `truth` what holds in its place."""

    claim: str
    truth: str
    counterexamples: tuple[Counterexample, ...]


CLAIMS: Final = (
    Claim(
        claim="For binary grades the variants of NDCG are equal.",
        truth="With grades 0 and 1 linear and exponential gain are equal, but the discounts still differ, and can even "
        "change which of two rankings is the better one.",
        counterexamples=(
            Counterexample(
                judgments={"a": 0, "b": 1},
                rankings={"0 1": ("a", "b")},
                measures=("nDCG(discount='jk')@2", "nDCG@2"),
                shows="One ranking, and 1.0 under one discount where the other gives .6309.",
            ),
            Counterexample(
                judgments={"a": 1, "b": 0, "c": 0, "d": 1},
                rankings={"0 1 1 0": ("b", "a", "d", "c"), "1 0 0 1": ("a", "b", "c", "d")},
                measures=("DCG(discount='jk')@4", "DCG@4"),
                shows="The middle wins under Järvelin and Kekäläinen's discount, the ends under log2.",
            ),
        ),
    ),
    Claim(
        claim="The choice of gain changes the values, but not which system wins.",
        truth="Exponential gain prefers one excellent document to several fair ones, so that a different ranking can win.",
        counterexamples=(
            Counterexample(
                judgments={"h": 2, "m": 1, "n": 0},
                rankings={"1 2": ("m", "h"), "2 0": ("h", "n")},
                measures=("nDCG@2", "nDCG(gain='exp')@2"),
                shows="Both good documents in the wrong order win under linear gain; the best one on top wins under "
                "exponential gain.",
            ),
        ),
    ),
)
