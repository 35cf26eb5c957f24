"""Cross-validation: does a Dawid-Skene model predict judgments better than the plain rules (Stone 1974)?

One judgment of each pair with two or more is held back, a fifth of these at a time. The model and the plain rules compute the
grades of these pairs from all other judgments. Their fit is the correlation of these grades with the held-back judgments, or
for nominal grades the share of equal ones. Judgments of careless raters lower both in the same way. A squared distance
would favor grades in the middle.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from touchstone_core.grades.accuracy import Z95
from touchstone_core.grades.consensus import consensus
from touchstone_core.grades.dawid_skene import Floats, Ints, Labels, Variant, dawid_skene, prior
from touchstone_core.grades.rules import ConsensusRule, Rule, Tie

FOLDS = 5
MOST = 20_000
"""The most held-back judgments. More take longer without a better result."""
ROUNDS, TOLERANCE = 30, 1e-3
PLAIN: dict[Variant, list[ConsensusRule]] = {
    "ordinal": [ConsensusRule(Rule.MEAN, Tie.MEAN), ConsensusRule(Rule.MEDIAN, Tie.MEAN)],
    "nominal": [ConsensusRule(Rule.MAJORITY, Tie.LOWER)],
}
"""The plain rules to compare with each variant."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How well grades fit the held-back `judgments`: a correlation for ordinal grades, else the share of equal grades.

    `ahead` is how much better the model fits than the best plain rule; `low` and `high` are its 95 % confidence interval.
    """

    judgments: int
    model: float
    plain: dict[str, float]
    ahead: float
    low: float
    high: float


def compare(labels: Labels, scale: Floats, variant: Variant, *, seed: int = 1) -> Comparison | None:
    """Compares the model with the plain rules; None if fewer than FOLDS pairs have two judgments. `scale` (V,) are the grades."""
    held_back = _choose(labels, np.random.default_rng(seed))
    if len(held_back) < FOLDS:
        return None
    by_name: dict[str, list[Floats]] = {}
    for part in np.array_split(held_back, FOLDS):
        for name, grades in _grades(labels, part, scale, variant).items():
            by_name.setdefault(name, []).append(grades)
    truth = scale[labels.grade[held_back]]
    fits = {name: _fit(np.concatenate(grades), truth, variant) for name, grades in by_name.items()}
    model = fits.pop("model")
    means = {name: float(each.mean()) for name, each in fits.items()}
    ahead = model - fits[max(means, key=lambda name: means[name])]
    middle, half = float(ahead.mean()), Z95 * float(ahead.std(ddof=1)) / sqrt(len(ahead))
    return Comparison(len(held_back), float(model.mean()), means, middle, middle - half, middle + half)


def _fit(grades: Floats, truth: Floats, variant: Variant) -> Floats:
    """What each judgment (N,) adds to the share of equal grades, or to the correlation, which is the mean of these values.

    For the correlation r they are z z' - r (z² + z'² - 2) / 2, with z and z' in standard deviations. This is its influence
    function (Devlin, Gnanadesikan & Kettenring 1975), from which the interval follows. 0 if nothing varies.
    """
    if variant == "nominal":
        same: Floats = (grades == truth).astype(np.float64)
        return same
    if not (grades.std() and truth.std()):
        return np.zeros(len(truth))
    one, other = ((each - each.mean()) / each.std() for each in (grades, truth))
    both: Floats = one * other - float((one * other).mean()) * (one**2 + other**2 - 2) / 2
    return both


def _choose(labels: Labels, rng: np.random.Generator) -> Ints:
    """The index of one judgment of each pair that has two or more, in random order, at most MOST."""
    order = rng.permutation(len(labels.pair))
    _, first, count = np.unique(labels.pair[order], return_index=True, return_counts=True)
    indices: Ints = rng.permutation(order[first[count > 1]])[:MOST]
    return indices


def _grades(labels: Labels, held_back: Ints, scale: Floats, variant: Variant) -> dict[str, Floats]:
    """The grades of the `held_back` judgments' pairs by model and by plain rules, from all other judgments."""
    rest = np.ones(len(labels.pair), dtype=np.bool_)
    rest[held_back] = False
    others = Labels(labels.pair[rest], labels.rater[rest], labels.grade[rest], labels.grades)
    fit = dawid_skene(others, prior(variant, labels.grades), rounds=ROUNDS, tolerance=TOLERANCE)
    values = fit.mean_grades(scale) if variant == "ordinal" else scale[fit.likeliest]
    groups = _grades_of(others, labels.pair[held_back], scale)
    plain: dict[str, Floats] = {rule.rule.value: _apply_rule(groups, rule) for rule in PLAIN[variant]}
    return {"model": values[labels.pair[held_back]], **plain}


def _grades_of(others: Labels, pairs: Ints, scale: Floats) -> list[tuple[float, ...]]:
    """The grades of each of these pairs, ascending."""
    order = np.lexsort((others.grade, others.pair))
    start, end = (np.searchsorted(others.pair[order], pairs, side=side) for side in ("left", "right"))
    grades: NDArray[np.float64] = scale[others.grade[order]]
    return [tuple(grades[one:other].tolist()) for one, other in zip(start, end, strict=True)]


def _apply_rule(groups: list[tuple[float, ...]], rule: ConsensusRule) -> Floats:
    by_grades = {grades: consensus(grades, rule).value for grades in set(groups)}
    return np.array([by_grades[grades] for grades in groups], dtype=np.float64)
