"""Intervals against published tables, charts against published examples, flags against simulated raters."""

import numpy as np
import pytest
from scipy.special import xlogy
from scipy.stats import chi2_contingency, norm
from scipy.stats import t as student

from touchstone_core.grades import accuracy

pytestmark = pytest.mark.sampled


@pytest.mark.parametrize(
    ("hits", "answers", "low", "high"),
    [  # Newcombe 1998, Statistics in Medicine 17:857-872, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_of_a_share_is_wilsons(hits, answers, low, high):
    found = accuracy.wilson(hits, answers)

    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize(
    ("answers", "low", "high"),
    [(5, 0.38, 0.96), (10, 0.49, 0.94), (20, 0.58, 0.92), (30, 0.63, 0.90), (50, 0.67, 0.89)],
)
def test_eighty_percent_right_of_a_few_may_be_much_or_little(answers, low, high):
    found = accuracy.wilson(round(0.8 * answers), answers)

    assert (round(found.low, 2), round(found.high, 2)) == (low, high)


def test_without_answers_anything_is_possible():
    assert accuracy.wilson(0, 0) == accuracy.Interval(0.0, 1.0)
    assert accuracy.wilson(7, 7).high == 1.0


def test_the_moving_average_is_that_of_the_textbook():
    """Montgomery, Introduction to Statistical Quality Control, table 9.10: mean 10, weight 0.1."""
    values = np.array([9.45, 7.99, 9.29, 11.66, 12.16, 10.18, 8.04, 11.46]) - 10

    averages = 10 + np.array(accuracy.moving_averages(values.tolist()))

    expected = [9.945, 9.7495, 9.70355, 9.8992, 10.1253, 10.1307, 9.9217, 10.0755]
    assert np.allclose(averages, expected, atol=5e-5)


def simulated(share, answers, seed=7):
    return (np.random.default_rng(seed).random(answers) < share).tolist()


@pytest.mark.parametrize(("share", "mean"), [(0.95, 11), (0.85, 19), (0.60, 16)])
def test_practice_is_decided_after_some_eleven_to_nineteen_answers(share, mean):
    """The lengths of research/science.md, 7.4."""
    outcomes = simulated(share, 60_000)
    lengths, wrong, start = [], 0, 0
    while start < 50_000:
        length = next(n for n in range(1, 500) if accuracy.verdict(outcomes[start : start + n]) != "open")
        wrong += accuracy.verdict(outcomes[start : start + length]) != ("bad" if share < 0.7 else "good")
        lengths.append(length)
        start += length

    assert np.mean(lengths) == pytest.approx(mean, abs=1.5)
    assert wrong / len(lengths) <= 0.06


def test_practice_stays_open_while_neither_is_sure():
    assert accuracy.verdict([]) == "open"
    assert accuracy.verdict([True] * 8) == "open"
    assert accuracy.verdict([True] * 9 + [False] * 20) == "good"
    assert accuracy.verdict([False] * 4) == "bad"


@pytest.mark.parametrize("alike", [0.0, 0.4])
def test_the_chance_of_a_decline_is_that_of_rao_and_scott(alike):
    """The likelihood ratio of scipy's contingency table, divided by the design effect: the variance of sums by query over the
    binomial one (Rao & Scott 1987)."""
    query = np.repeat(np.arange(40), 4)
    right = of_queries(np.random.default_rng(3), np.repeat([0.9, 0.5], 80), query, alike, 1)[0].astype(float)
    tables = [(right[:80].sum(), 80 - right[:80].sum()), (right[80:].sum(), 80 - right[80:].sum())]
    statistic = chi2_contingency(tables, correction=False, lambda_="log-likelihood").statistic
    binomial = sum(one * other / 80 for one, other in tables)
    errors = right - np.repeat(np.array(tables)[:, 0] / 80, 80)
    sums = [errors[query == one].sum() for one in range(40)]
    effect = np.sum(np.square(sums)) / binomial * 40 / 38

    chance = accuracy.chance_of_decline(right, query, 80)

    assert chance == pytest.approx(student.sf(np.sqrt(statistic / max(1, effect)), 38))
    assert effect > (2 if alike else 1)
    assert accuracy.chance_of_decline(right[::-1].copy(), query, 80) == 1.0


def test_a_decline_from_always_to_never_right_is_no_chance():
    right, query = np.repeat([1.0, 0.0], 30), np.arange(60)

    assert accuracy.chance_of_decline(right, query, 30) < 1e-9
    assert accuracy.chance_of_decline(np.ones(60), query, 30) == 1.0


def of_queries(rng, shares, queries, alike, count):
    """Known answers of `count` raters, (count, N): each right with the chance of `shares` (N,), alike within a query.

    `alike` is the correlation of two answers to one query: a query has a share of its own, from a beta distribution.
    """
    if not alike:
        return rng.random((count, len(shares))) < shares
    first = np.r_[0, np.flatnonzero(np.diff(queries)) + 1]
    both = np.outer([1, -1], shares[first]) + np.array([[0], [1]])
    own = rng.beta(*(both * (1 / alike - 1))[:, None, :], size=(count, len(first)))
    return rng.random((count, len(shares))) < own[:, queries]


def flagged(outcomes, queries=None):
    """Which of these raters (R, N) are flagged after any of their answers. Each answers the same `queries`, one after the other."""
    count, answers = outcomes.shape
    queries = np.arange(answers) if queries is None else queries
    found = np.zeros(count, dtype=bool)
    for end in range(60, answers + 1):
        start = end - 40
        while start > 0 and effective(queries[start:end]) < 15:
            start -= 1
        if start < 20 or effective(queries[:start]) < 15:
            continue
        likely = np.flatnonzero(chances(outcomes[:, :end], start, None) <= accuracy.CHANCE)
        found[likely] |= chances(outcomes[likely, :end], start, queries[:end]) <= accuracy.CHANCE
    return found


def effective(queries):
    shares = np.unique(queries, return_counts=True)[1] / len(queries)
    return 1 / np.square(shares).sum()


def chances(right, start, queries):
    """Of each rater (R, N), the chance of such a decline from `start` on; without `queries` as if all answers were independent."""
    counts = np.array([start, right.shape[1] - start])
    hits = np.stack([right[:, :start].sum(1), right[:, start:].sum(1)], axis=1)
    expected = counts * hits.sum(1, keepdims=True) / counts.sum()
    apart = xlogy(hits, hits / np.maximum(expected, 1e-12))
    apart += xlogy(counts - hits, (counts - hits) / np.maximum(counts - expected, 1e-12))
    shares = hits / counts
    distance = np.where(shares[:, 1] < shares[:, 0], np.sqrt(np.maximum(2 * apart.sum(1), 0)), 0)
    if queries is None:
        return norm.sf(distance)
    begins = np.unique(np.r_[0, np.flatnonzero(np.diff(queries)) + 1, start])
    errors = right - np.repeat(shares, counts, axis=1)
    squares = np.square(np.add.reduceat(errors, begins, axis=1)).sum(1)
    effect = squares / np.maximum((counts * shares * (1 - shares)).sum(1), 1e-12)
    effect *= len(begins) / (len(begins) - 2)
    return student.sf(distance / np.sqrt(np.maximum(effect, 1)), len(begins) - 2)


def raters(shares, count, seed=3):
    """Known answers of `count` raters, (count, N): each right with the chance of `shares` (N,)."""
    return np.random.default_rng(seed).random((count, len(shares))) < shares


def has_declined(outcomes, queries=None, others=None):
    queries = range(len(outcomes)) if queries is None else queries
    return accuracy.has_declined(outcomes, list(queries), others or [None] * len(outcomes))


@pytest.mark.parametrize("each", [1, 3, 10])
def test_a_decline_is_looked_for_after_every_answer(each):
    """By another implementation, which knows that the queries come one after the other."""
    queries = np.arange(300) // each
    shares = np.r_[np.full(180, 0.9), np.full(120, 0.65)]
    answers = of_queries(np.random.default_rng(3), shares, queries, 0.1 * (each > 1), 30)

    ends = range(66, 301, 39)
    found = [any(has_declined(own[:end], queries[:end].tolist()) for end in ends) for own in answers.tolist()]

    assert found == flagged(answers, queries).tolist()
    assert any(found)
    assert not all(found)


@pytest.mark.parametrize("share", [0.8, 0.9, 0.95])
def test_raters_who_stay_as_they_are_are_seldom_said_to_decline(share):
    """Looked at after each of 1,000 known answers: 2.5 % at most over a rater's life, half of what both flags may take."""
    assert flagged(raters(np.full(1_000, share), 400)).mean() <= 0.04


LIKE = {
    "pairs": [2],
    "fives": [5],
    "tens": [10],
    "one to eight": range(1, 9),
    "one in ten has twenty": [20, *[1] * 9],
}
"""Gold pairs of a query that come one after the other, as where a file of judgments was imported as gold."""


def alarms_of_clusters(name, share, alike, count, *, answers=1_000, seed=11):
    rng = np.random.default_rng(seed)
    sizes = rng.choice(LIKE[name], size=answers)
    queries = np.repeat(np.arange(answers), sizes)[:answers]
    return flagged(of_queries(rng, np.full(answers, share), queries, alike, count), queries).mean()


@pytest.mark.parametrize("name", ["fives", "tens"])
def test_hard_queries_are_no_decline(name):
    """Without the design effect, 24 and 57 % of these raters were flagged."""
    assert alarms_of_clusters(name, 0.85, 0.17, 200, answers=600) <= 0.05


@pytest.mark.thorough
@pytest.mark.parametrize("alike", [0.1, 0.25])
@pytest.mark.parametrize("share", [0.6, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("name", LIKE)
def test_the_promise_holds_where_answers_to_a_query_are_alike(name, share, alike):
    assert alarms_of_clusters(name, share, alike, 1_500) <= 0.033  # 2.5 % and two standard errors


def test_harder_gold_pairs_are_no_decline():
    """The later half of the gold pairs is harder for everybody."""
    rng = np.random.default_rng(5)
    answers = rng.random((120, 300)) < np.repeat([0.92, 0.7], [250, 50])

    def flags(answers, count):
        return [
            has_declined(own.tolist(), others=((answers[:count].sum(0) - own) / (count - 1)).tolist())
            for own in answers[:count]
        ]

    assert np.mean([has_declined(own) for own in answers.tolist()]) > 0.2
    assert np.mean(flags(answers, 120)) <= 0.03
    assert np.mean([flags(answers[at:], 3) for at in range(0, 120, 3)]) <= 0.05  # beside two others
    answers[0, 250:] = False
    assert flags(answers, 3)[0]


DECLINES = {
    (100, 0.9, 0.6): 0.81,
    (100, 0.95, 0.75): 0.56,
    (100, 0.9, 0.7): 0.38,
    (300, 0.9, 0.6): 0.98,
    (300, 0.95, 0.75): 0.86,
    (300, 0.9, 0.7): 0.70,
}
"""Of those who decline after so many known answers, from one accuracy to another: how many are found within a hundred."""


def power_of(case, count):
    start, before, after = case
    return flagged(raters(np.r_[np.full(start, before), np.full(100, after)], count)).mean()


@pytest.mark.parametrize("case", DECLINES)
def test_a_real_decline_is_found(case):
    assert power_of(case, 300) >= DECLINES[case] - 0.06


@pytest.mark.thorough
@pytest.mark.parametrize("case", DECLINES)
def test_a_decline_is_found_as_often_as_the_docs_say(case):
    assert power_of(case, 4_000) == pytest.approx(DECLINES[case], abs=0.02)


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.6, 0.8, 0.85, 0.9, 0.95, 0.98])
def test_the_promise_holds_at_any_accuracy(share):
    assert flagged(raters(np.full(1_000, share), 10_000, seed=11)).mean() <= 0.025


def test_a_decline_is_of_late():
    good, bad = [True] * 100, [False] * 20
    assert not has_declined([])
    assert not has_declined([True] * 39 + [False] * 20)  # too few before
    assert has_declined(good + bad)
    assert has_declined(good + bad + [True] * 39)
    assert not has_declined(good + bad + [True] * 80)  # better again
    assert not has_declined(([True] * 4 + [False]) * 50)
    assert not has_declined(good + bad, queries=[place // 12 for place in range(120)])  # of too few queries


def test_speed_counts_only_where_the_answers_differ_as_well():
    typical, fast = list(range(1, 101)), [1.0] * 20

    assert accuracy.is_hasty(fast, typical, differs=True)
    assert not accuracy.is_hasty(fast, typical, differs=False)
    assert not accuracy.is_hasty(fast[:19], typical, differs=True)
    assert not accuracy.is_hasty(fast, [], differs=True)
    assert not accuracy.is_hasty([50.0] * 20, typical, differs=True)
