"""The expected value of a run outside the pool, against plain Python and against what was published of real runs."""

from itertools import combinations
from math import log2, sqrt

import numpy as np
import pytest
from scipy import stats

from tests.evaluation.real_files import ESCI_RUNS, read_qrels, read_run
from tests.shared_data import shared_data
from touchstone_core.bounds.estimates import Pool, PooledPages, estimate, estimate_difference, pool_audit
from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.errors import MetricsError

TOP = 3.0
# Three runs, two queries, two ranks; letters are documents, and grades are gains.
PAGES = [[["a", "b"], ["p", "q"]], [["a", "c"], ["q", "r"]], [["d", "a"], ["s", "p"]]]
GAINS = [{"a": 3, "b": 1, "c": 2, "d": 0}, {"p": 1, "q": 0, "r": 3, "s": 2}]


def pooled(pages, gains, ranks=2, top=TOP):
    """`pages` by run and query; a document without a gain is unjudged."""
    numbers = {}
    document = np.full((len(pages), len(gains), ranks), -1)
    gain = np.full(document.shape, np.nan)
    for run, queries in enumerate(pages):
        for query, page in enumerate(queries):
            for rank, name in enumerate(page[:ranks]):
                document[run, query, rank] = numbers.setdefault((query, name), len(numbers))
                gain[run, query, rank] = gains[query].get(name, np.nan)
    return PooledPages(document, gain, discounts("log2", ranks), top)


def found_alone(pages, gains):
    """Rank and gain of each judged document that one run only shows, by definition."""
    return [
        (rank, gains[query][name])
        for run, queries in enumerate(pages)
        for query, page in enumerate(queries)
        for rank, name in enumerate(page)
        if name in gains[query]
        and not any(name in other[query] for nth, other in enumerate(pages) if nth != run)
    ]


def plain_prior(pages, gains, ranks=2):
    alone = found_alone(pages, gains)
    overall = sum(gain for _, gain in alone) / len(alone)
    spread = sum((gain - overall) ** 2 for _, gain in alone) / len(alone)
    means, variances = [], []
    for rank in range(ranks):
        here = [gain for at, gain in alone if at == rank]
        mean = (sum(here) + 10 * overall) / (len(here) + 10)
        means.append(mean)
        variances.append((sum((gain - mean) ** 2 for gain in here) + 10 * spread) / (len(here) + 10))
    return means, variances


def plain_prediction(page, prior, ranks=2):
    """Mean NDCG-max and unjudged share of a run of (gain or None) by query."""
    weight = [1 / log2(rank + 2) for rank in range(ranks)]
    values, shares = [], []
    for query in page:
        filled = [prior[rank] if gain is None else gain for rank, gain in enumerate(query)]
        values.append(sum(map(float.__mul__, map(float, filled), weight)) / (TOP * sum(weight)))
        shares.append(sum(w for w, gain in zip(weight, query, strict=True) if gain is None) / sum(weight))
    return sum(values) / len(values), sum(shares) / len(shares)


def test_the_prior_is_of_documents_that_one_run_found_alone():
    prior = Pool(pooled(PAGES, GAINS)).prior

    means, variances = plain_prior(PAGES, GAINS)
    assert prior.documents == len(found_alone(PAGES, GAINS)) == 5
    assert prior.mean == pytest.approx(means)
    assert prior.variance == pytest.approx(variances)


def test_the_band_adds_the_spread_of_grades_and_of_runs():
    gain = np.array([[3.0, 0.0], [0.0, 2.0]])
    unjudged = np.array([[False, True], [True, False]])
    own = np.zeros((2, 2), dtype=bool)

    found = estimate(gain, unjudged, Pool(pooled(PAGES, GAINS)), own=own)

    means, variances = plain_prior(PAGES, GAINS)
    value, share = plain_prediction([[3, None], [None, 2]], means)
    weight = [1, 1 / log2(3)]
    spread = sqrt(weight[1] ** 2 * variances[1] + weight[0] ** 2 * variances[0]) / (2 * TOP * sum(weight))
    misses = []
    for run, queries in enumerate(PAGES):
        others = [other for nth, other in enumerate(PAGES) if nth != run]
        known = [
            [GAINS[query][name] if any(name in other[query] for other in others) else None for name in page]
            for query, page in enumerate(queries)
        ]
        truth, _ = plain_prediction(
            [[GAINS[query][name] for name in page] for query, page in enumerate(queries)], [0, 0]
        )
        predicted, lacking = plain_prediction(known, plain_prior(others, GAINS)[0])
        misses.append(((truth - predicted) / lacking) ** 2)
    between = share * sqrt(sum(misses) / 3) * stats.t.ppf(0.95, 3)
    width = sqrt((1.645 * spread) ** 2 + between**2)
    assert found.value == pytest.approx(value)
    assert found.zero == pytest.approx((3 + 2 * weight[1]) / (2 * TOP * sum(weight)))
    # Without any gain it is `zero`, and with the greatest gains all that is unjudged is added.
    assert found.low == pytest.approx(max(found.zero, value - width)) == found.zero
    assert found.high == pytest.approx(min(found.zero + share, value + width))


