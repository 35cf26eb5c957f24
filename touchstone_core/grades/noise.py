"""How reliable grades of several raters are, and how far their noise shrinks differences between runs.

| figure | formula | source |
| --- | --- | --- |
| reliability of one grade made of k judgments | kρ / (1 + (k − 1) ρ) | Spearman 1910, Brown 1910 |
| attenuation | √reliability | Spearman 1904 |

ρ is the reliability of one judgment: the intraclass correlation ICC(1), of which Krippendorff's alpha on grades with an order
is the form that allows for missing judgments. All of this assumes that errors of two raters on a pair are independent, that
every judgment of a pair could have come from any of the raters, and that errors know nothing of the runs. What it is compared
with is the grade that very many raters like these would give: an error that all of them share isn't noise.

The attenuation is exact for correlations. For the size of a difference in NDCG it is an approximation, and the reliability
itself a lower bound: both are tested by simulation (docs/judging.md, “Noise of raters”).
"""

from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """With so many `judgments` per pair, differences keep the share `about`, and at least the share `least`."""

    judgments: float
    about: float
    least: float


def reliability(one: float, judgments: float) -> float:
    """Of the grade that `judgments` make together, from the reliability of `one` judgment, which is above 0."""
    return judgments * one / (1 + (judgments - 1) * one)


def shrinkage(one: float, lowest: float, judgments: float) -> Shrinkage:
    """`lowest` is the lower end of the interval of `one`, both above 0."""
    return Shrinkage(judgments, sqrt(reliability(one, judgments)), reliability(lowest, judgments))


def judgments_in_effect(pairs: int, several: float, singles: int) -> float:
    """The number of judgments per pair that has the mean noise of all pairs: the harmonic mean.

    `pairs` have `several` judgments each, as their harmonic mean, and further `singles` one. An error weighs 1 / k on a pair
    with k, so that a few pairs with many judgments don't make up for many with one.
    """
    return (pairs + singles) / (singles + pairs / several)
