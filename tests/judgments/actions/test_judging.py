from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection

from judgments.actions import judging, queue
from judgments.actions.pairs import add_pairs
from judgments.models import FREE, ConsensusGrade, Judgment, JudgmentHistory, RaterQueue, Slot
from tests import factories as make

pytestmark = pytest.mark.django_db
NOW = make.NOW
LATER = NOW + timedelta(minutes=16)


class Scene:
    """A list of `queries` times `documents` pairs, and what its raters do."""

    def __init__(self, queries=2, documents=3, **fields):
        self.query_set = make.make_query_set()
        self.list = make.make_list(self.query_set, **fields)
        found = [make.make_document(self.query_set).pk for _ in range(documents)]
        asked = [make.make_query(self.query_set).pk for _ in range(queries)]
        add_pairs(judgment_list=self.list, pairs=[(query, one) for query in asked for one in found])

    def rater(self):
        return make.make_member(self.query_set, "rater")

    def claim(self, user, at=NOW, **more):
        return [held.pair_id for held in queue.claim(user=user, judgment_list=self.list, at=at, **more)]

    def judge(self, user, pair_id, value=1.0, at=NOW, request_id=None, **more):
        if "reason" in more:
            value = None
        return judging.record_judgment(
            user=user,
            judgment_list=self.list,
            pair_id=pair_id,
            request_id=request_id or uuid4(),
            value=value,
            at=at,
            **more,
        )

    def undo(self, user, at=NOW):
        undone = judging.undo(user=user, judgment_list=self.list, at=at)
        return undone and undone.pair_id

    def skip(self, user, pair_id, at=NOW):
        queue.skip(user=user, judgment_list=self.list, pair_id=pair_id, at=at)

    def finish(self, user, at=NOW, most=100):
        """Judges until nothing is left; the pairs in the order in which they came."""
        order: list[int] = []
        while (held := self.claim(user, at)) and len(order) < most:
            order.append(held[0])
            self.judge(user, held[0], at=at)
        return order


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

    handed = [scene.claim(scene.rater()) for _ in range(3)]

    assert [len(pairs) for pairs in handed] == [2, 2, 0]


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
    scene.claim(first)

    order = scene.finish(second)
    rest = scene.finish(second, at=LATER)

    assert len(order) == 4
    assert len(rest) == 2


def test_a_judgment_fills_the_slot_counts_and_makes_the_consensus():
    scene = Scene(queries=1, documents=1)
    user = scene.rater()
    pair_id = scene.claim(user)[0]

    recorded = scene.judge(
        user, pair_id, 2, comment="  quite  ", timing=judging.Timing(1200, 2**40, "key", "desktop")
    )

    judgment = recorded.judgment
    judgment.refresh_from_db()
    assert (judgment.value, judgment.comment, judgment.extra) == (2.0, "quite", False)
    assert (judgment.active_ms, judgment.wall_ms, judgment.method) == (1200, 2**31 - 1, "key")
    assert (Slot.objects.get().state, Slot.objects.get().rater) == ("done", judgment.rater)
    assert ConsensusGrade.objects.get().value == 2.0
    row = scene.list.list_queries.get()
    assert (row.judgment_count, row.graded_count, row.revision) == (1, 1, 2)
    assert RaterQueue.objects.get().judgment_count == 1


def test_the_same_request_twice_changes_nothing():
    scene = Scene(queries=1, documents=1)
    user, request_id = scene.rater(), uuid4()
    pair_id = scene.claim(user)[0]

    scene.judge(user, pair_id, 2, request_id=request_id)
    again = scene.judge(user, pair_id, 3, request_id=request_id)

    assert again.repeated
    assert Judgment.objects.get().value == 2.0
    assert not JudgmentHistory.objects.exists()
    assert scene.list.list_queries.get().judgment_count == RaterQueue.objects.get().judgment_count == 1


