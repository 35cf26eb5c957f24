"""What the words of a comparison promise, against what they do in simulated cases: see the table in docs/comparing.md.

The small ones have fixed seeds and bounds that are three standard errors wide; `make test-thorough` takes more cases.
"""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from tests.touchstone_core.significance import oracles
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.offline.gate import Demand, conditions_of
from touchstone_core.significance.betting import always_valid_p
from touchstone_core.significance.comparison import compare
from touchstone_core.significance.intervals import mean_difference
from touchstone_core.significance.permutation import FEWEST, family_tests
from touchstone_core.significance.planning import MANY, detectable, left_for_one
from touchstone_core.significance.posterior import posterior
from touchstone_core.significance.settings import Settings

pytestmark = pytest.mark.sampled

SPREAD = 0.15
DRAWS = 499


def within(rate, least, most, cases):
    """Whether a share of cases may come from a probability between these."""
    error = 3 * np.sqrt(np.array([least * (1 - least), most * (1 - most)]) / cases)
    return least - error[0] <= rate <= most + error[1]


def normal(source, queries, mean=0.0):
    return source.normal(mean, SPREAD, queries)


def half_tied(source, queries, mean=0.0):
    """Half of the queries don't change."""
    return (source.random(queries) < 0.5) * source.normal(2 * mean, SPREAD, queries)


def skewed(source, queries, mean=0.0):
    """15 % of the queries lose .3, the others win a little."""
    return np.where(source.random(queries) < 0.15, -0.3, 0.3 * 0.15 / 0.85) + mean


def real(source, queries, mean=0.0):
    """Queries drawn from a pair of real runs, their mean moved."""
    differences = real_differences()
    return np.clip(source.choice(differences, queries) - differences.mean() + mean, -1, 1)


@cache
def real_differences():
    scores = oracles.score_matrix("adhoc8_ap")
    return scores[:, 1] - scores[:, 0]


def coarse(source, queries, mean=0.0):
    """A quarter of the queries is won by 1, a quarter lost."""
    return source.choice([-1.0, 0.0, 1.0], queries, p=[0.25, 0.5, 0.25]) + mean


ORDINARY = [normal, half_tied, real]


def rejections(queries, runs, effect, cases, seed):
    """How often a run that differs by `effect` is significant among others that do not, all beside one baseline."""
    source = np.random.default_rng(seed)
    found = 0
    for case in range(cases):
        columns = beside_one_baseline(source, queries, runs)
        columns[:, 0] += effect
        _, family = family_tests(columns, members=runs, seed=case, draws=DRAWS)
        found += family.adjusted[0] <= 0.05
    return found / cases


def beside_one_baseline(source, queries, runs):
    """Differences (Q, R) that share the baseline's noise, as those of several candidates do."""
    noise = source.normal(0, SPREAD / 2**0.5, (queries, runs + 1))
    return noise[:, 1:] - noise[:, :1]


def planned(queries, runs):
    """What the page says can be detected, at the middle of the critical values of some pages."""
    source = np.random.default_rng(99)
    critical = [
        family_tests(beside_one_baseline(source, queries, runs), members=runs, seed=1)[1].critical(0.05)
        for _ in range(20)
    ]
    return detectable(SPREAD, queries, significance=left_for_one(float(np.median(critical)), queries))


def promised_power(queries, runs, cases):
    rate = rejections(queries, runs, planned(queries, runs), cases, seed=queries + runs)
    return within(rate, 0.78, 0.82, cases)


@pytest.mark.parametrize(("queries", "runs"), [(25, 1), (50, 4)])
def test_what_can_be_detected_is_detected(queries, runs):
    assert promised_power(queries, runs, 400)


@pytest.mark.thorough
@pytest.mark.parametrize("queries", [25, 50, 150, 500])
@pytest.mark.parametrize("runs", [1, 4, 20])
def test_what_can_be_detected_is_detected_everywhere(queries, runs):
    assert promised_power(queries, runs, 4000)


@pytest.mark.parametrize("significance", [0.05, 0.0125])
def test_ten_queries_detect_what_is_planned_in_a_t_test(significance):
    source = np.random.default_rng(1)
    samples = source.normal(detectable(SPREAD, 10, significance=significance), SPREAD, (40_000, 10))
    t = samples.mean(axis=1) / (samples.std(axis=1, ddof=1) / 10**0.5)

    assert (np.abs(t) > stats.t.ppf(1 - significance / 2, 9)).mean() == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize(
    ("queries", "runs", "least"),
    [(15, 1, 0.755), (15, 20, 0.73), (25, 1, 0.765), (50, 1, 0.78), (150, 1, 0.79)],
)
def test_the_spread_of_the_same_queries_costs_little_power(queries, runs, least):
    """The page knows no other spread. The power of each plan is that of scipy's noncentral t; several runs share the level."""
    each = 0.05 / runs
    spreads = np.random.default_rng(queries).normal(0, SPREAD, (1000, queries)).std(axis=1, ddof=1)
    plans = np.array([detectable(spread, queries, significance=each) for spread in spreads])
    centers = plans / SPREAD * queries**0.5

    power = stats.nct.sf(stats.t.ppf(1 - each / 2, queries - 1), queries - 1, centers).mean()

    assert least <= power <= 0.805


