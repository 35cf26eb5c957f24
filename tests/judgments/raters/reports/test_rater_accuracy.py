"""What gold pairs and the others' grades say of raters."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments.agreement.actions.adjudication import exclude_rater
from judgments.agreement.sql.drift import compared_judgments
from judgments.models import Judgment, Pair, RaterQueue
from judgments.raters.reports.accuracy import rater_accuracy
from tests import factories as make
from tests.judgments.judging.actions.scene import NOW, Scene

pytestmark = pytest.mark.django_db


class Answers:
    """A list whose pairs raters have answered."""

    def __init__(self, pairs=60, queries=1, **fields):
        """`pairs` of each of the `queries`."""
        self.scene = Scene(queries=queries, documents=pairs, **fields)
        self.list = self.scene.list
        self.pairs = list(Pair.objects.order_by("query_id", "pk"))

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

    (figures,) = rater_accuracy(answers.list)

    assert (figures.rater, figures.answers) == (rater, 0)
    assert (figures.interval.low, figures.interval.high) == (0.0, 1.0)
    assert (figures.flags, figures.practice_verdict) == ([], "open")


def test_answers_to_gold_pairs_count_by_how_far_off_they_are():
    answers = Answers(pairs=8)
    answers.gold(6, also=[1.0])
    answers.rater([2, 1, 3, 0, 0, None, 0, 0])

    (figures,) = rater_accuracy(answers.list)

    assert (figures.answers, figures.hits, figures.cannot_judge) == (5, 2, 1)
    assert figures.distances == {-1: 2, 0: 2, 1: 1}


def test_practice_counts_apart():
    answers = Answers(pairs=12)
    answers.gold(12)
    answers.rater([2] * 12, gold="practice")

    (figures,) = rater_accuracy(answers.list)

    assert (figures.answers, figures.practice, figures.practice_hits) == (0, 12, 12)
    assert figures.practice_verdict == "good"


def test_on_a_continuous_scale_a_tenth_of_the_range_is_right():
    answers = Answers(pairs=3, scale=make.preset("Slider 0–100"))
    answers.gold(3, value=50.0)
    answers.rater([60, 39, 50])

    (figures,) = rater_accuracy(answers.list)

    assert (figures.hits, figures.distances) == (2, {-11: 1, 0: 1, 10: 1})


def test_retired_gold_pairs_say_nothing():
    answers = Answers(pairs=2)
    answers.gold(2, retired_at=NOW)
    answers.rater([2, 2])

    assert rater_accuracy(answers.list)[0].answers == 0


def test_known_answers_that_become_worse_raise_a_flag_from_sixty_on():
    answers = Answers(pairs=1, queries=60)
    answers.gold(60)
    constant, *_ = (answers.rater([2, 2, 2, 0] * 15) for _ in range(5))
    few = answers.rater([2] * 30 + [0] * 29)
    enough = answers.rater([2] * 30 + [0] * 30)

    figures = by_rater(answers.list)

    declined = {rater for rater, one in figures.items() if "decline" in one.flags}
    assert declined & {few, enough, constant} == {enough}


@pytest.mark.parametrize("left_out", [False, True])
def test_who_errs_where_others_err_too_has_not_become_worse(left_out):
    """The latest gold pairs are hard. Raters who are left out don't say so."""
    answers = Answers(pairs=1, queries=60)
    answers.gold(60)
    one, other = (answers.rater([2] * 30 + [0] * 30) for _ in range(2))
    if left_out:
        admin = make.make_member(answers.scene.query_set, "admin")
        exclude_rater(judgment_list=answers.list, rater=other, user=admin, at=NOW)

    figures = by_rater(answers.list)

    assert figures[one].flags == (["decline"] if left_out else [])


def by_rater(judgment_list):
    return {figures.rater: figures for figures in rater_accuracy(judgment_list)}


USUAL, STRICT = ([1] * 6 + [3] * 6) * 6, ([0] * 6 + [2] * 6) * 6
"""Grades of twelve queries, of which every other one is more relevant."""


def test_who_is_stricter_than_before_is_named_and_a_habit_is_not():
    answers = Answers(pairs=6, queries=12)
    usual = [answers.rater(USUAL) for _ in range(3)]
    habit = answers.rater(STRICT)
    strict = answers.rater(USUAL[:36] + STRICT[36:])

    figures = by_rater(answers.list)

    assert figures[strict].flags == ["lower"]
    assert [figures[rater].flags for rater in (usual[0], habit)] == [
        ["higher"]
    ] * 2  # beside `strict`, so exactly


def test_nobody_is_compared_with_a_rater_who_is_left_out():
    answers = Answers(pairs=6, queries=12)
    usual = answers.rater(USUAL)
    strict = answers.rater(USUAL[:36] + STRICT[36:])
    figures = by_rater(answers.list)
    assert [figures[rater].flags for rater in (usual, strict)] == [["higher"], ["lower"]]

    third = answers.rater(USUAL)
    admin = make.make_member(answers.scene.query_set, "admin")
    exclude_rater(judgment_list=answers.list, rater=strict, user=admin, at=NOW)

    figures = by_rater(answers.list)
    assert [figures[rater].flags for rater in (usual, strict, third)] == [[], ["lower"], []]
    raters = [usual.pk, strict.pk, third.pk]
    compared = compared_judgments(answers.list.pk, raters, near=0.0, limit=100)
    assert {one.apart for one in compared if one.rater_id != strict.pk} == {0.0}


def test_on_scales_without_an_order_nobody_is_stricter():
    scale = make.make_query_set().scales.create(name="Kinds", level="nominal", maximum=3)
    for value in range(4):
        scale.grades.create(value=value, label=f"kind {value}", gain=value, key=str(value))
    answers = Answers(pairs=6, queries=12, scale=scale)
    answers.rater(USUAL)
    changed = answers.rater([1, 2] * 18 + [0, 1] * 18)

    assert by_rater(answers.list)[changed].flags == []


def test_haste_is_named_only_where_the_grades_stray_as_well():
    answers = Answers(pairs=6, queries=12)
    for _ in range(20):
        answers.rater([1, 2] * 36, times=[20_000])
    hasty = answers.rater([1, 2] * 18 + [3] * 36, times=[900])
    quick = answers.rater([None] * 71 + [1], times=[900])

    figures = by_rater(answers.list)

    assert (figures[hasty].flags, figures[hasty].median_ms) == (["higher", "hasty"], 900)
    assert figures[quick].flags == []


def test_the_cost_does_not_grow_with_the_raters():
    answers = Answers(pairs=5)
    answers.gold(2)

    def cost():
        with CaptureQueriesContext(connection) as queries:
            [figures.rater.user.username for figures in rater_accuracy(answers.list)]
        return len(queries)

    answers.rater([1, 2, 3])
    first = cost()
    for _ in range(3):
        answers.rater([1, 2, 3])
    assert cost() == first <= 4
