"""Runs against a baseline: everything that is said of each, in one frozen record."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from evaluation.significance.bayes import Bayes, bayesian_bootstrap
from evaluation.significance.differences import Outcomes, Scores, differences, outcomes, scores_of
from evaluation.significance.holm import holm
from evaluation.significance.intervals import MeanDifference, mean_difference
from evaluation.significance.permutation import Method, PValue, sign_flip_tests
from evaluation.significance.planning import detectable, queries_needed
from evaluation.significance.ranks import RankTests, rank_tests
from evaluation.significance.risk import Risk, risk
from evaluation.significance.robust import Robust, robust_views
from evaluation.significance.settings import Settings
from evaluation.significance.types import Floats
from evaluation.significance.weighted import Drawn, Weighted, shares_of, weighted_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One run against the baseline; differences are run − baseline.

    `relative` is the difference in shares of the baseline's mean, None where that is 0. `holm` is the permutation's p
    adjusted for all runs of the same call. `detectable` is the smallest mean difference that these queries can show with
    80 % power, `queries_needed` how many would settle a difference as large as the one seen; both are None where the
    spread of the differences is unknown (one query) or, for the latter, nothing differs. With too few changed queries there
    is no p-value of any kind, no t and no Bayesian bootstrap: each would promise more than it keeps.
    """

    queries: int
    baseline: float
    run: float
    relative: float | None
    difference: MeanDifference
    permutation: PValue
    holm: float | None
    bayes: Bayes | None
    outcomes: Outcomes
    risk: Risk
    detectable: float | None
    queries_needed: int | None
    robust: Robust
    weighted: Weighted | None
    rank_tests: RankTests | None
    settings: Settings

    def as_json(self) -> dict[str, Any]:
        """Nested dicts and tuples of numbers, texts and None, for a JSON field."""
        return asdict(self)


def compare(
    baseline: Scores,
    runs: Sequence[Scores],
    *,
    settings: Settings,
    weights: Scores | None = None,
    drawn: Drawn = Drawn.UNKNOWN,
) -> tuple[Comparison, ...]:
    """A record for each run, all over the same queries (Q,) as the baseline, in the same order.

    `weights` (Q,) asks for the traffic-weighted mean beside the plain one; `drawn` says how the queries came together.
    Raises SignificanceError for scores, weights and settings that the single functions refuse.
    """
    before = scores_of(baseline, name="baseline's scores")
    if not runs:
        return ()
    columns = np.stack([differences(before, run, tolerance=settings.tolerance) for run in runs], axis=1)
    shares = None if weights is None else shares_of(weights, len(before))
    permutations, weighted = _tests(columns, shares, drawn, settings)
    adjusted = holm([test.value for test in permutations])
    views = robust_views(
        columns, seed=settings.seed, resamples=settings.resamples, level=settings.level, worst=settings.worst
    )
    probabilities = bayesian_bootstrap(
        columns, seed=settings.seed, draws=settings.bayes_draws, rope=settings.rope, level=settings.level
    )
    return tuple(
        _comparison(
            before,
            columns[:, run],
            settings,
            permutation=permutations[run],
            holm=adjusted[run],
            bayes=probabilities[run],
            robust=views[run],
            weighted=weighted[run],
        )
        for run in range(len(runs))
    )


def _tests(
    columns: Floats, shares: Floats | None, drawn: Drawn, settings: Settings
) -> tuple[Sequence[PValue], Sequence[Weighted | None]]:
    """The permutation tests of the plain differences and of the weighted ones, under the same flips."""
    runs = columns.shape[1]
    flipped = columns if shares is None else np.concatenate([columns, shares[:, None] * columns], axis=1)
    tests = sign_flip_tests(flipped, seed=settings.seed, draws=settings.draws)
    if shares is None:
        return tests, [None] * runs
    return tests[:runs], [
        weighted_mean(columns[:, run], shares, tests[runs + run], drawn=drawn, level=settings.level)
        for run in range(runs)
    ]


def _comparison(
    before: Floats,
    difference: Floats,
    settings: Settings,
    *,
    permutation: PValue,
    holm: float | None,
    bayes: Bayes,
    robust: Robust,
    weighted: Weighted | None,
) -> Comparison:
    mean = mean_difference(difference, level=settings.level)
    told = permutation.method is not Method.TOO_FEW
    losing = risk(difference, alpha=settings.alpha)
    baseline = float(before.mean())
    return Comparison(
        queries=before.size,
        baseline=baseline,
        run=baseline + mean.mean,
        relative=mean.mean / baseline if baseline else None,
        difference=mean if told else replace(mean, t=None, p=None),
        permutation=permutation,
        holm=holm,
        bayes=bayes if told else None,
        outcomes=outcomes(difference, clear=settings.clear),
        risk=losing if told else replace(losing, trisk=None),
        detectable=None if mean.spread is None else detectable(mean.spread, before.size),
        queries_needed=None if mean.spread is None else queries_needed(mean.spread, mean.mean),
        robust=robust,
        weighted=weighted,
        rank_tests=rank_tests(difference) if settings.rank_tests and told else None,
        settings=settings,
    )
