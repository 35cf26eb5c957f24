"""How often the interval of a run's level, from documents that were drawn at random, holds the value of pages judged in full.

The truth of real runs is known because their unjudged documents are left out. `make test-thorough` takes more cases.
"""

from math import sqrt
from statistics import fmean

import numpy as np
import pytest

from tests.evaluation.real_files import ESCI_RUNS, read_qrels, read_run
from tests.shared_data import shared_data
from tests.touchstone_core.deciding.simulation import RANKS, known_pages
from touchstone_core.deciding.level import FEWEST_DRAWS, DrawOrder
from touchstone_core.metrics.discount import discounts

pytestmark = pytest.mark.sampled

PROMISED = 0.95


def order_of(gain, top, random, before=0.0):
    """All documents of pages (Q, N), NaN where there is none, in an order of chance; this share of them was judged before."""
    weight = np.broadcast_to(discounts("log2", gain.shape[1]), gain.shape)
    shown = ~np.isnan(gain)
    weight = weight[shown] / (top * discounts("log2", gain.shape[1]).sum() * len(gain))
    is_certain = random.random(len(weight)) < before
    return DrawOrder.of(weight, 1 - random.random(len(weight)), is_certain, gain[shown], top)


def spread_of_queries(random, queries, center):
    """Relevance of documents that differs by query, and falls with the rank."""
    of_query = random.normal(size=(queries, 1))
    return of_query + random.normal(size=(queries, RANKS)) - 0.1 * np.arange(RANKS) + center


def few_relevant(random, queries):
    return (random.random((queries, RANKS)) < 0.05 * random.gamma(1, 1, (queries, 1))).astype(float), 1.0


def half_relevant(random, queries):
    return (random.random((queries, RANKS)) < random.beta(1, 1, (queries, 1))).astype(float), 1.0


def exponential(random, queries):
    grade = np.searchsorted([0.8, 1.6, 2.4, 3.2], spread_of_queries(random, queries, 0).ravel())
    return 2.0 ** grade.reshape(queries, RANKS) - 1, 15.0


def mostly_top(random, queries):
    grade = np.searchsorted([-1, -0.5, 0.3], spread_of_queries(random, queries, 1).ravel())
    return np.array([0, 0.01, 0.1, 1])[grade].reshape(queries, RANKS), 1.0


def rare_top(random, queries):
    return 2.0 ** random.choice(4, p=[0.9, 0.07, 0.02, 0.01], size=(queries, RANKS)) - 1, 7.0


KINDS = [few_relevant, half_relevant, exponential, mostly_top, rare_top]


def truth_of(order):
    return float(order.weight @ order.gain)


def holds(order, draws):
    level = order.level(draws)
    return level.low <= truth_of(order) <= level.high


def coverage_of(kind, queries, draws, cases, before=0.0):
    """In what share of the cases the interval holds the truth, and by how much the estimate is off on average."""
    found, errors = [], []
    for case in range(cases):
        random = np.random.default_rng(case)
        gain, top = kind(random, queries)
        order = order_of(gain, top, random, before)
        level, truth = order.level(draws), truth_of(order)
        found.append(level.low <= truth <= level.high)
        errors.append(level.expected - truth)
    return fmean(found), errors


def least(cases, share=PROMISED):
    """What so many cases still show with luck: three standard errors below."""
    return share - 3 * sqrt(share * (1 - share) / cases)


def is_unbiased(errors):
    return abs(fmean(errors)) <= 3 * np.std(errors, ddof=1) / sqrt(len(errors))


@pytest.mark.parametrize("draws", [FEWEST_DRAWS, 200])
@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_holds_and_the_estimate_is_not_off(kind, draws):
    share, errors = coverage_of(kind, 50, draws, 300)

    assert share >= least(300)
    assert is_unbiased(errors)


def test_it_holds_beside_documents_that_were_judged_before():
    share, errors = coverage_of(exponential, 50, 60, 300, before=0.6)

    assert share >= least(300)
    assert is_unbiased(errors)


