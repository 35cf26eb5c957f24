"""Hidden repeats: who gets which pair again, and that nothing but the repeat itself comes of it."""

from collections import Counter
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection

from judgments.agreement.actions import adjudication
from judgments.base.errors import ArchivedError
from judgments.content.actions import query_sets
from judgments.judging.actions import judging, queue
from judgments.lists.actions import lists
from judgments.models import Judgment, JudgmentList, Pair, RaterQueue, RepeatAnswer, RepeatDraw
from judgments.raters.actions import assignments as actions
from judgments.raters.actions.gold import mark_gold
from tests import factories as make
from tests.judgments.judging.actions.repeat_scene import MONDAY, TUESDAY, RepeatScene, counted

pytestmark = pytest.mark.django_db
SOON, LATER = TUESDAY + timedelta(minutes=1), TUESDAY + timedelta(minutes=2)


def test_a_repeat_is_a_pair_that_the_rater_judged_and_changes_nothing_else():
    scene = RepeatScene(overlap=2)
    scene.judge(scene.rater(), Pair.objects.first().pk, 0)  # a grade that both count for
    one = scene.held_repeat()
    before = scene.everything_else()
    assert Judgment.objects.filter(pair=one.pair_id, rater=scene.me).exists()

    outcome = scene.answer(one, 1.0, comment="Again?")

    assert scene.everything_else() == before
    assert counted() == [(2.0, 1.0, "")]
    assert RepeatAnswer.objects.get().comment == "Again?"
    assert (outcome.judgment.value, outcome.judgment.pk, outcome.earlier) == (1.0, None, None)
    assert one.pair_id not in [other.pair_id for other in scene.handed()]


def test_the_share_of_cards_is_the_one_that_was_asked_for_and_no_pair_comes_twice():
    scene = RepeatScene(judged=60, queries=10, documents=30, repeat_rate=10)
    RaterQueue.objects.update(seed=7)
    cards = Counter()
    while pairs := scene.handed(count=30):
        for one in pairs:
            cards["repeat" if one.repeat else "first"] += 1
            scene.answer(one)

    draws = RepeatDraw.objects.all()
    assert cards["first"] == 240
    assert len(set(draws.values_list("pair", flat=True))) == cards["repeat"] == draws.count()
    # 10 of a hundred cards are 27 of 267; four standard deviations of chance
    assert abs(cards["repeat"] - 240 / 9) < 4 * (240 * (1 / 9) * (8 / 9)) ** 0.5


@pytest.mark.parametrize(("judged", "apart"), [(50, False), (51, True)])
def test_fifty_answers_lie_between(judged, apart):
    scene = RepeatScene(judged=judged)

    if apart:
        assert scene.held_repeat().pair_id == Judgment.objects.earliest("pk").pair_id
    else:
        with pytest.raises(AssertionError):
            scene.held_repeat()


def test_a_rater_who_judged_nothing_and_a_list_that_asks_for_none_get_no_repeat():
    for scene in (RepeatScene(judged=0), RepeatScene(repeat_rate=0)):
        with pytest.raises(AssertionError):
            scene.held_repeat()
    assert not RepeatDraw.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"gold": "gold"},
        {"method": "import"},
        {"value": None, "reason": "language"},
        {"guidelines_version": 0},
        {"updated_at": TUESDAY},
    ],
)
def test_what_says_nothing_of_the_rater_is_not_repeated(fields):
    """Gold pairs, imported grades, no grade, other guidelines, and what was changed within the last fifty answers."""
    scene = RepeatScene()
    Judgment.objects.update(**fields)
    Judgment.objects.filter(pk__gt=Judgment.objects.order_by("pk")[9].pk).update(updated_at=MONDAY)

    with pytest.raises(AssertionError):
        scene.held_repeat()


def test_what_was_judged_on_another_day_comes_first():
    scene = RepeatScene(judged=0, queries=20)
    pairs = list(scene.list.pairs.order_by("pk"))
    scene.was_judged(pairs[:60], at=TUESDAY - timedelta(hours=1))
    Judgment.objects.filter(pair=pairs[5]).update(created_at=MONDAY, updated_at=MONDAY)

    assert scene.held_repeat().pair_id == pairs[5].pk


def test_pairs_are_repeated_whatever_their_place_in_their_query():
    """The seed orders the documents of a query, and must not choose the repeats as well."""
    first, total = 0, 0
    for seed in range(40):
        scene = RepeatScene(judged=60, queries=8, documents=10)
        RaterQueue.objects.filter(rater=scene.me).update(seed=seed)
        order = {pair_id: nth for nth, pair_id in enumerate(shuffled(scene, seed))}
        for one in scene.handed(count=20):
            if one.repeat:
                first, total = first + (order[one.pair_id] < 40), total + 1

    assert total > 60
    assert abs(first - total / 2) < 4 * (total / 4) ** 0.5


