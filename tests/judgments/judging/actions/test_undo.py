"""Undoing every act: answers, changes and what was put off, one by one or by name."""

from datetime import timedelta
from uuid import uuid4

import pytest

from judgments.judging.actions import judging
from judgments.judging.actions.answers import remember
from judgments.models import Judgment, JudgmentHistory, Skip, Slot
from tests.judgments.judging.actions.scene import LATER, NOW, Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    return Scene(queries=1, documents=3)


@pytest.fixture
def user(scene):
    return scene.rater()


def after(minutes):
    return NOW + timedelta(minutes=minutes)


def undo(scene, user, at, **named):
    return judging.undo(user=user, judgment_list=scene.list, at=at, **named)


def test_what_was_put_off_last_comes_back_and_the_judgment_before_it_stays(scene, user):
    first, second, third = scene.claim(user)
    scene.judge(user, first, at=NOW)
    scene.skip(user, second, at=after(1))

    undone = undo(scene, user, after(2))

    assert (undone.pair_id, undone.skip) == (second, True)
    assert Judgment.objects.get().pair_id == first
    assert not Skip.objects.exists()
    assert scene.claim(user, at=after(3)) == [second, third]


def test_acts_of_all_kinds_are_undone_in_turn(scene, user):
    first, second, third = scene.claim(user)
    for minute, value in enumerate([1, 2, 3]):
        scene.judge(user, first, value, at=after(minute))
    scene.skip(user, second, at=after(3))
    scene.judge(user, third, reason="language", at=after(4))

    undone = [undo(scene, user, after(5 + nth)) for nth in range(6)]

    assert [one and one.pair_id for one in undone] == [third, second, first, first, first, None]
    assert [one.answer is not None for one in undone[2:5]] == [True, True, False]
    assert not Judgment.objects.exists()


def test_changes_after_an_undo_are_undone_again(scene, user):
    (pair, *_) = scene.claim(user)
    scene.judge(user, pair, 1, at=NOW)
    scene.judge(user, pair, 2, at=after(1))
    undo(scene, user, after(2))
    scene.judge(user, pair, 3, at=after(3))

    undo(scene, user, after(4))

    assert Judgment.objects.get().value == 1


def test_an_answer_is_undone_by_name_whatever_came_after_it(scene, user):
    first, second, _ = scene.claim(user)
    request, other = uuid4(), uuid4()
    scene.judge(user, first, request_id=request, at=NOW)
    scene.judge(user, second, request_id=other, at=after(1))

    assert undo(scene, user, after(2), answer=request).pair_id == first
    assert undo(scene, user, after(3), answer=request) is None
    assert Judgment.objects.get().pair_id == second


def test_a_changed_answer_is_not_undone_by_the_name_of_the_one_before(scene, user):
    (pair, *_) = scene.claim(user)
    request = uuid4()
    scene.judge(user, pair, 1, request_id=request, at=NOW)
    scene.judge(user, pair, 2, at=after(1))

    assert undo(scene, user, after(2), answer=request) is None
    assert Judgment.objects.get().value == 2


def test_what_was_put_off_is_undone_by_name_once(scene, user):
    first, second, _ = scene.claim(user)
    scene.skip(user, first, at=NOW)
    scene.judge(user, second, at=after(1))

    assert undo(scene, user, after(2), skipped_pair=first).skip
    assert undo(scene, user, after(3), skipped_pair=first) is None
    assert Judgment.objects.get().pair_id == second


def test_the_request_that_undid_something_put_off_undoes_once(scene, user):
    first, second, _ = scene.claim(user)
    scene.judge(user, first, at=NOW)
    scene.skip(user, second, at=after(1))
    request = uuid4()

    undone = [undo(scene, user, after(2), request_id=request) for _ in range(2)]

    assert [one.pair_id for one in undone] == [second, second]
    assert Judgment.objects.get().pair_id == first


def test_what_somebody_else_took_over_meanwhile_stays_with_them(scene, user):
    other = scene.rater()
    first, *_ = scene.claim(user)
    scene.skip(user, first, at=NOW)
    (pair_id,) = scene.claim(other, at=after(1), count=1)
    assert pair_id == first

    assert undo(scene, user, after(2)).pair_id == first

    assert Slot.objects.get(pair=first).rater.user == other
    assert first not in scene.claim(user, at=after(3))


def test_a_query_that_was_put_off_as_a_whole_is_the_next_again(user, scene):
    for nth, pair in enumerate(scene.claim(user)):
        scene.skip(user, pair, at=after(nth))
    (first, *_) = scene.claim(user, at=after(4), with_skipped=True)
    scene.skip(user, first, at=after(5))

    undo(scene, user, after(6))

    assert scene.claim(user, at=after(7))[0] == first


def test_a_judged_pair_that_had_been_put_off_is_undone_as_a_judgment(scene, user):
    first, *_ = scene.claim(user)
    scene.skip(user, first, at=NOW)
    scene.judge(user, first, at=LATER)

    undone = undo(scene, user, LATER + timedelta(minutes=1))

    assert (undone.pair_id, undone.skip) == (first, False)


def test_changes_of_an_answer_that_was_withdrawn_whole_are_not_undone_in_the_next_one(scene, user):
    """Earlier versions withdrew a changed answer in one go; such rows stay in the history for ever."""
    first, *_ = scene.claim(user)
    for minute, value in enumerate([1, 2, 3]):
        scene.judge(user, first, value, at=after(minute))
    withdrawn = Judgment.objects.get()
    remember(withdrawn, JudgmentHistory.Action.WITHDRAWN, after(3))
    withdrawn.delete()
    scene.judge(user, first, 1, at=after(4))

    undone = undo(scene, user, after(5))

    assert (undone.pair_id, undone.answer) == (first, None)
    assert not Judgment.objects.exists()