def test_the_number_of_a_request_cannot_be_used_for_another_pair():
    scene = Scene(queries=1, documents=2)
    user, request_id = scene.rater(), uuid4()
    first, second = scene.claim(user)
    scene.judge(user, first, request_id=request_id)

    with pytest.raises(judging.RequestReusedError):
        scene.judge(user, second, request_id=request_id)


def test_a_second_answer_replaces_the_first_which_goes_to_the_history():
    scene = Scene(queries=1, documents=1)
    user = scene.rater()
    pair_id = scene.claim(user)[0]
    scene.judge(user, pair_id, 1)

    recorded = scene.judge(user, pair_id, 3, at=LATER)

    assert recorded.earlier.value == 1.0
    assert Judgment.objects.get().value == ConsensusGrade.objects.get().value == 3.0
    history = JudgmentHistory.objects.get()
    assert (history.value, history.action, history.answered_at, history.replaced_at) == (
        1.0,
        "changed",
        NOW,
        LATER,
    )
    assert scene.list.list_queries.get().judgment_count == 1


def test_an_answer_after_the_lease_ran_out_takes_a_free_slot():
    scene = Scene(queries=1, documents=1, overlap=2)
    slow, quick = scene.rater(), scene.rater()
    pair_id = scene.claim(slow)[0]
    scene.claim(quick, at=LATER)
    scene.judge(quick, pair_id, at=LATER)

    assert not scene.judge(slow, pair_id, at=LATER).judgment.extra
    assert Slot.objects.filter(state="done").count() == 2


def test_an_answer_for_which_no_slot_is_left_is_kept_as_extra():
    scene = Scene(queries=1, documents=1)
    slow, quick = scene.rater(), scene.rater()
    pair_id = scene.claim(slow)[0]
    scene.claim(quick, at=LATER)
    scene.judge(quick, pair_id, 0, at=LATER)

    assert scene.judge(slow, pair_id, 2, at=LATER).judgment.extra
    assert ConsensusGrade.objects.get().how.startswith("0, 2")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"value": 9.0}, "9 is not a grade of the scale"),
        ({"value": float("nan")}, "not a grade"),
        ({"value": None}, "Choose one grade"),
        ({"value": 1.0, "reason": "offensive"}, "Choose one grade"),
        ({"value": None, "reason": "bored"}, "no reason"),
    ],
)
def test_answers_that_are_none_are_refused(answer, message):
    scene = Scene(queries=1, documents=1)
    user = scene.rater()

    with pytest.raises(judging.AnswerError, match=message):
        judging.record_judgment(
            user=user,
            judgment_list=scene.list,
            pair_id=scene.claim(user)[0],
            request_id=uuid4(),
            at=NOW,
            **answer,
        )


def test_a_continuous_scale_takes_any_value_in_its_range():
    scene = Scene(queries=1, documents=1, scale=make.preset("Continuous 0–1"))
    user = scene.rater()
    pair_id = scene.claim(user)[0]

    scene.judge(user, pair_id, 0.125)

    with pytest.raises(judging.AnswerError, match="between 0 and 1"):
        scene.judge(user, pair_id, 1.5)


def test_cannot_judge_is_an_answer_but_no_grade():
    scene = Scene(queries=1, documents=1)
    user = scene.rater()

    scene.judge(user, scene.claim(user)[0], reason="language")

    assert ConsensusGrade.objects.get().value is None
    assert scene.list.list_queries.get().graded_count == 0
    assert Slot.objects.get().state == "done"


def test_strangers_and_pairs_of_other_lists_are_refused():
    scene, other = Scene(queries=1, documents=1), Scene(queries=1, documents=1)
    user = scene.rater()

    with pytest.raises(queue.NotAMemberError):
        scene.claim(other.rater())
    with pytest.raises(queue.UnknownPairError):
        scene.judge(user, other.list.pairs.get().pk)


def test_a_site_administrator_may_judge_without_membership():
    scene = Scene(queries=1, documents=1)

    assert scene.claim(make.make_user(is_superuser=True))


