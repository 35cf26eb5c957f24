"""Common claims about NDCG that are wrong, each with counterexamples, for the guide and for a test."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from touchstone_core.metrics.arrays import ScaleInfo, join
from touchstone_core.metrics.measure import parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """Rankings of the documents a, b, c … by name, and the measures that disagree on them."""

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
    """`claim` is what people write, `truth` what is true instead."""

    claim: str
    truth: str
    counterexamples: tuple[Counterexample, ...]


CLAIMS: Final = (
    Claim(
        claim="For binary grades the variants of NDCG are equal.",
        truth="With grades 0 and 1, linear and exponential gain are equal. But the discounts still differ, and can even change "
        "which of two rankings is better.",
        counterexamples=(
            Counterexample(
                judgments={"a": 0, "b": 1},
                rankings={"0 1": ("a", "b")},
                measures=("nDCG(discount='jk')@2", "nDCG@2"),
                shows="The same ranking scores 1.0 under one discount and 0.6309 under the other.",
            ),
            Counterexample(
                judgments={"a": 1, "b": 0, "c": 0, "d": 1},
                rankings={"0 1 1 0": ("b", "a", "d", "c"), "1 0 0 1": ("a", "b", "c", "d")},
                measures=("DCG(discount='jk')@4", "DCG@4"),
                shows="Relevant documents in the middle win under the discount of Järvelin and Kekäläinen, those at the ends under log2.",
            ),
        ),
    ),
    Claim(
        claim="The choice of gain changes the values, but not which system wins.",
        truth="Exponential gain prefers one excellent document to several fair ones, so another ranking can win.",
        counterexamples=(
            Counterexample(
                judgments={"h": 2, "m": 1, "n": 0},
                rankings={"1 2": ("m", "h"), "2 0": ("h", "n")},
                measures=("nDCG@2", "nDCG(gain='exp')@2"),
                shows="Under linear gain, both good documents in the wrong order win. Under exponential gain, the best "
                "document on top wins.",
            ),
        ),
    ),
)
