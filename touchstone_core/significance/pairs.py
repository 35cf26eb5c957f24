"""Every run against every other, with p-values adjusted for the number of pairs."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from touchstone_core.significance.differences import Scores, differences, scores_of
from touchstone_core.significance.intervals import mean_of
from touchstone_core.significance.permutation import FEWEST, Method
from touchstone_core.significance.tukey import DRAWS, tukey_tests
from touchstone_core.significance.types import Floats


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs by their indices; `difference` is the mean of second − first.

    `p` is adjusted for all pairs, and None exactly if the method is TOO_FEW.
    """

    first: int
    second: int
    difference: float
    p: float | None
    method: Method
    changed: int


@dataclass(frozen=True, slots=True)
class AllPairs:
    """All R(R − 1)/2 pairs, those of the first run first, and the settings to repeat the test."""

    pairs: tuple[Pair, ...]
    queries: int
    seed: int
    draws: int

    def as_json(self) -> dict[str, Any]:
        """Nested dicts and tuples of numbers, texts and None, for a JSON field."""
        return asdict(self)


def compare_all(runs: Sequence[Scores], *, seed: int, draws: int = DRAWS) -> AllPairs:
    """The randomised Tukey HSD test of at least two runs over the same queries (Q,).

    A pair that differs in fewer than 15 queries has no p-value, an identical pair p = 1. Raises
    SignificanceError for fewer than two runs and for scores, draws or seeds that the single functions refuse.
    """
    columns = [scores_of(run) for run in runs]
    apart = {
        pair: differences(columns[pair[0]], columns[pair[1]]) for pair in combinations(range(len(columns)), 2)
    }
    values = tukey_tests(np.stack(columns, axis=1) if columns else np.empty((0, 0)), seed=seed, draws=draws)
    pairs = tuple(
        _pair(first, second, difference, float(values[first, second]))
        for (first, second), difference in apart.items()
    )
    return AllPairs(pairs, len(columns[0]), seed, draws)


def _pair(first: int, second: int, difference: Floats, p: float) -> Pair:
    changed, mean = int((difference != 0).sum()), mean_of(difference)
    if not changed:
        return Pair(first, second, mean, 1.0, Method.IDENTICAL, 0)
    if changed < FEWEST:
        return Pair(first, second, mean, None, Method.TOO_FEW, changed)
    return Pair(first, second, mean, p, Method.DRAWN, changed)
