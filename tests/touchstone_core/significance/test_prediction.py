"""A machine's help for the mean of people: the published formula, what it promises, and where it says nothing."""

from math import sqrt
from statistics import correlation, covariance, fmean, variance

import numpy as np
import pytest
from scipy.stats import t

from touchstone_core.metrics.discount import discounts
from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.prediction import prediction_powered_mean

RANKS, TOP = 10, 3
WEIGHTS = discounts("log2", RANKS)
IDEAL = TOP * WEIGHTS.sum()
JUDGES = {"good": 0.9, "fair": 0.75, "favors the new run": 0.75, "poor": 0.25}
"""How often a machine gives the right grade. Otherwise it draws one, and all but the first and last are lenient."""


def powered_mean(people, machine, others, *, unchanged=0, left_out=0):
    """Of queries that all changed, but for some `unchanged` ones; of `left_out` ones the machine graded nothing."""
    changed = len(people) + len(others) + left_out
    return prediction_powered_mean(
        people, machine, others, changed=changed, queries=changed + unchanged, span=1.0
    )


def machine_grades(random, judge, grades, *, is_new):
    drawn = random.integers(0, TOP + 1, size=grades.shape)
    given = np.where(random.random(grades.shape) < JUDGES[judge], grades, drawn)
    lenient = {"fair": 0.2, "favors the new run": 0.6 if is_new else 0.2}.get(judge, 0.0)
    return np.minimum(TOP, given + (random.random(grades.shape) < lenient))


def differences(random, queries, judge):
    """NDCG-max of a new run minus that of an old one by people and by a machine. The runs share the first ranks of each query."""
    ease = random.beta(1.2, 2.2, size=(queries, 1))

    def page(gap):
        chance = np.clip(ease + gap + random.normal(0, 0.12, size=(queries, 1)), 0.02, 0.95)
        return random.binomial(TOP, np.broadcast_to(chance, (queries, RANKS)))

    shared = np.arange(RANKS) < random.integers(1, RANKS, size=(queries, 1))
    old, new = page(0.0), page(0.05)
    by_machine = (
        machine_grades(random, judge, old, is_new=False),
        machine_grades(random, judge, new, is_new=True),
    )
    people, machine = (
        np.where(shared, 0, second - first) @ WEIGHTS / IDEAL for first, second in ((old, new), by_machine)
    )
    return people, machine


@pytest.fixture(scope="module")
def truths():
    """The mean over very many queries. It's the same for each judge."""
    return differences(np.random.default_rng(9), 100_000, "good")[0].mean()


def test_the_estimate_is_that_of_the_papers():
    """PPI++: θ = λ·mean_N(f) + mean_n(Y − λf), λ = cov / ((1 + n/N)·var(f)), with Student's t for the 1.96 of large samples."""
    people, machine = (values.tolist() for values in differences(np.random.default_rng(1), 40, "fair"))
    others = differences(np.random.default_rng(2), 160, "fair")[1].tolist()

    found = powered_mean(np.array(people), np.array(machine), np.array(others))

    spread = variance(machine + others)
    weight = covariance(people, machine) / ((1 + 40 / 160) * spread)
    rest = [one - weight * two for one, two in zip(people, machine, strict=True)]
    mean = weight * fmean(others) + fmean(rest)
    reach = t.ppf(0.975, 39) * sqrt(weight**2 * spread / 160 + variance(rest) / 40)
    assert 0 < weight < 1
    assert (found.weight, found.correlation) == pytest.approx((weight, correlation(people, machine)))
    assert found.with_machine.mean == pytest.approx(mean)
    assert (found.with_machine.interval.low, found.with_machine.interval.high) == pytest.approx(
        (mean - reach, mean + reach)
    )
    assert found.people_alone.mean == pytest.approx(fmean(people))
    alone = t.ppf(0.975, 39) * sqrt(variance(people) / 40)
    assert found.people_alone.interval.high == pytest.approx(fmean(people) + alone)


