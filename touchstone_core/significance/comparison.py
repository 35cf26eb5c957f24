"""Runs against a baseline: all figures of each run in one frozen record."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from touchstone_core.significance.betting import Sequential, sequential
from touchstone_core.significance.differences import Outcomes, Scores, differences, outcomes, scores_of
from touchstone_core.significance.intervals import (
    Interval,
    MeanDifference,
    is_skewed_against,
    mean_difference,
    one_sided,
)
from touchstone_core.significance.permutation import Method, PValue, family_tests
from touchstone_core.significance.planning import (
    MANY,
    detectable,
    left_for_one,
    may_be_unseen,
    queries_needed,
)
from touchstone_core.significance.posterior import Posterior, posterior
from touchstone_core.significance.risk import Risk, risk
from touchstone_core.significance.robust import Robust, robust_views
from touchstone_core.significance.settings import Settings
from touchstone_core.significance.types import Floats
from touchstone_core.significance.weighted_mean import Sampling, WeightedMean, shares_of, weighted_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One run against the baseline; differences are run − baseline.

    `relative` is the difference as a share of the baseline's mean, None if that is 0. `adjusted` is the permutation's p
    adjusted for all runs of the same call. The interval of `difference` agrees with it: it excludes 0 exactly if `adjusted`
    is at most 1 − level. Each end of `one_sided` has that error: the run is “no worse than δ” if −δ ≤ its low end, and “the
    same within ±δ” if it lies within ±δ (two one-sided tests; Schuirmann 1987). `sequential` decides if people looked while
    they added queries; None for a measure without a greatest difference. `detectable` is the smallest mean difference that
    these queries show with 80 % power in the adjusted test, `queries_needed` the number of queries for the actual difference.
    `unseen` is the share of queries that rare changes against the mean can hit without showing, where queries are few and the
    differences skewed, so that the test calls too many runs better or worse.

    With too few changed queries there is no adjusted p, interval, t, posterior or plan, since they would promise too much.
    The exact p of the permutations is shown, but decides nothing.
    """

    queries: int
    baseline: float
    run: float
    relative: float | None
    difference: MeanDifference
    permutation: PValue
    adjusted: float | None
    one_sided: Interval | None
    sequential: Sequential | None
    posterior: Posterior | None
    outcomes: Outcomes
    risk: Risk
    detectable: float | None
    queries_needed: int | None
    unseen: float | None
    robust: Robust
    weighted: WeightedMean | None
    settings: Settings

    def as_json(self) -> dict[str, Any]:
        """Nested dicts and tuples of numbers, texts and None, for a JSON field."""
        return asdict(self)


class _Tests(NamedTuple):
    """The tests of one run, and the critical values of t that all runs share, two-sided and one-sided."""

    permutation: PValue
    adjusted: float | None
    critical: float
    critical_one_sided: float
    weighted: WeightedMean | None


def compare(
    baseline: Scores,
    runs: Sequence[Scores],
    *,
    settings: Settings,
    weights: Scores | None = None,
    drawn: Sampling = Sampling.UNKNOWN,
    span: float | None = None,
) -> tuple[Comparison, ...]:
    """Compares each run with the baseline, over the same queries (Q,) in the same order.

    With `weights` (Q,) there is a traffic-weighted mean, too; `drawn` says how the queries were sampled. `span` is the
    greatest difference that the measure allows, or None. Raises SignificanceError for scores, weights and settings that the
    single functions refuse.
    """
    before = scores_of(baseline, name="baseline’s scores")
    if not runs:
        return ()
    columns = np.stack([differences(before, run, tolerance=settings.tolerance) for run in runs], axis=1)
    shares = None if weights is None else shares_of(weights, len(before))
    tests = _tests(columns, shares, drawn, settings, span)
    views = robust_views(
        columns, seed=settings.seed, resamples=settings.resamples, level=settings.level, worst=settings.worst
    )
    family_size = sum(_is_test(one.permutation) for one in tests)
    return tuple(
        _comparison(before, columns[:, run], settings, tests[run], views[run], span, family_size)
        for run in range(len(runs))
    )


def _tests(
    columns: Floats, shares: Floats | None, drawn: Sampling, settings: Settings, span: float | None
) -> list[_Tests]:
    """Tests the plain and the weighted differences under the same flips."""
    runs = columns.shape[1]
    both_columns = columns if shares is None else np.concatenate([columns, shares[:, None] * columns], axis=1)
    tests, family = family_tests(both_columns, members=runs, seed=settings.seed, draws=settings.draws)
    error = 1.0 - settings.level
    critical, one_sided = family.critical(error), family.critical(2.0 * error)
    return [
        _Tests(
            tests[run],
            family.adjusted[run],
            critical,
            one_sided,
            None
            if shares is None
            else weighted_mean(
                columns[:, run], shares, tests[runs + run], drawn=drawn, level=settings.level, span=span
            ),
        )
        for run in range(runs)
    ]


def _comparison(
    before: Floats,
    difference: Floats,
    settings: Settings,
    tests: _Tests,
    robust: Robust,
    span: float | None,
    family_size: int,
) -> Comparison:
    mean = mean_difference(difference, level=settings.level, critical=tests.critical, span=span)
    decides = tests.permutation.decides
    smallest, enough = _plan(mean, tests, before.size)
    baseline = float(before.mean())
    return Comparison(
        queries=before.size,
        baseline=baseline,
        run=baseline + mean.mean,
        relative=mean.mean / baseline if baseline else None,
        difference=mean,
        permutation=tests.permutation,
        adjusted=tests.adjusted,
        one_sided=one_sided(difference, mean, tests.critical_one_sided, span=span),
        sequential=None
        if span is None or not decides
        else sequential(difference, span, runs=max(family_size, 1), level=settings.level),
        posterior=posterior(mean, before.size, rope=settings.rope) if decides else None,
        outcomes=outcomes(difference, clear=settings.clear),
        risk=risk(difference, alpha=settings.alpha),
        detectable=smallest,
        queries_needed=enough,
        unseen=_unseen(difference, tests.permutation),
        robust=robust,
        weighted=tests.weighted,
        settings=settings,
    )


def _is_test(permutation: PValue) -> bool:
    return permutation.method in (Method.EXACT, Method.DRAWN)


def _unseen(difference: Floats, permutation: PValue) -> float | None:
    few = _is_test(permutation) and difference.size < MANY
    return may_be_unseen(difference.size) if few and is_skewed_against(difference) else None


def _plan(mean: MeanDifference, tests: _Tests, queries: int) -> tuple[float | None, int | None]:
    """The smallest difference that these queries can show, and the number of queries for the actual one."""
    if not _is_test(tests.permutation) or mean.spread is None or np.isinf(tests.critical):
        return None, None
    significance = left_for_one(tests.critical, queries)
    return (
        detectable(mean.spread, queries, significance=significance),
        queries_needed(mean.spread, mean.mean, significance=significance),
    )
