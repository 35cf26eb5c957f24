"""Answers to hidden repeats, and repeats that were put off, are taken back as any other act."""

from datetime import timedelta
from uuid import uuid4

import pytest

from judgments.judging.actions import judging, queue
from judgments.models import Pair
from tests.judgments.judging.actions.repeat_scene import TUESDAY, RepeatScene, counted
from tests.judgments.judging.actions.scene import Scene

pytestmark = pytest.mark.django_db
SOON, LATER = TUESDAY + timedelta(minutes=1), TUESDAY + timedelta(minutes=2)


def undo(scene, at, **named):
    return judging.undo(user=scene.user, judgment_list=scene.list, at=at, **named)


def test_undo_takes_back_repeats_and_judgments_the_newest_first():
    scene = RepeatScene()
    one = scene.held_repeat()
    other = next(pairs for pairs in scene.handed(count=6) if not pairs.repeat)
    scene.answer(other, at=TUESDAY)
    before = scene.everything_else()
    scene.answer(one, 1.0, at=SOON)

    undone = undo(scene, LATER)

    assert (undone.pair_id, undone.card, undone.answer) == (one.pair_id, one.repeat, None)
    assert scene.everything_else() == before
    assert one.pair_id in [pairs.pair_id for pairs in scene.handed(at=LATER, count=6)]
    assert undo(scene, LATER).pair_id == other.pair_id


def test_undo_by_name_brings_back_an_earlier_answer_and_comes_twice_as_once():
    scene = RepeatScene()
    one, change, request = scene.held_repeat(), uuid4(), uuid4()
    scene.answer(one, 1.0)
    scene.answer(one, 3.0, at=SOON, known=True, request_id=change)

    undone = [undo(scene, LATER, answer=change, request_id=request) for _ in range(2)]

    assert [result.answer.value for result in undone] == [1.0, 1.0]
    assert counted() == [(2.0, 1.0, "")]
    assert undo(scene, LATER, answer=change) is None
    with pytest.raises(judging.RequestReusedError):
        judging.undo(user=scene.rater(), judgment_list=scene.list, at=LATER, request_id=request)


def test_an_answer_that_was_replaced_is_not_taken_back_by_its_name():
    scene = RepeatScene()
    one, first = scene.held_repeat(), uuid4()
    scene.answer(one, 1.0, request_id=first)
    scene.answer(one, 3.0, at=SOON, known=True)

    assert undo(scene, LATER, answer=first) is None
    assert counted() == [(2.0, 3.0, "")]


def put_off(scene, one, at=SOON):
    queue.skip(
        user=scene.user, judgment_list=scene.list, pair_id=one.pair_id, at=at, before=None, card=one.repeat
    )


@pytest.mark.parametrize("named", [True, False])
def test_later_puts_a_repeat_off_for_good_until_it_is_undone(named):
    scene = RepeatScene()
    one, request = scene.held_repeat(), uuid4()
    for _ in range(2):  # a double click
        put_off(scene, one)
    assert one not in scene.handed(at=LATER, count=6)
    assert not scene.list.pairs.filter(skips__isnull=False).exists()

    undone = [
        undo(scene, LATER, request_id=request, skipped_pair=one.pair_id if named else None) for _ in range(2)
    ]

    assert [(result.pair_id, result.skip) for result in undone] == [(one.pair_id, True)] * 2
    assert one in scene.handed(at=LATER, count=6)


def test_later_on_any_other_card_puts_the_pair_off():
    scene = Scene()
    user = scene.rater()
    pair_id = scene.claim(user)[0]

    queue.skip(user=user, judgment_list=scene.list, pair_id=pair_id, at=TUESDAY, card=uuid4())

    assert Pair.objects.filter(pk=pair_id, skips__isnull=False).exists()