def test_a_single_page_of_few_queries_may_plan_too_well_or_too_badly():
    """Nine of ten pages; a page with a small spread promises too much."""
    spreads = np.random.default_rng(25).normal(0, SPREAD, (4000, 25)).std(axis=1, ddof=1)
    plans = np.array([detectable(spread, 25) for spread in spreads])

    power = stats.nct.sf(stats.t.ppf(0.975, 24), 24, plans / SPREAD * 5)

    assert np.quantile(power, [0.05, 0.95]) == pytest.approx([0.56, 0.93], abs=0.01)


def said_better(kind, queries, cases):
    """How often P(better) is 0.975 or more, and 0.025 or less, of null pairs. With too few changed queries nothing is said."""
    source = np.random.default_rng(queries)
    every = (kind(source, queries) for _ in range(cases))
    said = np.array([
        posterior(mean_difference(one), queries).better for one in every if np.count_nonzero(one) >= FEWEST
    ])  # fmt: skip
    return (said >= 0.975).sum() / cases, (said <= 0.025).sum() / cases


@pytest.mark.parametrize("queries", [15, 50])
@pytest.mark.parametrize("kind", ORDINARY)
def test_of_null_pairs_few_are_said_to_be_better(kind, queries):
    # Real pairs are a little skewed.
    most = 0.035 if (kind, queries) == (real, 15) else 0.03
    assert max(said_better(kind, queries, 10_000)) <= most


# Rare large losses that didn't occur can't be seen: docs/comparing.md names both figures.
SKEWED_BETTER = [(15, 0.1), (25, 0.1), (50, 0.07), (100, 0.07)]


@pytest.mark.parametrize(("queries", "most"), SKEWED_BETTER)
def test_of_skewed_null_pairs_more_are_said_to_be_better(queries, most):
    better, worse = said_better(skewed, queries, 10_000)

    assert 0.03 < better <= most
    assert worse <= 0.03


def called(kind, queries, cases):
    """How often a null pair is called better or worse at a single look, and how often without a word of what may be unseen."""
    source = np.random.default_rng(queries)
    rejected = careless = 0
    for case in range(cases):
        settings = Settings(seed=case, draws=DRAWS, resamples=1)
        (one,) = compare(np.zeros(queries), [kind(source, queries)], settings=settings)
        if one.adjusted is not None and one.adjusted <= 0.05:
            rejected += 1
            careless += one.unseen is None
    return rejected / cases, careless / cases


@pytest.mark.parametrize("kind", ORDINARY)
def test_of_null_pairs_few_are_called_better_or_worse(kind):
    assert within(called(kind, 25, 400)[0], 0, 0.05, 400)


@pytest.mark.thorough
@pytest.mark.parametrize("queries", [15, 25, 50, 100])
@pytest.mark.parametrize("kind", ORDINARY)
def test_of_null_pairs_of_any_size_few_are_called_better_or_worse(kind, queries):
    assert within(called(kind, queries, 4000)[0], 0, 0.05, 4000)


def test_what_skewed_pairs_may_hide_stands_beside_most_wrong_calls():
    rejected, careless = called(skewed, 25, 400)

    assert within(rejected, 0, 0.1, 400)
    assert careless <= 0.02


@pytest.mark.thorough
@pytest.mark.parametrize(("queries", "most"), SKEWED_BETTER)
def test_what_skewed_pairs_of_any_size_may_hide_stands_beside_most_wrong_calls(queries, most):
    rejected, careless = called(skewed, queries, 4000)

    assert within(rejected, 0.05, most, 4000)
    assert careless <= (0.02 if queries < MANY else rejected)


def any_significant(cases, queries=40, runs=4):
    """Of pages on which nothing differs: how many say something does, and how many intervals leave a truth out."""
    source = np.random.default_rng(7)
    said = missed = 0
    for case in range(cases):
        columns = beside_one_baseline(source, queries, runs)
        settings = Settings(seed=case, draws=DRAWS, resamples=1)
        found = compare(np.zeros(queries), list(columns.T), settings=settings)
        said += min(one.adjusted for one in found) <= 0.05
        missed += any(not one.difference.interval.low <= 0 <= one.difference.interval.high for one in found)
    return said / cases, missed / cases


