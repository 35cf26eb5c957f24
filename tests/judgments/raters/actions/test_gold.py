"""Gold pairs: for practice first, then mixed in; never more than once for a rater, never in a slot."""

from uuid import uuid4

import pytest
from django.db import transaction

from judgments.judging.actions import judging, queue
from judgments.models import ConsensusGrade, GoldDraw, GoldPair, Judgment, JudgmentList, RaterQueue, Slot
from judgments.raters.actions import assignments, gold
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER, NOW, Scene

pytestmark = pytest.mark.django_db


def mark(scene, *pair_ids, value=2.0, **more):
    admin = make.make_user()
    for pair_id in pair_ids:
        gold.mark_gold(judgment_list=scene.list, pair_id=pair_id, value=value, user=admin, at=NOW, **more)


def gold_scene(queries=4, documents=5, per_query=2, **fields):
    """Some pairs of each query are gold."""
    scene = Scene(queries, documents, **fields)
    gold_pair = []
    for row in scene.list.list_queries.all():
        gold_pair += list(scene.list.pairs.filter(query=row.query_id).values_list("pk", flat=True))[
            :per_query
        ]
    mark(scene, *gold_pair, also=[1.0], explanation="It says so.")
    return scene, set(gold_pair)


def open_count(scene):
    return sum(scene.list.list_queries.values_list("open_count", flat=True))


def settled_rater(scene, seed):
    """A rater for whom chance draws gold pairs at the same places in every run, whatever the keys."""
    user = scene.rater()
    queue.enter(user, scene.list)
    RaterQueue.objects.filter(rater__user=user).update(seed=seed)
    return user


def holding_gold(scene, user, gold_pair):
    """A gold pair among the first six that the rater is handed: with a seed under which chance draws one."""
    queue.enter(user, scene.list)
    for seed in range(100):
        RaterQueue.objects.update(seed=seed)
        with transaction.atomic():
            drawn = [pair_id for pair_id in scene.claim(user, count=6) if pair_id in gold_pair]
            if drawn:
                return drawn[0]
            transaction.set_rollback(True)
    raise AssertionError("No seed draws a gold pair.")


def test_a_gold_pair_leaves_the_ordinary_ones_and_comes_back_when_it_is_retired():
    scene, gold_pair = gold_scene(queries=1, documents=3, per_query=1, overlap=2)
    (pair_id,) = gold_pair
    assert open_count(scene) == 4
    assert pair_id not in scene.finish(scene.rater())

    gold.retire_gold(judgment_list=scene.list, pair_id=pair_id, at=NOW)

    assert open_count(scene) == 2 + 2
    assert scene.finish(scene.rater()).count(pair_id) == 1
    mark(scene, pair_id, value=3.0)
    assert GoldPair.objects.get().retired_at is None


def test_a_gold_pair_that_a_rater_holds_is_judged_as_any_other():
    scene = Scene(queries=1, documents=1)
    user = scene.rater()
    pair_id = scene.claim(user)[0]
    mark(scene, pair_id)

    judgment = scene.judge(user, pair_id).judgment

    assert (judgment.gold, judgment.extra) == ("", False) or (judgment.gold, judgment.extra) == ("", True)
    assert Slot.objects.get().state == "done"


def test_gold_pairs_are_mixed_in_at_the_rate_once_for_each_rater_and_fill_no_slot():
    scene, gold_pair = gold_scene(queries=6, documents=12, per_query=4, overlap=2, gold_rate=30)
    one, two = settled_rater(scene, 1), settled_rater(scene, 2)

    orders = [scene.finish(user) for user in (one, two)]

    assert open_count(scene) == 0
    for order in orders:
        met = [pair_id for pair_id in order if pair_id in gold_pair]
        assert len(met) == len(set(met))
        assert 8 <= len(met) <= 24  # 24 are there; of 69 judgments 30 % are 21
        assert set(order) >= set(scene.list.pairs.values_list("pk", flat=True)) - gold_pair
    marked = Judgment.objects.filter(pair__in=gold_pair)
    assert set(marked.values_list("gold", flat=True)) == {"gold"}
    assert not marked.filter(extra=True).exists()
    assert sum(scene.list.list_queries.values_list("judgment_count", flat=True)) == 2 * 48
    assert ConsensusGrade.objects.filter(pair__in=gold_pair).exists()


def test_the_same_rater_gets_the_same_gold_pairs_at_the_same_places():
    scene, gold_pair = gold_scene(gold_rate=50)
    user = settled_rater(scene, 1)
    orders = []
    for _ in range(2):
        orders.append(scene.finish(user))
        while scene.undo(user):
            pass
        assignments.release_rater(judgment_list=scene.list, rater=RaterQueue.objects.get().rater, at=NOW)
        RaterQueue.objects.update(query_position=0, round_since=None)

    assert orders[0] == orders[1]
    assert set(orders[0]) & gold_pair


