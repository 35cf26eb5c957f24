"""What gold pairs and the others' grades say of raters, and how long a list will take."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments.models import Judgment, Pair, RaterQueue
from judgments.reports.accuracy import rater_accuracy
from judgments.reports.forecast import forecast
from tests import factories as make
from tests.judgments.actions.scene import NOW, Scene

pytestmark = pytest.mark.django_db


class Answers:
    """A list whose pairs raters have answered."""

    def __init__(self, pairs=60, **fields):
        self.scene = Scene(queries=1, documents=pairs, **fields)
        self.list = self.scene.list
        self.pairs = list(Pair.objects.order_by("pk"))

    def rater(self, values, *, times=(), at=NOW, **more):
        rater = make.make_rater(self.scene.query_set, self.scene.rater())
        RaterQueue.objects.create(judgment_list=self.list, rater=rater, seed=1)
        common = {"query_set": self.scene.query_set, "judgment_list": self.list, "rater": rater}
        Judgment.objects.bulk_create(
            Judgment(
                **common, **more, pair=pair, value=value, created_at=at, updated_at=at,
                reason="" if value is not None else "language",
                active_ms=times[nth % len(times)] if times else None,
            )
            for nth, (pair, value) in enumerate(zip(self.pairs, values, strict=False))
        )  # fmt: skip
        return rater

    def gold(self, count, value=2.0, **more):
        for pair in self.pairs[:count]:
            make.make_gold_pair(pair, value, **more)


def test_a_rater_without_known_answers_has_no_accuracy():
    answers = Answers(pairs=3)
    rater = answers.rater([1, 2, 3])

    (found,) = rater_accuracy(answers.list)

    assert (found.rater, found.answers, found.share, found.enough) == (rater, 0, None, False)
    assert (found.interval.low, found.interval.high) == (0.0, 1.0)
    assert (found.alarms, found.practice_verdict) == ([], "open")


def test_answers_to_gold_pairs_count_by_how_far_off_they_are():
    answers = Answers(pairs=8)
    answers.gold(6, also=[1.0])
    answers.rater([2, 1, 3, 0, 0, None, 0, 0])

    (found,) = rater_accuracy(answers.list)

    assert (found.answers, found.hits, found.cannot_judge) == (5, 2, 1)
    assert found.distances == {-1: 2, 0: 2, 1: 1}
    assert round(found.share, 1) == 0.4


def test_practice_counts_apart():
    answers = Answers(pairs=12)
    answers.gold(12)
    answers.rater([2] * 12, gold="practice")

    (found,) = rater_accuracy(answers.list)

    assert (found.answers, found.practice, found.practice_hits) == (0, 12, 12)
    assert found.practice_verdict == "good"


def test_on_a_continuous_scale_a_tenth_of_the_range_is_right():
    answers = Answers(pairs=3, scale=make.preset("Slider 0–100"))
    answers.gold(3, value=50.0)
    answers.rater([60, 39, 50])

    (found,) = rater_accuracy(answers.list)

    assert (found.hits, found.distances) == (2, {-11: 1, 0: 1, 10: 1})


def test_retired_gold_pairs_say_nothing():
    answers = Answers(pairs=2)
    answers.gold(2, retired_at=NOW)
    answers.rater([2, 2])

    assert rater_accuracy(answers.list)[0].answers == 0


def test_many_wrong_answers_in_a_row_raise_an_alarm_but_not_below_twenty():
    answers = Answers(pairs=40)
    answers.gold(40)
    nineteen = answers.rater([2] * 14 + [0] * 5)
    twenty = answers.rater([2] * 14 + [0] * 6)

    found = by_rater(answers.list)

    few, enough = found[nineteen], found[twenty]
    assert (few.alarms, few.enough) == ([], False)
    assert (enough.alarms, enough.enough) == (["decline"], True)


def by_rater(judgment_list):
    return {found.rater: found for found in rater_accuracy(judgment_list)}


def test_who_is_stricter_than_the_others_of_late_is_named():
    answers = Answers()
    usual = [answers.rater([1, 2] * 30) for _ in range(10)]
    strict = answers.rater([1, 2] * 15 + [0] * 30)

    found = by_rater(answers.list)

    assert found[strict].alarms == ["lower"]
    assert [found[rater].alarms for rater in usual] == [[]] * 10


def test_haste_is_named_only_where_the_grades_stray_as_well():
    answers = Answers()
    for _ in range(20):
        answers.rater([1, 2] * 30, times=[20_000])
    hasty = answers.rater([3] * 60, times=[900])
    quick = answers.rater([1, 2] * 30, times=[900])

    found = by_rater(answers.list)

    assert (found[hasty].alarms, found[hasty].median_ms) == (["higher", "hasty"], 900)
    assert found[quick].alarms == []


def test_the_cost_does_not_grow_with_the_raters():
    answers = Answers(pairs=5)
    answers.gold(2)

    def cost():
        with CaptureQueriesContext(connection) as queries:
            [found.rater.user.username for found in rater_accuracy(answers.list)]
        return len(queries)

    answers.rater([1, 2, 3])
    first = cost()
    for _ in range(3):
        answers.rater([1, 2, 3])
    assert cost() == first <= 4


def test_without_own_times_the_forecast_takes_those_of_experts():
    answers = Answers(pairs=36, overlap=2)

    found = forecast(answers.list, at=NOW)

    assert (found.missing, found.active_raters, found.measured) == (72, 0, False)
    assert found.seconds == (14.0, 25.0, 43.0)
    assert [round(hours, 2) for hours in found.hours] == [0.28, 0.5, 0.86]
    assert found.hours_each == found.hours


def test_the_forecast_takes_the_quartiles_of_the_raters_medians():
    answers = Answers(pairs=36, overlap=10)
    for seconds in (10, 20, 30, 40, 50):
        answers.rater([1] * 10, times=[seconds * 1000, seconds * 1000, 3_600_000])
    answers.rater([1] * 3, at=NOW - timedelta(days=8))

    found = forecast(answers.list, at=NOW)

    assert (found.seconds, found.measured, found.active_raters) == ((20.0, 30.0, 40.0), True, 5)
    assert found.hours_each[1] == pytest.approx(360 * 30 / 3600 / 5)


def test_of_one_rater_alone_the_times_themselves_are_taken():
    answers = Answers(pairs=36)
    answers.rater([1] * 21, times=[1000, 2000, 3000])

    assert forecast(answers.list, at=NOW).seconds == (1.0, 2.0, 3.0)