def test_of_pages_without_a_difference_few_show_one_and_intervals_agree():
    said, missed = any_significant(300)

    assert within(said, 0, 0.05, 300)
    assert missed == said


@pytest.mark.thorough
def test_of_many_pages_without_a_difference_few_show_one():
    said, missed = any_significant(4000)

    assert within(said, 0, 0.05, 4000)
    assert missed == said


def ever_called(kind, cases, first=10, regraded=0.0):
    """A null pair, looked at every ten queries up to 150: whether one look calls it better or worse.

    At the first look the p-value of a single look decides, at 15 changed queries or more; then the always-valid one. Between
    two looks a share of the values is drawn anew, as `regraded` queries have others.
    """
    source = np.random.default_rng(3)
    found = 0
    for case in range(cases):
        differences = kind(source, 150)
        start = differences[:first, None]
        ((test,), family) = family_tests(start, members=1, seed=case, draws=DRAWS)
        is_called = test.decides and family.adjusted[0] <= 0.05
        for seen in range(first + 10, 151, 10):
            if regraded:
                differences = np.where(source.random(150) < regraded, kind(source, 150), differences)
            is_called = is_called or always_valid_p(differences[:seen], 1.0) <= 0.05
        found += is_called
    return found / cases


def test_a_null_pair_that_is_looked_at_fifteen_times_is_often_significant_by_a_test_for_one_look():
    """Why another p-value decides there; by Student's t, which the sign flips are close to."""
    differences = np.random.default_rng(4).normal(0, SPREAD, (4000, 150))

    p = [stats.ttest_1samp(differences[:, :seen], 0, axis=1).pvalue for seen in range(10, 151, 10)]

    assert (np.min(p, axis=0) <= 0.05).mean() == pytest.approx(0.22, abs=0.02)


@pytest.mark.parametrize("kind", [*ORDINARY, skewed])
def test_a_null_pair_that_is_looked_at_fifteen_times_is_seldom_called_better_or_worse(kind):
    assert within(ever_called(kind, 100), 0, 0.05, 100)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [*ORDINARY, skewed, coarse])
def test_null_pairs_of_every_kind_are_seldom_called_better_or_worse(kind):
    assert ever_called(kind, 5000) <= 0.05


def test_nor_are_they_where_grades_change_too():
    """Nothing proves that: an e-process is of values that stay as they are."""
    assert ever_called(coarse, 300, regraded=1.0) <= 0.05


@pytest.mark.thorough
@pytest.mark.parametrize("regraded", [0.2, 1.0])
@pytest.mark.parametrize("kind", [*ORDINARY, skewed, coarse])
def test_nor_are_pairs_of_any_kind_where_grades_change_too(kind, regraded):
    assert ever_called(kind, 2000, regraded=regraded) <= 0.05


@pytest.mark.thorough
def test_a_first_look_that_already_decides_adds_its_own_error():
    assert ever_called(normal, 5000, first=20) <= 0.075


def passed(kind, queries, cases, margin=0.05, *, same=False):
    """How often a gate lets a run pass whose true drop is the margin."""
    ((_, measure),) = read_rounded("nDCG@10")
    demand = Demand(measure, within=margin) if same else Demand(measure, most_drop=margin, significant=True)
    source = np.random.default_rng(queries)
    found = 0
    for case in range(cases):
        difference = kind(source, queries, -margin)
        settings = Settings(seed=case, draws=DRAWS, resamples=1)
        (one,) = compare(np.zeros(queries), [difference], settings=settings)
        found += all(condition.passed for condition in conditions_of(demand, one, difference, 1.0)[1])
    return found / cases


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("kind", [*ORDINARY, skewed])
def test_a_drop_as_large_as_the_margin_seldom_passes(kind, same):
    assert within(passed(kind, 25, 400, same=same), 0, 0.05, 400)


@pytest.mark.thorough
@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("queries", [10, 25, 50, 150])
@pytest.mark.parametrize("kind", [*ORDINARY, skewed])
def test_drops_as_large_as_the_margin_seldom_pass(kind, queries, same):
    assert within(passed(kind, queries, 3000, same=same), 0, 0.05, 3000)


@pytest.mark.parametrize(("queries", "change"), [(150, 0.0), (150, 0.001), (40, 0.0)])
def test_runs_that_hardly_differ_pass_given_enough_queries(queries, change):
    ((_, measure),) = read_rounded("nDCG@10")
    difference = np.zeros(queries)
    difference[:5] = -change
    (one,) = compare(np.zeros(queries), [difference], settings=Settings(seed=1, draws=DRAWS), span=1.0)

    for demand in (Demand(measure, most_drop=0.03, significant=True), Demand(measure, within=0.03)):
        assert all(condition.passed for condition in conditions_of(demand, one, difference, 1.0)[1])
