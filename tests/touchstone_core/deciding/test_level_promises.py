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
from touchstone_core.deciding.level import FEWEST_DRAWN, Draw
from touchstone_core.metrics.discount import discounts

pytestmark = pytest.mark.sampled

PROMISED = 0.95


def drawn_from(gain, top, random, before=0.0):
    """All documents of pages (Q, N), NaN where there is none, in an order of chance; this share of them was judged before."""
    weight = np.broadcast_to(discounts("log2", gain.shape[1]), gain.shape)
    shown = ~np.isnan(gain)
    weight = weight[shown] / (top * discounts("log2", gain.shape[1]).sum() * len(gain))
    known = random.random(len(weight)) < before
    return Draw.of(weight, 1 - random.random(len(weight)), known, gain[shown], top)


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


def truth_of(draw):
    return float(draw.weight @ draw.gain)


def holds(draw, drawn):
    level = draw.level(drawn)
    return level.low <= truth_of(draw) <= level.high


def held(kind, queries, drawn, cases, before=0.0):
    """In what share of the cases the interval holds the truth, and by how much the estimate is off on average."""
    found, errors = [], []
    for case in range(cases):
        random = np.random.default_rng(case)
        gain, top = kind(random, queries)
        draw = drawn_from(gain, top, random, before)
        level, truth = draw.level(drawn), truth_of(draw)
        found.append(level.low <= truth <= level.high)
        errors.append(level.expected - truth)
    return fmean(found), errors


def least(cases, share=PROMISED):
    """What so many cases still show with luck: three standard errors below."""
    return share - 3 * sqrt(share * (1 - share) / cases)


def is_unbiased(errors):
    return abs(fmean(errors)) <= 3 * np.std(errors, ddof=1) / sqrt(len(errors))


@pytest.mark.parametrize("drawn", [FEWEST_DRAWN, 200])
@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_holds_and_the_estimate_is_not_off(kind, drawn):
    share, errors = held(kind, 50, drawn, 300)

    assert share >= least(300)
    assert is_unbiased(errors)


def test_it_holds_beside_documents_that_were_judged_before():
    share, errors = held(exponential, 50, 60, 300, before=0.6)

    assert share >= least(300)
    assert is_unbiased(errors)


def esci_pages():
    judgments = read_qrels(shared_data("esci_opensearch") / "qrels.esci_us_150.txt")
    runs = [read_run(shared_data("esci_runs") / f"{name}.trec") for name in ESCI_RUNS]
    _, gain = known_pages(runs, judgments, lambda grade: 2.0**grade - 1)
    return gain


def esci_share(drawn, cases):
    gain = esci_pages()
    return fmean(
        holds(drawn_from(gain[case % len(gain)], 7.0, np.random.default_rng(case)), drawn)
        for case in range(cases)
    )


def test_it_holds_for_real_runs():
    assert esci_share(100, 400) >= least(400)


def test_real_runs_take_fewer_judgments_than_whole_pages_of_queries():
    """The square of an error falls with the number of judgments, so that it says how many times as many they take."""
    gain, top, drawn, cases = esci_pages(), 7.0, 200, 400
    weight = discounts("log2", RANKS) / (top * discounts("log2", RANKS).sum())
    of_documents, of_pages = [], []
    for case in range(cases):
        random, pages = np.random.default_rng(case), gain[case % len(gain)]
        draw = drawn_from(pages, top, random)
        of_documents.append(draw.level(drawn).expected - truth_of(draw))
        values, shown = np.nansum(pages * weight, axis=1), (~np.isnan(pages)).sum(axis=1).mean()
        some = random.choice(len(values), round(drawn / shown), replace=False)
        of_pages.append(values[some].mean() - values.mean())
    assert np.mean(np.square(of_pages)) > 2 * np.mean(np.square(of_documents))


def half_width(draw, drawn):
    level = draw.level(drawn)
    return (level.high - level.low) / 2


def until_narrow(kind, width, cases):
    """Draws on by fifty until the interval is as narrow as wanted, which looks at it after each batch."""
    found = []
    for case in range(cases):
        random = np.random.default_rng(case)
        gain, top = kind(random, 100)
        draw, drawn = drawn_from(gain, top, random), 50
        while half_width(draw, drawn) > width:
            drawn += 50
        found.append(holds(draw, drawn))
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
        draw = drawn_from(gain, top, random)
        ratios.append(draw.expected_width(250, draw.gain[:50]) / half_width(draw, 250))
    assert 0.75 <= fmean(ratios) <= 1.5


def test_so_many_draws_make_it_so_narrow():
    random = np.random.default_rng(1)
    gain, top = half_relevant(random, 200)
    draw = drawn_from(gain, top, random)
    first = draw.gain[:50]

    drawn = draw.draws_for(0.04, first)

    assert half_width(draw, drawn) == pytest.approx(0.04, rel=0.15)
    assert draw.expected_width(drawn - 1, first) > 0.04 >= draw.expected_width(drawn, first)


@pytest.mark.thorough
@pytest.mark.parametrize("before", [0.0, 0.5])
@pytest.mark.parametrize(
    ("queries", "drawn"), [(50, 30), (50, 100), (50, 200), (500, 30), (500, 300), (500, 2000)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_it_holds_in_many_cases(kind, queries, drawn, before):
    share, errors = held(kind, queries, drawn, 2000, before)

    assert share >= 0.935
    assert is_unbiased(errors)


@pytest.mark.thorough
@pytest.mark.parametrize("drawn", [30, 100, 300, 1000])
def test_it_holds_for_many_samples_of_real_runs(drawn):
    assert esci_share(drawn, 4000) >= 0.94


@pytest.mark.thorough
@pytest.mark.parametrize("width", [0.02, 0.04, 0.08])
@pytest.mark.parametrize("kind", KINDS)
def test_to_stop_once_it_is_narrow_enough_holds_in_many_cases(kind, width):
    assert until_narrow(kind, width, 1000) >= 0.93