def test_undo_gives_the_last_pair_back_and_keeps_the_answer_in_the_history():
    scene = Scene(queries=1, documents=2)
    user = scene.rater()
    first, second = scene.claim(user)
    scene.judge(user, first, 1)
    scene.judge(user, second, 2)

    assert scene.undo(user) == second

    assert scene.claim(user) == [second]
    assert JudgmentHistory.objects.get().action == "withdrawn"
    assert Judgment.objects.get().pair_id == first
    assert ConsensusGrade.objects.get().pair_id == first
    row = scene.list.list_queries.get()
    assert (row.judgment_count, row.graded_count) == (1, 1)
    assert RaterQueue.objects.get().judgment_count == 1


def test_undo_of_a_change_brings_the_earlier_answer_back_and_touches_no_other():
    scene = Scene(queries=1, documents=2)
    user = scene.rater()
    first, second = scene.claim(user)
    scene.judge(user, first, 1, at=NOW)
    scene.judge(user, second, 2, at=NOW + timedelta(minutes=1))
    scene.judge(user, first, 3, at=NOW + timedelta(minutes=2))

    assert scene.undo(user, at=NOW + timedelta(minutes=3)) == first

    values = dict(Judgment.objects.values_list("pair_id", "value"))
    assert values == {first: 1, second: 2}
    assert dict(ConsensusGrade.objects.values_list("pair_id", "value")) == values
    history = JudgmentHistory.objects.order_by("pk").values_list("pair_id", "action", "value")
    assert list(history) == [(first, "changed", 1), (first, "withdrawn", 3)]
    assert RaterQueue.objects.get().judgment_count == 2

    assert scene.undo(user, at=NOW + timedelta(minutes=4)) == second
    assert dict(Judgment.objects.values_list("pair_id", "value")) == {first: 1}


def test_undo_after_a_change_and_a_further_judgment_withdraws_the_further_one():
    scene = Scene(queries=1, documents=2)
    user = scene.rater()
    first, second = scene.claim(user)
    scene.judge(user, first, 1, at=NOW)
    scene.judge(user, first, 3, at=NOW + timedelta(minutes=1))
    scene.judge(user, second, 2, at=NOW + timedelta(minutes=2))

    assert scene.undo(user, at=NOW + timedelta(minutes=3)) == second
    assert scene.undo(user, at=NOW + timedelta(minutes=4)) == first
    assert dict(Judgment.objects.values_list("pair_id", "value")) == {first: 1}


def test_undo_goes_further_back_and_ends_at_the_first():
    scene = Scene(queries=1, documents=2)
    user = scene.rater()
    first, second = scene.finish(user)

    assert [scene.undo(user), scene.undo(user), scene.undo(user)] == [second, first, None]
    assert len(scene.finish(user)) == 2


def test_a_pair_put_off_comes_back_at_the_end_of_its_query():
    scene = Scene(queries=2, documents=3)
    user = scene.rater()
    first, second, third = scene.claim(user)

    scene.skip(user, first)

    assert scene.finish(user)[:3] == [second, third, first]


def test_a_pair_put_off_is_free_for_others():
    scene = Scene(queries=1, documents=1)
    user = scene.rater()
    pair_id = scene.claim(user)[0]

    scene.skip(user, pair_id)

    assert Slot.objects.get().lease_until == FREE
    assert scene.claim(scene.rater()) == [pair_id]


def test_put_off_twice_a_pair_waits_until_all_else_is_done_and_the_rater_asks_for_it():
    scene = Scene(queries=2, documents=1)
    user = scene.rater()
    first = scene.claim(user)[0]
    scene.skip(user, first)
    assert scene.claim(user) == [first]

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
    RaterQueue.objects.update(query_position=0)

    plans = list(plan(user, scene))

    assert len(plans) == 4
    for table in ("judgments_slot", "judgments_judgment", "judgments_pair"):
        assert f"Seq Scan on {table}" not in "\n".join(plans)
