"""How long a list will still take: the interval against simulated raters, and who counts."""

from datetime import timedelta

import numpy as np
import pytest

from judgments.agreement.actions.adjudication import exclude_rater
from judgments.judging.actions.judging import Timing
from judgments.models import AssignmentMode, JudgmentList, Membership, Pair, Rater
from judgments.overview.reports import forecast as reports
from judgments.raters.actions.assignments import assign
from tests import factories as make
from tests.judgments.judging.actions.scene import NOW, Scene


def lognormal(rng, middle, spread, alike, count):
    """Times in queries of ten, and the queries. Logarithms in one query correlate by `alike`."""
    queries = np.arange(count) // 10
    own = rng.normal(0, np.sqrt(alike), count // 10 + 1)[queries] + rng.normal(0, np.sqrt(1 - alike), count)
    return np.exp(middle + spread * own), queries


def coverage(rng, count, raters, spread, *, even, alike=0.0):
    """How often the interval holds the mean of the times that follow: lognormal, with raters of their own medians."""
    held = 0
    for _ in range(count):
        middles, spreads = rng.normal(3, 0.4, raters), spread * np.exp(rng.normal(0, 0.1, raters))
        timed = rng.integers(20 if raters == 1 else 10, 101, raters)
        known = [
            lognormal(rng, *each, alike, number)
            for *each, number in zip(middles, spreads, timed, strict=True)
        ]
        missing = int(np.exp(rng.uniform(np.log(20), np.log(5_000))))
        shares = np.full(raters, 1 / raters) if even else rng.dirichlet(np.full(raters, 3.0))
        given = rng.multinomial(missing, shares)
        further = [
            lognormal(rng, *each, alike, number)[0].sum()
            for *each, number in zip(middles, spreads, given, strict=True)
        ]
        low, _, high = reports.mean_time(*zip(*known, strict=True), missing)
        held += low <= sum(further) / missing <= high
    return held / count


@pytest.mark.parametrize("raters", [1, 3, 12])
def test_the_interval_holds_the_truth_in_nine_of_ten(raters):
    assert coverage(np.random.default_rng(1), 400, raters, 0.8, even=False) >= 0.9


def test_the_interval_holds_where_times_of_a_query_are_alike():
    """Taken for independent, they gave an interval that held 72 %."""
    assert coverage(np.random.default_rng(1), 600, 1, 0.8, even=False, alike=0.25) >= 0.88


@pytest.mark.thorough
@pytest.mark.parametrize("raters", [1, 2, 3, 5, 12])
@pytest.mark.parametrize("spread", [0.5, 0.8, 1.1])
@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize("alike", [0.0, 0.1, 0.25])
def test_the_interval_holds_in_every_case(raters, spread, even, alike):
    assert coverage(np.random.default_rng(2), 4_000, raters, spread, even=even, alike=alike) >= 0.9


def test_of_equal_times_the_mean_is_that_time():
    times, queries = [[7_000.0] * 30, [7_000.0] * 5], [[1] * 30, [1, 2, 3, 4, 5]]

    assert reports.mean_time(times, queries, 100) == pytest.approx((7_000.0,) * 3)


def forecast(scene, at=NOW):
    return reports.forecast(scene.list, at=at)


@pytest.mark.django_db
def test_without_own_times_the_forecast_takes_those_of_experts():
    """Quartiles 14, 25 and 43 s: lognormal, the mean is exp(s²/2) times the median with s = ln(43 / 14) / 1.349."""
    estimate = forecast(Scene(queries=1, documents=36, overlap=2))

    expected = np.array([14, 25, 43]) * np.exp((np.log(43 / 14) / 1.349) ** 2 / 2)
    assert (estimate.missing, estimate.eligible_raters, estimate.own_times) == (72, 0, False)
    assert estimate.seconds == pytest.approx(expected, rel=0.02)
    assert estimate.hours_each == estimate.hours


@pytest.mark.django_db
def test_own_times_are_taken_from_twenty_on():
    scene = Scene(queries=1, documents=30, overlap=1)
    rater = scene.rater()
    for pair in Pair.objects.values_list("pk", flat=True)[:20]:
        scene.judge(rater, pair, timing=Timing(active_ms=10_000))

    estimate = forecast(scene)

    assert estimate.seconds == pytest.approx((10.0, 10.0, 10.0))
    assert (estimate.own_times, estimate.eligible_raters) == (True, 1)


@pytest.fixture
def halfway(db):
    """Ann has judged both pairs, Bob one of them; one judgment of each is wanted of a third."""
    scene = Scene(queries=1, documents=2, overlap=3)
    first, second = Pair.objects.values_list("pk", flat=True)
    scene.ann, scene.bob = scene.rater(), scene.rater()
    for user, pair in ((scene.ann, first), (scene.ann, second), (scene.bob, first)):
        scene.judge(user, pair)
    scene.second = second
    return scene


def test_only_raters_who_can_still_judge_these_pairs_count(halfway):
    assert (forecast(halfway).missing, forecast(halfway).eligible_raters) == (3, 1)

    halfway.judge(halfway.bob, halfway.second)

    assert (forecast(halfway).missing, forecast(halfway).eligible_raters) == (2, 0)


def test_raters_of_last_week_do_not_count(halfway):
    assert forecast(halfway, at=NOW + timedelta(days=8)).eligible_raters == 0


@pytest.mark.parametrize("gone", ["removed", "disabled", "left out", "not named", "quota"])
def test_who_may_not_judge_does_not_count(halfway, gone):
    bob = halfway.bob
    if gone == "removed":
        Membership.objects.filter(user=bob).delete()
    elif gone == "disabled":
        bob.is_active = False
        bob.save()
    elif gone == "left out":
        admin = make.make_member(halfway.query_set, "admin")
        exclude_rater(judgment_list=halfway.list, rater=Rater.objects.get(user=bob), user=admin, at=NOW)
    else:
        JudgmentList.objects.update(assignment=AssignmentMode.NAMED)
        assign(judgment_list=halfway.list, user=halfway.ann)
        if gone == "quota":
            assign(judgment_list=halfway.list, user=bob, quota=1)

    able = forecast(halfway).eligible_raters

    assert able == 0


def test_a_quota_that_is_not_used_up_counts(halfway):
    JudgmentList.objects.update(assignment=AssignmentMode.NAMED)
    assign(judgment_list=halfway.list, user=halfway.bob, quota=2)

    assert forecast(halfway).eligible_raters == 1
