"""A rater's own share of a list: what was judged, what is left for this rater, how long it takes."""

from datetime import UTC, datetime, timedelta

import pytest

from judgments.judging.actions.judging import Timing
from judgments.judging.reports.own_share import ENOUGH_TIMES, Share, own_share
from judgments.lists.reports.lists import able_accounts
from judgments.models import Assignment, AssignmentMode, Exclusion, Judgment, JudgmentList, Rater
from judgments.raters.sql.recent_judgments import recent_judgments
from tests.judgments.judging.actions.scene import Scene

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def judge_all(scene, rater, count, **fields):
    for pair in scene.list.pairs.order_by("pk").values_list("pk", flat=True)[:count]:
        scene.judge(rater, pair, **fields)


def share_of(scene, rater, at=NOON):
    return own_share(judgment_list=JudgmentList.objects.get(pk=scene.list.pk), user=rater, at=at)


def numbers(share):
    return share.judgments, share.remaining, share.estimated


def test_alone_in_a_list_everything_is_left():
    scene = Scene(queries=2, documents=5)
    rater = scene.rater()

    assert numbers(share_of(scene, rater)) == (0, 10, False)
    judge_all(scene, rater, 3, at=NOON)
    assert numbers(share_of(scene, rater)) == (3, 7, False)
    judge_all(scene, rater, 10, at=NOON)
    assert numbers(share_of(scene, rater)) == (10, 0, False)


def test_two_raters_at_work_share_what_is_left():
    scene = Scene(queries=2, documents=10)
    one, other, gone = scene.rater(), scene.rater(), scene.rater()
    pairs = list(scene.list.pairs.order_by("pk").values_list("pk", flat=True))
    scene.judge(gone, pairs[0], at=NOON - timedelta(days=8))
    for rater, own in ((one, pairs[1:4]), (other, pairs[4:6])):
        for pair in own:
            scene.judge(rater, pair, at=NOON)

    # 14 are required: 17 and 18 pairs are left to each, so 14 · 17 / 35 and 14 · 18 / 35 are their shares.
    assert numbers(share_of(scene, one)) == (3, 7, True)
    assert numbers(share_of(scene, other)) == (2, 7, True)
    # After eight days the others are not at work any more.
    assert numbers(share_of(scene, one, NOON + timedelta(days=8))) == (3, 14, False)


def test_where_each_rater_judges_each_pair_the_share_is_what_each_has_not_judged():
    scene = Scene(queries=2, documents=5, overlap=2)
    quick, slow = scene.rater(), scene.rater()
    judge_all(scene, quick, 10, at=NOON)
    judge_all(scene, slow, 1, at=NOON)

    assert numbers(share_of(scene, slow)) == (1, 9, False)
    assert numbers(share_of(scene, quick)) == (10, 0, False)


def test_named_raters_have_their_quotas_also_before_they_begin():
    scene = Scene(queries=2, documents=10)
    one, other, third, stranger = (scene.rater() for _ in range(4))
    scene.list.assignment = AssignmentMode.NAMED
    scene.list.save()
    for rater, quota in ((one, 8), (other, 24), (third, None)):
        Assignment.objects.create(judgment_list=scene.list, user=rater, quota=quota)

    # 20 are required; 8, 20 and 20 could be given, as no quota goes beyond the list.
    assert numbers(share_of(scene, one)) == (0, 3, True)
    assert numbers(share_of(scene, third)) == (0, 8, True)
    assert numbers(share_of(scene, stranger)) == (0, 0, False)

    scene.judge(third, scene.list.pairs.first().pk, at=NOON)
    rater = Rater.objects.get(user=third)
    Exclusion.objects.create(query_set=scene.query_set, judgment_list=scene.list, rater=rater, at=NOON)
    assert share_of(scene, other).remaining == round(20 * 20 / 28)


@pytest.mark.parametrize("gone", ["removed", "disabled", "excluded"])
@pytest.mark.parametrize("named", [True, False])
def test_colleagues_who_cannot_judge_any_more_have_no_share(gone, named):
    scene = Scene(queries=2, documents=10)
    one, other = scene.rater(), scene.rater()
    if named:
        scene.list.assignment = AssignmentMode.NAMED
        scene.list.save()
        for rater in (one, other):
            Assignment.objects.create(judgment_list=scene.list, user=rater)
    scene.judge(other, scene.list.pairs.first().pk, at=NOON)
    assert share_of(scene, one).estimated

    if gone == "removed":
        other.memberships.all().delete()
    elif gone == "disabled":
        other.is_active = False
        other.save()
    else:
        rater = Rater.objects.get(user=other)
        Exclusion.objects.create(query_set=scene.query_set, judgment_list=scene.list, rater=rater, at=NOON)
    assert numbers(share_of(scene, one)) == (0, 19, False)
    # The statement of the forecast says the same.
    can_judge = {row.rater_id: row.can_judge for row in recent_judgments(scene.list.pk)}
    assert list(can_judge.values()) == [False]
    assert set(able_accounts(scene.list)) == {one}


def test_the_last_pair_is_left_for_everybody():
    scene = Scene(queries=1, documents=9)
    raters = [scene.rater() for _ in range(4)]
    pairs = list(scene.list.pairs.order_by("pk").values_list("pk", flat=True))
    for number, pair in enumerate(pairs[:-1]):
        scene.judge(raters[number % 4], pair, at=NOON)

    assert [share_of(scene, rater).remaining for rater in raters] == [1, 1, 1, 1]


def test_the_time_left_is_the_mean_of_own_times_and_today_counts_all_lists():
    scene = Scene(queries=3, documents=10)
    rater = scene.rater()
    judge_all(scene, rater, ENOUGH_TIMES - 1, at=NOON - timedelta(days=1), timing=Timing(active_ms=10_000))
    assert share_of(scene, rater).time_left == ""

    last = scene.list.pairs.order_by("pk").values_list("pk", flat=True)[ENOUGH_TIMES - 1]
    scene.judge(rater, last, at=NOON, timing=Timing(active_ms=210_000))
    share = share_of(scene, rater)

    assert (share.seconds, share.remaining, share.today) == (20, 10, 1)  # (19 · 10 + 210) / 20 s
    assert share.time_left == "4 min"  # 10 · 20 s, rounded up
    Judgment.objects.update(gold="practice")
    assert share_of(scene, rater).today == 0


def test_hours_are_told_as_hours():
    assert Share(0, 900, estimated=False, seconds=10, today=0, can_undo=False).time_left == "2.5 h"
    assert Share(900, 0, estimated=False, seconds=10, today=0, can_undo=True).time_left == ""
