"""How often raters agree with themselves, by what hidden repeats say."""

from datetime import timedelta
from uuid import uuid4

import numpy as np
import pytest
from scipy.stats import binomtest

from judgments.models import Rater, RepeatAnswer, RepeatDraw, Scale
from judgments.raters.reports.self_agreement import compare_answers, self_agreement
from tests import factories as make
from tests.judgments.judging.actions.scene import NOW, Scene

pytestmark = pytest.mark.django_db


def give_repeats(scene, rater, pairs, *, first_at=NOW, **fields):
    """One repeat of each pair; `fields` as those of the answers, `pairs` as (first grade, second grade)."""
    start = RepeatDraw.objects.filter(rater=rater).count()
    for nth, (first, again) in enumerate(pairs, start=start):
        draw = RepeatDraw.objects.create(
            judgment_list=scene.list, rater=rater, pair=scene.list.pairs.order_by("pk")[nth],
            query_position=1, number=nth + 1, drawn_at=NOW, answered=True,
        )  # fmt: skip
        RepeatAnswer.objects.create(
            draw=draw, first_value=first, value=again, reason="" if again is not None else "language",
            first_at=first_at, given_at=NOW, request_id=uuid4(), **fields,
        )  # fmt: skip


def test_each_rater_is_compared_with_the_own_first_answers():
    scene = Scene(queries=1, documents=6)
    one, two = (make.make_rater(scene.query_set, scene.rater()) for _ in range(2))
    give_repeats(scene, one, [(2, 2), (2, 0), (3, 3), (1, 2), (2, None)])
    give_repeats(scene, two, [(0, 0)])

    figures = self_agreement(scene.list)

    assert (figures[one.pk].grades, figures[one.pk].same, figures[one.pk].cannot_judge) == (4, 2, 1)
    assert figures[one.pk].distance == (2 + 1) / 4
    assert (figures[two.pk].grades, figures[two.pk].same, figures[two.pk].enough) == (1, 1, False)


def test_what_was_taken_back_replaced_or_changed_meanwhile_does_not_count():
    scene = Scene(queries=1, documents=4)
    rater = make.make_rater(scene.query_set, scene.rater())
    give_repeats(scene, rater, [(2, 0)], withdrawn_at=NOW)
    give_repeats(scene, rater, [(2, 0)], first_at=NOW + timedelta(seconds=1))
    give_repeats(scene, rater, [(2, 0)])
    standing = RepeatAnswer.objects.latest("pk")
    standing.pk, standing.value, standing.request_id = None, 2, uuid4()
    standing.save()

    figures = self_agreement(scene.list)[rater.pk]

    assert (figures.grades, figures.same) == (1, 1)


def test_on_a_continuous_scale_a_tenth_of_the_range_is_the_same():
    scale = make.preset("Slider 0–100")

    figures = compare_answers(scale, {(50.0, 60.0): 1, (50.0, 39.0): 1})

    assert (figures.grades, figures.same, figures.distance) == (2, 1, 10.5)


def test_distances_count_grades_whatever_their_values():
    query_set = make.make_query_set()
    scale = query_set.scales.create(name="Steps", maximum=10)
    for key, value in zip("012", (0, 1, 10), strict=True):
        scale.grades.create(value=value, label=str(value), gain=value, key=key)

    assert compare_answers(scale, {(1.0, 10.0): 1, (0.0, 10.0): 1}).distance == 1.5


def test_without_a_graded_repeat_anything_is_possible():
    figures = compare_answers(make.preset(), {(2.0, None): 3})

    assert (figures.grades, figures.cannot_judge, figures.distance) == (0, 3, 0.0)
    assert (figures.interval.low, figures.interval.high) == (0.0, 1.0)


def simulated(share, repeats, rng):
    """A rater who gives the same grade again with the probability `share`, else one of the others."""
    grades = np.arange(4.0)
    counts = {}
    for _ in range(repeats):
        first = rng.choice(grades)
        again = first if rng.random() < share else rng.choice(grades[grades != first])
        counts[first, again] = counts.get((first, again), 0) + 1
    return counts


def check_coverage(share, repeats, raters, seed):
    rng = np.random.default_rng(seed)
    scale = Scale.objects.prefetch_related("grades").get(pk=make.preset().pk)
    figures = [compare_answers(scale, simulated(share, repeats, rng)) for _ in range(raters)]
    return np.mean([one.interval.low <= share <= one.interval.high for one in figures])


def test_the_interval_is_that_of_scipy():
    figures = compare_answers(make.preset(), {(2.0, 2.0): 17, (1.0, 3.0): 4})
    scipy = binomtest(17, 21).proportion_ci(method="wilson")

    assert (figures.interval.low, figures.interval.high) == pytest.approx((scipy.low, scipy.high))


@pytest.mark.parametrize(("share", "repeats"), [(0.7, 40), (0.9, 100)])
def test_the_interval_holds_the_truth_in_nine_of_ten_cases(share, repeats):
    assert check_coverage(share, repeats, 300, seed=20261123) >= 0.9


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("repeats", [20, 30, 50, 100, 300])
def test_the_interval_holds_the_truth_in_nine_of_ten_cases_everywhere(share, repeats):
    # three standard deviations of 2,000 draws below the 0.9 that is promised
    assert check_coverage(share, repeats, 2_000, seed=20261123) >= 0.9 - 3 * (0.9 * 0.1 / 2_000) ** 0.5


def test_raters_without_repeats_are_left_out():
    scene = Scene()
    make.make_rater(scene.query_set, scene.rater())

    assert self_agreement(scene.list) == {}
    assert Rater.objects.count() == 1