def test_queries_that_did_not_change_bring_the_mean_down():
    """100 of 400 queries changed: their share is uncertain, too."""
    people, machine = differences(np.random.default_rng(1), 100, "fair")
    changed = powered_mean(people[:40], machine[:40], machine[40:])

    found = powered_mean(people[:40], machine[:40], machine[40:], unchanged=300)

    assert found.with_machine.mean == pytest.approx(changed.with_machine.mean / 4)
    share = t.ppf(0.975, 39) * changed.with_machine.mean * sqrt(0.25 * 0.75 / 400)
    reach = changed.with_machine.interval.high - changed.with_machine.mean
    assert found.with_machine.interval.high - found.with_machine.mean == pytest.approx(
        sqrt((reach / 4) ** 2 + share**2)
    )


def test_queries_without_grades_of_the_machine_count_as_changed():
    """Half of 400 queries changed, and the machine graded 100 of these."""
    people, machine = differences(np.random.default_rng(1), 100, "fair")
    changed = powered_mean(people[:40], machine[:40], machine[40:])

    found = powered_mean(people[:40], machine[:40], machine[40:], unchanged=200, left_out=100)

    assert found.with_machine.mean == pytest.approx(changed.with_machine.mean / 2)
    assert found.people_alone.mean == pytest.approx(changed.people_alone.mean / 2)


def test_a_machine_that_does_not_go_with_people_is_left_alone():
    people = differences(np.random.default_rng(1), 40, "good")[0]

    for machine in (-people, np.zeros(40), np.roll(people, 1)):
        found = powered_mean(people, machine, np.ones(100))
        assert (found.weight, found.with_machine) == (0, found.people_alone)


def test_without_further_queries_a_machine_is_no_help():
    people = differences(np.random.default_rng(1), 40, "good")[0]

    assert powered_mean(people, people, np.zeros(0)).weight == 0


def test_too_few_queries_are_refused():
    people = differences(np.random.default_rng(1), 40, "good")[0]

    with pytest.raises(SignificanceError, match=r"takes 30 queries .* So far: 29"):
        powered_mean(people[:29], people[:29], people)
    with pytest.raises(SignificanceError, match=r"takes 15 queries whose value differs .* So far: 14"):
        powered_mean(np.r_[np.full(14, 0.1), np.zeros(26)], people, people)


def shares_held(judge, people, others, rounds, truth):
    """In how many rounds the intervals hold the truth: with the machine, and by the machine alone; and how wide the first is beside that of people."""
    random, held, held_by_machine, width = np.random.default_rng(5), 0, 0, 0.0
    for _ in range(rounds):
        by_people, by_machine = differences(random, people + others, judge)
        found = powered_mean(by_people[:people], by_machine[:people], by_machine[people:])
        interval, alone = found.with_machine.interval, found.people_alone.interval
        held += interval.low <= truth <= interval.high
        width += (interval.high - interval.low) / (alone.high - alone.low)
        reach = 1.96 * by_machine.std(ddof=1) / sqrt(len(by_machine))
        held_by_machine += abs(by_machine.mean() - truth) <= reach
    return held / rounds, held_by_machine / rounds, width / rounds


@pytest.mark.parametrize(("judge", "width"), [("good", 0.6), ("favors the new run", 0.85), ("poor", 1.001)])
def test_the_interval_holds_whatever_the_machine_errs(truths, judge, width):
    """Of 400, fewer than 93 % would be three standard errors below 95 %."""
    held, by_machine, found = shares_held(judge, 50, 450, 400, truths)

    assert held >= 0.917
    assert found <= width
    if judge == "favors the new run":
        assert by_machine < 0.1


@pytest.mark.thorough
@pytest.mark.parametrize("judge", list(JUDGES))
@pytest.mark.parametrize(("people", "others"), [(30, 70), (30, 970), (50, 450), (100, 900)])
def test_the_promise_at_large(truths, judge, people, others):
    held, _, width = shares_held(judge, people, others, 4000, truths)

    assert held >= 0.93
    assert width <= 1.001