def test_queries_stay_together_with_gold_pairs_among_them():
    scene, gold_pair = gold_scene(queries=3, documents=8, per_query=3, gold_rate=20)
    positions = dict(scene.list.pairs.values_list("pk", "query__list_queries__position"))

    order = scene.finish(settled_rater(scene, 1))

    ordinary = [positions[pair_id] for pair_id in order if pair_id not in gold_pair]
    assert ordinary == sorted(ordinary)
    assert set(order) & gold_pair
    here = 0
    for nth, pair_id in enumerate(order):
        if pair_id not in gold_pair:
            here = positions[pair_id]
        elif positions[pair_id] != here:  # of another query: the one on the screen is finished
            rest = [positions[other] for other in order[nth:] if other not in gold_pair]
            assert here not in rest


def test_what_is_handed_out_does_not_tell_gold_pairs():
    scene, gold_pair = gold_scene(queries=1, documents=10, per_query=5, gold_rate=50)

    handed = queue.claim(user=settled_rater(scene, 1), judgment_list=scene.list, at=NOW, count=8)

    assert {one.pair_id for one in handed} & gold_pair
    assert {(one.practice, one.position, one.documents) for one in handed} == {(False, 1, 10)}
    assert [one.number for one in handed] == list(range(1, len(handed) + 1))


def test_no_gold_pair_comes_where_nothing_else_is_left():
    scene, gold_pair = gold_scene(queries=1, documents=4, per_query=4, gold_rate=50)

    assert scene.claim(scene.rater()) == []
    assert not GoldDraw.objects.exists()
    assert len(gold_pair) == 4


def test_undo_gives_a_gold_pair_back_and_later_puts_it_to_the_end():
    scene, gold_pair = gold_scene(queries=1, documents=8, per_query=4, gold_rate=50)
    user = scene.rater()
    drawn = holding_gold(scene, user, gold_pair)
    scene.judge(user, drawn)
    assert drawn not in scene.claim(user, count=6)

    assert scene.undo(user) == drawn
    assert drawn in scene.claim(user, count=6)
    assert queue.renew(user=user, judgment_list=scene.list, pair_ids=[drawn], at=NOW) == {drawn}
    scene.skip(user, drawn)
    assert scene.claim(user, count=6)[-1] == drawn
    scene.skip(user, drawn)
    assert drawn not in scene.finish(user)


def test_gold_pairs_that_were_drawn_are_forgotten_when_the_rate_is_nothing():
    scene, gold_pair = gold_scene(queries=1, documents=8, per_query=4, gold_rate=50)
    user = settled_rater(scene, 1)
    assert set(scene.claim(user, count=6)) & gold_pair
    JudgmentList.objects.update(gold_rate=0)

    assert not set(scene.finish(user)) & gold_pair


def practice_scene():
    return gold_scene(queries=2, documents=4, per_query=2, onboarding=3)


def test_a_new_rater_practices_first_and_is_told_the_right_answer():
    scene, gold_pair = practice_scene()
    user = scene.rater()
    handed = queue.claim(user=user, judgment_list=scene.list, at=NOW)
    assert [one.practice for one in handed] == [True] * 3
    assert {one.pair_id for one in handed} < gold_pair

    told = [
        scene.judge(user, one.pair_id, value).feedback for one, value in zip(handed, (2, 1, 0), strict=True)
    ]

    assert [one.right for one in told] == [True, True, False]
    assert (told[0].value, told[0].also, told[0].explanation) == (2.0, (1.0,), "It says so.")
    assert not ConsensusGrade.objects.exists()
    assert sum(scene.list.list_queries.values_list("judgment_count", flat=True)) == 0
    assert (RaterQueue.objects.get().practice_count, RaterQueue.objects.get().judgment_count) == (3, 0)
    assert not any(one.practice for one in queue.claim(user=user, judgment_list=scene.list, at=NOW))


def test_practice_is_neither_changed_nor_undone():
    scene, _ = practice_scene()
    user = scene.rater()
    first = scene.claim(user)[0]
    scene.judge(user, first, 0)

    with pytest.raises(judging.PracticeError):
        scene.judge(user, first, 2, at=LATER)
    assert scene.undo(user) is None


def test_a_repeated_practice_answer_is_told_the_same():
    scene, _ = practice_scene()
    user, request = scene.rater(), uuid4()
    first = scene.claim(user)[0]

    told = [scene.judge(user, first, reason="language", request_id=request) for _ in range(2)]

    assert told[1].already_saved
    assert [one.feedback.right for one in told] == [False, False]


def test_practice_ends_when_there_is_no_further_gold_pair():
    scene, gold_pair = gold_scene(queries=1, documents=3, per_query=1, onboarding=5)
    user = scene.rater()

    order = scene.finish(user)

    assert set(order[:1]) == gold_pair
    assert len(order) == 3


def test_a_grade_off_the_scale_and_a_foreign_pair_are_refused():
    scene, other = Scene(queries=1, documents=1), Scene(queries=1, documents=1)

    with pytest.raises(judging.AnswerError, match="isn’t a grade"):
        mark(scene, scene.list.pairs.get().pk, value=2.5)
    with pytest.raises(judging.AnswerError, match="isn’t a grade"):
        mark(scene, scene.list.pairs.get().pk, also=[9.0])
    with pytest.raises(queue.UnknownPairError):
        mark(scene, other.list.pairs.get().pk)
