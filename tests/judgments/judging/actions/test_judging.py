"""Saving, changing and undoing answers."""

from dataclasses import fields
from datetime import timedelta
from uuid import uuid4

import pytest

from judgments.judging.actions import judging, queue
from judgments.models import ConsensusGrade, Judgment, JudgmentHistory, RaterQueue, Slot
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER, NOW, Scene

pytestmark = pytest.mark.django_db


def test_every_fact_that_the_client_tells_is_a_column():
    columns = {field.name for field in Judgment._meta.get_fields()}

    assert {fact.name for fact in fields(judging.Timing)} <= columns


def test_no_answer_is_refused_for_what_is_told_of_how_it_was_given():
    odd = judging.Timing(-5, 2**40, "by pigeon", "a device of many words", "upside down", 2**40)

    assert odd.details() == {
        "active_ms": 0,
        "wall_ms": 2**31 - 1,
        "method": "click",
        "device": "a device o",
        "view": "",
        "place": 2**31 - 1,
    }


def test_a_judgment_fills_the_slot_counts_and_makes_the_consensus():
    scene = Scene(queries=1, documents=1)
    user = scene.rater()
    pair_id = scene.claim(user)[0]

    outcome = scene.judge(
        user, pair_id, 2, comment="  quite  ", timing=judging.Timing(1200, 2**40, "key", "desktop")
    )

    judgment = outcome.judgment
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

    assert again.already_saved
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

    outcome = scene.judge(user, pair_id, 3, at=LATER)

    assert outcome.earlier.value == 1.0
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
    assert ConsensusGrade.objects.get().judgments == 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"value": 9.0}, "9 isn’t a grade of the scale"),
        ({"value": float("nan")}, "isn’t a grade"),
        ({"value": None}, "Choose one grade"),
        ({"value": 1.0, "reason": "offensive"}, "Choose one grade"),
        ({"value": None, "reason": "bored"}, "isn’t one of the reasons"),
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