def test_a_run_unlike_the_pool_has_no_band_however_much_of_it_is_judged():
    """On average a pooled run brings 40 % of its weight alone; this one brings a half, of which a part is judged."""
    pool = Pool(pooled(PAGES, GAINS))
    own, unjudged = np.array([[True, True], [False, False]]), np.array([[False, True], [False, False]])

    like, unlike = (
        estimate(np.zeros((2, 2)), unjudged, pool),
        estimate(np.zeros((2, 2)), unjudged, pool, own=own),
    )
    whole = estimate(np.zeros((2, 2)), np.zeros((2, 2), dtype=bool), pool, own=own)

    assert (like.low is None, like.beyond) == (False, False)
    assert (unlike.low, unlike.high, unlike.beyond, unlike.value) == (None, None, True, like.value)
    assert (whole.low, whole.beyond) == (0, False)


def test_documents_of_ones_own_are_on_no_page_of_the_pool():
    """The same number is another document in another query, and an empty rank is none."""
    pool = Pool(pooled(PAGES, GAINS))
    first, second = pool.pages.document[0]

    own = pool.own(np.array([[first[0], second[0]], [second[1], -1]]))

    assert own.tolist() == [[False, True], [False, False]]


def test_a_run_that_is_judged_whole_has_no_band():
    found = estimate(
        np.array([[3.0, 0.0], [0.0, 2.0]]), np.zeros((2, 2), dtype=bool), Pool(pooled(PAGES, GAINS))
    )

    assert found.zero == found.value == found.low == found.high


def test_the_band_of_a_difference_adds_grades_runs_and_queries():
    """Against plain Python; the baseline is judged whole, and the candidate lacks a document in one query."""
    gain = np.array([[[3.0, 1.0], [1.0, 0.0]], [[3.0, 0.0], [3.0, 2.0]]])
    unjudged = np.array([[[False, False], [False, False]], [[False, True], [False, False]]])
    pool = Pool(pooled(PAGES, GAINS))

    found = estimate_difference(gain, unjudged, pool, level=0.9)

    means, variances = plain_prior(PAGES, GAINS)
    _, share = plain_prediction([[3, None], [3, 2]], means)
    weight = [1, 1 / log2(3)]
    ideal = TOP * sum(weight)
    each = [
        (3 + means[1] * weight[1] - 3 - weight[1]) / ideal,
        (3 + 2 * weight[1] - 1) / ideal,
    ]
    grades = sqrt(weight[1] ** 2 * variances[1]) / (2 * ideal)
    between = share * sqrt(sum(pool.misses) / len(pool.misses))
    queries = abs(each[0] - each[1]) / 2  # the standard error of two numbers
    width = sqrt(
        (1.6448536 * grades) ** 2
        + (stats.t.ppf(0.95, 3) * between) ** 2
        + (stats.t.ppf(0.95, 1) * queries) ** 2
    )
    assert found.value == pytest.approx(sum(each) / 2)
    assert (found.low, found.high) == pytest.approx(
        (max(-1, found.value - width), min(1, found.value + width))
    )


def test_a_difference_has_no_band_where_more_is_missing_than_a_pooled_run_brings_alone():
    """On average a pooled run brings 40 % of its weight alone; the candidate lacks a half."""
    pool = Pool(pooled(PAGES, GAINS))
    weight = [1, 1 / log2(3)]
    alone = [weight[rank] for rank, _ in found_alone(PAGES, GAINS)]
    nothing, half = np.zeros((2, 2), dtype=bool), np.array([[True, True], [False, False]])

    found = estimate_difference(np.zeros((2, 2, 2)), np.stack([nothing, half]), pool)

    assert pool.usual_alone == pytest.approx(sum(alone) / (6 * sum(weight)))
    assert pool.usual_alone < 0.5
    assert (found.low, found.high, found.beyond) == (None, None, True)
    assert found.value > 0


def test_a_difference_has_no_band_where_nothing_tells_how_runs_or_queries_differ():
    gain, unjudged = np.zeros((2, 2, 2)), np.ones((2, 2, 2), dtype=bool)
    own = ~unjudged  # all are on pages of the pool

    of_two_runs = estimate_difference(gain, unjudged, Pool(pooled(PAGES[:2], GAINS)), own=own)
    of_one_query = estimate_difference(
        gain[:, :1], unjudged[:, :1], Pool(pooled(PAGES, GAINS)), own=own[:, :1]
    )

    for found in (of_two_runs, of_one_query):
        assert (found.low, found.high, found.beyond) == (None, None, False)