def esci_pages():
    judgments = read_qrels(shared_data("esci_opensearch") / "qrels.esci_us_150.txt")
    runs = [read_run(shared_data("esci_runs") / f"{name}.trec") for name in ESCI_RUNS]
    _, gain = known_pages(runs, judgments, lambda grade: 2.0**grade - 1)
    return gain


def esci_share(draws, cases):
    gain = esci_pages()
    return fmean(
        holds(order_of(gain[case % len(gain)], 7.0, np.random.default_rng(case)), draws)
        for case in range(cases)
    )


def test_it_holds_for_real_runs():
    assert esci_share(100, 400) >= least(400)


def test_real_runs_take_fewer_judgments_than_whole_pages_of_queries():
    """The square of an error falls with the number of judgments, so that it says how many times as many they take."""
    gain, top, draws, cases = esci_pages(), 7.0, 200, 400
    weight = discounts("log2", RANKS) / (top * discounts("log2", RANKS).sum())
    of_documents, of_pages = [], []
    for case in range(cases):
        random, pages = np.random.default_rng(case), gain[case % len(gain)]
        order = order_of(pages, top, random)
        of_documents.append(order.level(draws).expected - truth_of(order))
        values, shown = np.nansum(pages * weight, axis=1), (~np.isnan(pages)).sum(axis=1).mean()
        some = random.choice(len(values), round(draws / shown), replace=False)
        of_pages.append(values[some].mean() - values.mean())
    assert np.mean(np.square(of_pages)) > 2 * np.mean(np.square(of_documents))


def half_width(order, draws):
    level = order.level(draws)
    return (level.high - level.low) / 2


def until_narrow(kind, width, cases):
    """Draws on by fifty until the interval is as narrow as wanted, which looks at it after each batch."""
    found = []
    for case in range(cases):
        random = np.random.default_rng(case)
        gain, top = kind(random, 100)
        order, draws = order_of(gain, top, random), 50
        while half_width(order, draws) > width:
            draws += 50
        found.append(holds(order, draws))
    return fmean(found)


@pytest.mark.parametrize("kind", [half_relevant, exponential])
def test_to_stop_once_it_is_narrow_enough_misleads_hardly_oftener(kind):
    assert until_narrow(kind, 0.04, 200) >= least(200, 0.94)


@pytest.mark.parametrize("kind", KINDS)
def test_the_width_is_known_before(kind):
    """From the gains of fifty, the width with 200 more is off by a third at most on average."""
    ratios = []
    for case in range(60):
        random = np.random.default_rng(case)
        gain, top = kind(random, 100)
        order = order_of(gain, top, random)
        ratios.append(order.expected_width(250, order.gain[:50]) / half_width(order, 250))
    assert 0.75 <= fmean(ratios) <= 1.5


def test_so_many_draws_make_it_so_narrow():
    random = np.random.default_rng(1)
    gain, top = half_relevant(random, 200)
    order = order_of(gain, top, random)
    first = order.gain[:50]

    draws = order.draws_for(0.04, first)

    assert half_width(order, draws) == pytest.approx(0.04, rel=0.15)
    assert order.expected_width(draws - 1, first) > 0.04 >= order.expected_width(draws, first)


@pytest.mark.thorough
@pytest.mark.parametrize("before", [0.0, 0.5])
@pytest.mark.parametrize(
    ("queries", "draws"), [(50, 30), (50, 100), (50, 200), (500, 30), (500, 300), (500, 2000)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_it_holds_in_many_cases(kind, queries, draws, before):
    share, errors = coverage_of(kind, queries, draws, 2000, before)

    assert share >= 0.935
    assert is_unbiased(errors)


@pytest.mark.thorough
@pytest.mark.parametrize("draws", [30, 100, 300, 1000])
def test_it_holds_for_many_samples_of_real_runs(draws):
    assert esci_share(draws, 4000) >= 0.94


@pytest.mark.thorough
@pytest.mark.parametrize("width", [0.02, 0.04, 0.08])
@pytest.mark.parametrize("kind", KINDS)
def test_to_stop_once_it_is_narrow_enough_holds_in_many_cases(kind, width):
    assert until_narrow(kind, width, 1000) >= 0.93
