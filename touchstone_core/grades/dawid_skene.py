"""Dawid-Skene: estimates the grades of pairs and the habits of raters from each other.

| step | what it does |
| --- | --- |
| start | the chance of a grade is its share among the pair's judgments (the majority's share) |
| M | π_t = mean chance of grade t; C_r[t, g] ∝ chances of t where rater r gave g, plus the prior's [t, g] |
| E | the chance of t for a pair ∝ π_t Π C_r[t, g] over its judgments, in logarithms |

until no chance changes by more than a tolerance, or for a fixed number of rounds. Nothing is random.

Sources: Dawid & Skene 1979. Each row of C has a Dirichlet prior, as in Kim & Ghahramani 2012 (Bayesian classifier
combination), with one weight on the diagonal and another one elsewhere. The ordinal variant has a prior that falls with the
distance of grades, 2, 0.7 and 0.2, so a rater with few judgments is expected to err to neighboring grades. We chose these
numbers on simulated and real grades. The ordinal grade is the mean under the chances.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Variant = Literal["nominal", "ordinal"]

ROUNDS = 100
TOLERANCE = 1e-6
TINY = 1e-10
"""The least probability, so that one surprise does not outweigh all other evidence."""
ENOUGH_PER_RATER = 20
"""Raters with fewer judgments are left out of the model."""
ENOUGH_PAIRS = 300
"""A model needs so many pairs with two judgments or more."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """`chances` (pairs, V) of each grade; `habits` (raters, V, V) of giving the column's grade if the row's is right.

    `converged` says whether the tolerance was reached within the rounds.
    """

    chances: Floats
    habits: Floats
    shares: Floats
    rounds: int
    converged: bool

    @property
    def likeliest(self) -> Ints:
        """The index of each pair's likeliest grade, the lower of equals."""
        index: Ints = np.argmax(np.round(self.chances, 9), axis=1)
        return index

    def mean_grades(self, scale: Floats) -> Floats:
        """The mean grade of each pair under its chances."""
        return self.chances @ scale


@dataclass(frozen=True, slots=True)
class Labels:
    """One entry for each judgment: indices of pair, rater and grade. Every pair and every rater occurs."""

    pair: Ints
    rater: Ints
    grade: Ints
    grades: int

    @property
    def pairs(self) -> int:
        return int(self.pair.max()) + 1 if len(self.pair) else 0

    @property
    def raters(self) -> int:
        return int(self.rater.max()) + 1 if len(self.rater) else 0


def prior(variant: Variant, grades: int) -> Floats:
    """The prior that is added to each rater's counts (V, V)."""
    distance = np.abs(np.subtract.outer(np.arange(grades), np.arange(grades)))
    if variant == "ordinal":
        return np.array([2.0, 0.7, 0.2])[np.minimum(distance, 2)]
    return np.where(distance == 0, 2.0, 0.5)


def dawid_skene(
    labels: Labels, smoothing: Floats, *, rounds: int = ROUNDS, tolerance: float = TOLERANCE
) -> Estimate:
    """Fits the model in at most `rounds`, one or more. `smoothing` (V, V) is a `prior`, or zeros for the method of 1979."""
    chances = _start(labels)
    change, done = np.inf, 0
    while change > tolerance and done < rounds:
        before = chances
        chances = _expect(labels, *_maximize(labels, before, smoothing))
        change, done = float(np.abs(chances - before).max(initial=0.0)), done + 1
    shares, habits = _maximize(labels, chances, smoothing)
    return Estimate(chances, habits, shares, done, change <= tolerance)


def misgivings(*, pairs: int) -> list[str]:
    """Reasons not to trust an estimate, as sentences.

    `pairs` counts pairs with two judgments or more by raters with ENOUGH_PER_RATER judgments. Only these pairs say something
    about raters.
    """
    if pairs >= ENOUGH_PAIRS:
        return []
    return [
        f"The model needs {ENOUGH_PAIRS} pairs with two judgments or more, by raters who gave at least {ENOUGH_PER_RATER}. "
        f"This list has {pairs or 'none'}."
    ]


def _start(labels: Labels) -> Floats:
    cell = labels.pair * labels.grades + labels.grade
    counts = np.bincount(cell, minlength=labels.pairs * labels.grades).reshape(labels.pairs, labels.grades)
    shares: Floats = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _maximize(labels: Labels, chances: Floats, smoothing: Floats) -> tuple[Floats, Floats]:
    """The shares of grades, and the habits of raters. If a rater surely never met a grade, all grades that the rater gives
    anywhere, or that the prior allows, are equally likely there."""
    cell = labels.rater * labels.grades + labels.grade
    shape, length = (labels.raters, labels.grades), labels.raters * labels.grades
    gives = np.bincount(cell, minlength=length).reshape(shape) > 0
    habits = np.empty((labels.raters, labels.grades, labels.grades))
    for truth in range(labels.grades):
        weights = np.bincount(cell, weights=chances[labels.pair, truth], minlength=length).reshape(shape)
        possible = gives | (smoothing[truth] > 0)
        habits[:, truth] = np.maximum(weights + smoothing[truth], TINY) * possible
    return chances.sum(axis=0) / max(1, labels.pairs), habits / habits.sum(axis=2, keepdims=True)


def _expect(labels: Labels, shares: Floats, habits: Floats) -> Floats:
    logs = np.log(np.maximum(habits, TINY))
    log_chances = np.empty((labels.pairs, labels.grades))
    for truth in range(labels.grades):
        evidence = logs[labels.rater, truth, labels.grade]
        log_chances[:, truth] = np.bincount(labels.pair, weights=evidence, minlength=labels.pairs)
    log_chances += np.log(np.maximum(shares, TINY))
    likely: Floats = np.exp(log_chances - log_chances.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    return likely
