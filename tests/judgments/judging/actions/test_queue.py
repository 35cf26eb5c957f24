"""What raters get to judge next, and what they put off."""

from datetime import timedelta

import pytest
from django.db import connection

from judgments.models import FREE, GoldDraw, Judgment, Rater, RaterQueue, Slot
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER, NOW, Scene

pytestmark = pytest.mark.django_db


def test_a_rater_finishes_one_query_before_the_next():
    scene = Scene(queries=3, documents=4)

    order = scene.finish(scene.rater())

    pairs = scene.list.pairs.in_bulk()
    queries = [pairs[pair_id].query_id for pair_id in order]
    assert len(set(order)) == 12
    assert queries == sorted(queries)


def test_each_rater_has_an_own_order_that_stays_the_same():
    scene = Scene(queries=1, documents=12, overlap=3)
    one, two = scene.rater(), scene.rater()

    first, second = scene.claim(one, count=12), scene.claim(two, count=12)

    assert sorted(first) == sorted(second)
    assert first != second
    assert scene.claim(one, count=12) == first
    assert scene.claim(one, at=LATER, count=12) == first


def test_a_pair_is_handed_out_as_often_as_the_overlap_says():
    scene = Scene(queries=1, documents=2, overlap=2)

    claims = [scene.claim(scene.rater()) for _ in range(3)]

    assert [len(pairs) for pairs in claims] == [2, 2, 0]


def test_what_one_rater_holds_goes_to_another_when_the_lease_has_run_out():
    scene = Scene(queries=1, documents=2)
    away, here = scene.rater(), scene.rater()
    scene.claim(away)

    assert scene.claim(here) == []
    assert len(scene.claim(here, at=LATER)) == 2


def test_a_claim_holds_a_few_pairs_of_one_query_and_fills_up():
    scene = Scene(queries=2, documents=6)
    user = scene.rater()

    first = scene.claim(user)
    scene.judge(user, first[0])
    second = scene.claim(user)

    assert len(first) == len(second) == 5
    assert second[:4] == first[1:]
    assert Slot.objects.filter(state="open", lease_until__gt=NOW).count() == 5


def test_asking_again_keeps_the_lease_alive():
    scene = Scene(queries=1, documents=1)
    user = scene.rater()
    scene.claim(user)

    scene.claim(user, at=NOW + timedelta(minutes=10))

    assert Slot.objects.get().lease_until == NOW + timedelta(minutes=25)


def test_a_paused_list_hands_out_nothing_but_saves_the_answer_that_was_open():
    scene = Scene(queries=1, documents=2)
    user = scene.rater()
    pair_id = scene.claim(user)[0]
    scene.list.paused = True
    scene.list.save()

    assert scene.claim(user) == []
    assert scene.judge(user, pair_id).judgment.pk


def test_queries_that_others_hold_are_passed_over_and_come_back_after_the_end():
    scene = Scene(queries=3, documents=2)
    first, second = scene.rater(), scene.rater()
    scene.claim(first, count=2)

    order = scene.finish(second)
    rest = scene.finish(second, at=LATER)

    assert len(order) == 4
    assert len(rest) == 2


def test_a_pair_put_off_comes_back_at_the_end_of_its_query():
    scene = Scene(queries=2, documents=3)
    user = scene.rater()
    first, second, third = scene.claim(user, count=3)

    scene.skip(user, first)

    assert scene.finish(user)[:3] == [second, third, first]


def test_a_pair_put_off_is_free_for_others():
    scene = Scene(queries=1, documents=1)
    user = scene.rater()
    pair_id = scene.claim(user)[0]

    scene.skip(user, pair_id)

    assert Slot.objects.get().rater is None
    assert scene.claim(scene.rater()) == [pair_id]


def test_put_off_twice_a_pair_waits_until_all_else_is_done_and_the_rater_asks_for_it():
    scene = Scene(queries=2, documents=1)
    user = scene.rater()
    first = scene.claim(user)[0]
    scene.skip(user, first)
    assert scene.claim(user)[0] == first

    scene.skip(user, first)
    scene.finish(user)

    assert scene.claim(user) == []
    assert scene.claim(user, with_skipped=True) == [first]


def plan(user, scene):
    """The plans of all statements of one claim, as EXPLAIN tells them."""
    statements = []

    def note(execute, sql, params, many, context):
        statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        scene.claim(user)
    with connection.cursor() as cursor:
        for sql, params in statements:
            if "judgments_slot" in sql:
                cursor.execute(f"EXPLAIN {sql}", params)
                yield "\n".join(row[0] for row in cursor.fetchall())


def test_no_statement_of_a_claim_reads_a_whole_table():
    scene = Scene(queries=300, documents=30, overlap=2)
    user = scene.rater()
    scene.finish(user, most=40)
    for rater in (make.make_rater(scene.query_set), make.make_rater(scene.query_set)):
        owner = {"query_set": scene.query_set, "judgment_list": scene.list, "rater": rater}
        times = {"created_at": NOW, "updated_at": NOW}
        Judgment.objects.bulk_create(
            Judgment(**owner, **times, pair_id=pair_id, value=1)
            for pair_id in scene.list.pairs.values_list("pk", flat=True)
        )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    Slot.objects.filter(rater__user=user, state="open").update(rater=None, lease_until=FREE)
    RaterQueue.objects.update(query_position=0, round_position=0)

    plans = list(plan(user, scene))

    assert len(plans) == 4
    for table in ("judgments_slot", "judgments_judgment", "judgments_pair"):
        assert f"Seq Scan on {table}" not in "\n".join(plans)


def test_a_query_that_was_begun_is_gone_on_with_where_something_drawn_came_before_it():
    scene = Scene(queries=3, documents=4, gold_rate=1)
    user = scene.rater()
    for pair_id in scene.claim(user, count=4):
        scene.judge(user, pair_id)
    draws = make.make_pair(
        scene.list, scene.list.list_queries.first().query, make.make_document(scene.query_set)
    )
    make.make_gold_pair(draws, 1)
    draw = {"judgment_list": scene.list, "pair": draws, "rater": Rater.objects.get(), "drawn_at": NOW}
    GoldDraw.objects.create(**draw, query_position=1)
    RaterQueue.objects.update(seed=1)  # no further gold pair is due
    pairs = scene.claim(user, count=4)
    assert pairs[0] == draws.pk
    for pair_id in pairs:  # kept offline, and sent together
        scene.judge(user, pair_id)

    then = scene.claim(user, count=1)

    queries = dict(scene.list.pairs.values_list("pk", "query"))
    assert queries[then[0]] == queries[pairs[-1]]


def test_a_query_that_was_begun_is_gone_on_with_where_all_was_answered_at_once():
    scene = Scene(queries=3, documents=4)
    user = scene.rater()
    pairs = scene.claim(user, count=6)
    for pair_id in pairs:
        scene.judge(user, pair_id)

    order = pairs + scene.finish(user)

    queries = dict(scene.list.pairs.values_list("pk", "query"))
    assert [queries[pair_id] for pair_id in order] == sorted(queries.values())