def shuffled(scene, seed):
    """All pairs in the order that this seed gives them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM judgments_pair WHERE judgment_list_id = %s ORDER BY hashint8extended(id, %s)",
            [scene.list.pk, seed],
        )
        return [row[0] for row in cursor.fetchall()]


def test_a_repeat_that_was_handed_out_stays_and_no_number_draws_two():
    scene = RepeatScene()
    one = scene.held_repeat()
    draws = RepeatDraw.objects.count()

    for minutes in (0, 5, 30, 60):  # leases run out, and the pairs are claimed anew
        again = scene.handed(at=TUESDAY + timedelta(minutes=minutes), count=6)
        assert one in again

    assert RepeatDraw.objects.count() == draws
    assert queue.renew(user=scene.user, judgment_list=scene.list, pair_ids=[one.pair_id], at=SOON) == {
        one.pair_id
    }


def test_a_repeat_looks_like_any_other_card():
    scene = RepeatScene(judged=60, queries=1, documents=80)
    scene.held_repeat()

    pairs = scene.handed(count=6)

    assert {(one.practice, one.position, one.documents) for one in pairs} == {(False, 1, 80)}
    assert all(61 <= one.number <= 61 + nth for nth, one in enumerate(pairs))


def test_a_finished_query_is_not_counted_on():
    scene = RepeatScene()

    one = scene.held_repeat()

    assert (one.number, one.documents) == (10, 10)


def test_a_double_click_and_a_late_request_answer_once():
    scene = RepeatScene()
    one, request = scene.held_repeat(), uuid4()

    first = scene.answer(one, 1.0, request_id=request)
    again = scene.answer(one, 1.0, request_id=request, at=SOON)

    assert (first.already_saved, again.already_saved, again.judgment.value) == (False, True, 1.0)
    assert RepeatAnswer.objects.count() == 1
    judging.undo(user=scene.user, judgment_list=scene.list, at=SOON)
    late = scene.answer(one, 1.0, request_id=request, at=LATER)
    assert (late.already_saved, late.withdrawn) == (True, True)
    assert counted() == []


def test_two_tabs_ask_before_the_second_answer_takes_the_place_of_the_first():
    scene = RepeatScene()
    one = scene.held_repeat()
    before = scene.everything_else()
    scene.answer(one, 1.0)

    with pytest.raises(judging.JudgedBeforeError) as error:
        scene.answer(one, 3.0, at=SOON)

    assert (error.value.judgment.value, error.value.judgment.pair_id) == (1.0, one.pair_id)
    scene.answer(one, 3.0, at=LATER, known=True)
    assert counted() == [(2.0, 3.0, "")]
    assert scene.everything_else() == before


def test_a_request_serves_one_rater_and_one_card_only():
    scene = RepeatScene()
    one, request = scene.held_repeat(), uuid4()
    scene.answer(one, request_id=request)
    other = next(pairs for pairs in scene.handed(count=6) if not pairs.repeat)

    with pytest.raises(judging.RequestReusedError):
        scene.answer(other, request_id=request)
    with pytest.raises(judging.RequestReusedError):
        scene.judge(scene.rater(), one.pair_id, request_id=request)


def test_the_card_of_somebody_else_is_none():
    scene = RepeatScene()
    one = scene.held_repeat()
    stranger = scene.rater()

    scene.judge(stranger, one.pair_id, 0, card=one.repeat)

    assert Judgment.objects.filter(pair=one.pair_id, rater__user=stranger, value=0).exists()
    assert not RepeatAnswer.objects.exists()


def test_cannot_judge_is_an_answer_to_a_repeat():
    scene = RepeatScene()

    scene.answer(scene.held_repeat(), reason="language")

    assert counted() == [(2.0, None, "language")]


def test_an_answer_off_the_scale_is_refused():
    scene = RepeatScene()

    with pytest.raises(judging.AnswerError):
        scene.answer(scene.held_repeat(), 2.5)
    assert not RepeatAnswer.objects.exists()


def test_an_answer_while_the_list_is_paused_is_kept_and_nothing_further_comes():
    scene = RepeatScene()
    one = scene.held_repeat()
    lists.set_paused(judgment_list=scene.list, paused=True)

    scene.answer(one, 1.0)

    assert scene.handed() == []
    assert counted() == [(2.0, 1.0, "")]


def test_an_archived_list_takes_no_new_answer_and_knows_an_old_one():
    scene = RepeatScene()
    one, request = scene.held_repeat(), uuid4()
    scene.answer(one, 1.0, request_id=request)
    query_sets.archive_query_set(query_set=scene.query_set, user=make.make_user(), at=SOON)

    assert scene.answer(one, 1.0, request_id=request, at=LATER).already_saved
    with pytest.raises(ArchivedError):
        scene.answer(one, 3.0, at=LATER, known=True)


def test_a_rater_who_is_left_out_gets_repeats_and_no_grade_follows():
    scene = RepeatScene()
    admin = make.make_user()
    adjudication.exclude_rater(judgment_list=scene.list, rater=scene.me, user=admin, note="", at=MONDAY)
    one = scene.held_repeat()
    before = scene.everything_else()

    scene.answer(one, 0.0)

    assert scene.everything_else() == before
    assert counted() == [(2.0, 0.0, "")]


def test_released_and_unassigned_raters_get_none_and_a_late_answer_is_kept():
    scene = RepeatScene()
    one = scene.held_repeat()
    lists.set_assignment(judgment_list=scene.list, mode="named")
    actions.release_rater(judgment_list=scene.list, rater=scene.me, at=SOON)

    assert scene.handed() == []
    scene.answer(one, 1.0, at=LATER)
    assert counted() == [(2.0, 1.0, "")]


def test_no_repeat_comes_to_a_page_that_shows_own_answers_or_once_the_list_asks_for_none():
    scene = RepeatScene()
    one = scene.held_repeat()
    assert one in scene.handed(count=6)

    assert not any(other.repeat for other in scene.handed(count=6, with_repeats=False))
    JudgmentList.objects.update(repeat_rate=0)
    assert not any(other.repeat for other in scene.handed(count=6))


def test_a_judgment_that_changed_meanwhile_is_neither_shown_nor_counted():
    scene = RepeatScene()
    one = scene.held_repeat()
    scene.judge(scene.user, one.pair_id, 3.0, at=SOON)  # opened again and changed

    assert one not in scene.handed(at=LATER, count=6)
    scene.answer(one, 1.0, at=LATER)
    assert Judgment.objects.get(pair=one.pair_id).value == 3.0
    assert counted() == []


@pytest.mark.parametrize("fields", [{"guidelines_version": 0}, {"method": "import", "value": 3.0}])
def test_a_repeat_that_waits_is_not_shown_under_other_guidelines_or_over_an_imported_grade(fields):
    """As when it is drawn: the file of an import may say that its grade is older than the draw."""
    scene = RepeatScene()
    one = scene.held_repeat()
    assert one in scene.handed(count=6)

    Judgment.objects.filter(pair=one.pair_id).update(**fields)

    assert one not in scene.handed(count=6)


def test_where_the_judgment_was_taken_back_the_answer_is_a_first_one():
    scene = RepeatScene(judged=0, documents=60, queries=1)
    scene.finish(scene.user, at=MONDAY, most=55)
    one = scene.held_repeat()
    judgment = Judgment.objects.get(pair=one.pair_id)
    Judgment.objects.filter(pk=judgment.pk).update(request_id=uuid4())
    judgment.refresh_from_db()
    judging.undo(user=scene.user, judgment_list=scene.list, at=SOON, answer=judgment.request_id)

    scene.answer(one, 3.0, at=LATER)

    assert Judgment.objects.get(pair=one.pair_id).value == 3.0
    assert not RepeatAnswer.objects.exists()
    assert one.pair_id not in [pairs.pair_id for pairs in scene.handed(at=LATER, count=6)]


def test_gold_pairs_come_at_their_rate_beside_repeats():
    """Repeats count for nobody, so a number that asks for a gold pair gets it whatever was repeated before."""
    orders = []
    for rate in (0, 20):
        scene = RepeatScene(judged=60, queries=10, documents=20, repeat_rate=rate, gold_rate=20)
        RaterQueue.objects.update(seed=3)
        admin = make.make_user()
        for pair in scene.list.pairs.order_by("-pk")[:40]:
            mark_gold(judgment_list=scene.list, pair_id=pair.pk, value=2, user=admin, at=MONDAY)
        while pairs := scene.handed(count=5):
            for one in pairs:
                scene.answer(one)
        orders.append(Judgment.objects.filter(judgment_list=scene.list, gold="gold").count())

    assert orders[0] == orders[1] > 10
    assert RepeatDraw.objects.count() > 10