def test_two_pooled_runs_give_a_value_without_a_band():
    unjudged = np.ones((2, 2), dtype=bool)

    found = estimate(np.zeros((2, 2)), unjudged, Pool(pooled(PAGES[:2], GAINS)), own=~unjudged)

    assert found.value > found.zero == 0
    assert (found.low, found.high, found.beyond) == (None, None, False)


def test_runs_that_found_nothing_alone_give_no_band():
    """The first two are alike, so that without the third nothing is alone."""
    pool = Pool(pooled([PAGES[0], PAGES[0], PAGES[1]], GAINS))

    unjudged = np.ones((2, 2), dtype=bool)

    found = estimate(np.zeros((2, 2)), unjudged, pool, own=~unjudged)

    assert (pool.misses, found.low, found.beyond) == ([], None, False)


def test_an_empty_rank_is_no_document_of_another_query():
    document = np.array([[[0, 1], [0, -1]], [[0, -1], [0, -1]]])
    gain = np.where(document >= 0, 1.0, np.nan)

    found = pool_audit(PooledPages(document, gain, discounts("log2", 2), TOP))

    assert found.only.tolist() == [1, 0]


def test_one_pooled_run_is_too_few():
    with pytest.raises(MetricsError, match="at least two runs"):
        Pool(pooled(PAGES[:1], GAINS))


def test_a_pool_in_which_all_runs_found_the_same_tells_nothing():
    with pytest.raises(MetricsError, match="found by one run only"):
        Pool(pooled([PAGES[0], PAGES[0]], GAINS))


def test_the_audit_takes_from_each_run_what_only_it_brought():
    audit = pool_audit(pooled(PAGES, GAINS))

    weight = [1, 1 / log2(3)]
    ideal = 2 * TOP * sum(weight)
    # b alone at rank 2; c and r at rank 2; d and s at rank 1.
    assert audit.only.tolist() == [1, 2, 2]
    assert audit.loss == pytest.approx([1 * weight[1] / ideal, (2 + 3) * weight[1] / ideal, (0 + 2) / ideal])
    assert audit.mean == pytest.approx(audit.loss.mean())


def test_real_runs_outside_the_pool_are_predicted_where_zero_under_rates_them():
    """ESCI, four pooled runs of eight: zero-fill is .07 too low, the estimate within a few thousandths."""
    runs, gains = esci_pages()
    queries = len(gains)
    bias_of_zero, misses, inside = [], [], []
    for pool in list(combinations(range(len(runs)), 4))[::3]:
        base = pooled([runs[run] for run in pool], gains, ranks=10, top=7.0)
        told = Pool(base)
        known = [{name for run in pool for name in runs[run][query]} for query in range(queries)]
        for outsider in set(range(len(runs))) - set(pool):
            pages = [[gains[query][name] for name in runs[outsider][query]] for query in range(queries)]
            gain, unjudged = np.zeros((queries, 10)), np.zeros((queries, 10), dtype=bool)
            for query, page in enumerate(pages):
                for rank, worth in enumerate(page):
                    judged = runs[outsider][query][rank] in known[query]
                    gain[query, rank], unjudged[query, rank] = (worth, False) if judged else (0, True)
            truth = sum(sum(worth / log2(rank + 2) for rank, worth in enumerate(page)) for page in pages) / (
                queries * base.top * base.discount.sum()
            )
            found = estimate(gain, unjudged, told)
            bias_of_zero.append(found.zero - truth)
            misses.append(found.value - truth)
            if not found.beyond:
                inside.append(found.low <= truth <= found.high)

    assert np.mean(bias_of_zero) == pytest.approx(-0.07, abs=0.03)
    assert abs(np.mean(misses)) < 0.01
    assert np.mean(np.abs(misses)) < np.mean(np.abs(bias_of_zero)) / 3
    assert np.mean(inside) >= 0.9


def esci_pages():
    """The first ten judged documents of each query and run, and the gains 2^grade − 1 by query."""
    judgments = read_qrels(shared_data("esci_opensearch") / "qrels.esci_us_150.txt")
    gains = [{name: 2**grade - 1 for name, grade in found.items()} for found in judgments.values()]
    runs = []
    for name in ESCI_RUNS:
        rankings = read_run(shared_data("esci_runs") / f"{name}.trec")
        runs.append(
            [
                [one for one in rankings.get(query, []) if one in judged][:10]
                for query, judged in judgments.items()
            ]
        )
    return runs, gains
