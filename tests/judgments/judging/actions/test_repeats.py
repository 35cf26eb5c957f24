"""Requests that come twice, late, or after what they did was changed or undone."""

from datetime import timedelta
from uuid import uuid4

import pytest

from judgments.judging.actions import judging
from judgments.models import Judgment, JudgmentHistory, RaterQueue
from tests.judgments.judging.actions.scene import NOW, Scene

pytestmark = pytest.mark.django_db
FIRST, SECOND = NOW + timedelta(minutes=1), NOW + timedelta(minutes=2)


@pytest.fixture
def scene():
    return Scene(queries=1, documents=2)


@pytest.fixture
def user(scene):
    return scene.rater()


def undo(scene, user, request_id, at=SECOND):
    return judging.undo(user=user, judgment_list=scene.list, at=at, request_id=request_id)


def test_a_request_that_comes_again_after_a_change_changes_nothing(scene, user):
    pair_id, request = scene.claim(user)[0], uuid4()
    scene.judge(user, pair_id, 1, request_id=request)
    scene.judge(user, pair_id, 3, at=FIRST)

    again = scene.judge(user, pair_id, 1, request_id=request, at=SECOND)

    assert again.already_saved
    assert (again.judgment.value, again.withdrawn) == (3.0, False)
    assert Judgment.objects.get().value == 3.0
    assert JudgmentHistory.objects.count() == 1


def test_a_request_that_comes_again_after_it_was_undone_changes_nothing(scene, user):
    pair_id, request = scene.claim(user)[0], uuid4()
    scene.judge(user, pair_id, 1, request_id=request)
    scene.undo(user, at=FIRST)

    again = scene.judge(user, pair_id, 1, request_id=request, at=SECOND)

    assert again.already_saved
    assert again.withdrawn
    assert (again.judgment.pk, again.judgment.value, again.judgment.updated_at) == (None, 1.0, NOW)
    assert not Judgment.objects.exists()


def test_a_request_whose_answer_holds_again_is_known_still(scene, user):
    pair_id, request, change = scene.claim(user)[0], uuid4(), uuid4()
    scene.judge(user, pair_id, 1, request_id=request)
    scene.judge(user, pair_id, 3, at=FIRST, request_id=change)
    scene.undo(user, at=SECOND)

    for request_id in (request, change):
        assert scene.judge(user, pair_id, 2, request_id=request_id, at=SECOND).judgment.value == 1.0
    assert scene.judge(user, pair_id, 2, at=SECOND).judgment.value == 2.0


def test_a_request_in_the_history_cannot_be_used_for_another_pair_or_by_another_rater(scene, user):
    (first, second), request = scene.claim(user), uuid4()
    scene.judge(user, first, 1, request_id=request)
    scene.undo(user)

    with pytest.raises(judging.RequestReusedError):
        scene.judge(user, second, 1, request_id=request)
    with pytest.raises(judging.RequestReusedError):
        scene.judge(scene.rater(), first, 1, request_id=request)


def test_an_undo_that_comes_twice_undoes_once(scene, user):
    first, second = scene.finish(user)
    request = uuid4()

    undone = [undo(scene, user, request) for _ in range(2)]

    assert [one.pair_id for one in undone] == [second, second]
    assert Judgment.objects.get().pair_id == first
    assert RaterQueue.objects.get().judgment_count == 1
    with pytest.raises(judging.RequestReusedError):
        undo(scene, scene.rater(), request)


def test_an_undone_change_that_comes_twice_tells_what_holds_again(scene, user):
    pair_id, request = scene.claim(user)[0], uuid4()
    scene.judge(user, pair_id, 1)
    scene.judge(user, pair_id, 3, at=FIRST)

    undone = [undo(scene, user, request) for _ in range(2)]

    assert [one.answer.value for one in undone] == [1.0, 1.0]
    assert undo(scene, user, uuid4()).answer is None


WORDS = {"field": "body", "quote": "two metres", "start": 4, "end": 14}


def test_evidence_confidence_view_and_place_are_kept_and_come_back_with_an_undo():
    scene = Scene(queries=1, documents=1, evidence="optional", confidence=True)
    user = scene.rater()
    pair_id = scene.claim(user)[0]
    timing = judging.Timing(view="list", place=7)
    scene.judge(user, pair_id, 1, evidence=[WORDS], confidence=3, timing=timing)
    scene.judge(user, pair_id, 2, at=FIRST)

    history = JudgmentHistory.objects.get()
    assert (history.evidence, history.confidence, history.view, history.place) == ([WORDS], 3, "list", 7)
    scene.undo(user, at=SECOND)
    judgment = Judgment.objects.get()
    assert (judgment.evidence, judgment.confidence, judgment.view, judgment.place) == ([WORDS], 3, "list", 7)


def test_evidence_and_confidence_that_are_not_asked_for_are_dropped():
    scene = Scene(queries=1, documents=1)
    user = scene.rater()

    judgment = scene.judge(
        user, scene.claim(user)[0], evidence=[WORDS], confidence=2, timing=judging.Timing(view="choice")
    ).judgment

    assert (judgment.evidence, judgment.confidence, judgment.view) == ([], None, "")


def test_a_grade_for_which_evidence_is_required_needs_some_and_a_reason_never_does():
    scene = Scene(queries=1, documents=3, evidence="required", evidence_grades=[2.0, 3.0])
    user = scene.rater()
    first, second, third = scene.claim(user)

    with pytest.raises(judging.AnswerError, match="needs evidence"):
        scene.judge(user, first, 3)
    scene.judge(user, first, 3, evidence=[WORDS])
    scene.judge(user, second, 1)
    scene.judge(user, third, reason="offensive")
    assert Judgment.objects.count() == 3


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ([], "needs evidence"),
        ([{"field": "body"}], "no text"),
        ([WORDS | {"quote": "  "}], "no text"),
        ([WORDS | {"start": 14, "end": 4}], "ends before"),
        ([WORDS | {"start": None}], "ends before"),
        ([WORDS | {"start": "4"}], "ends before"),
        ([WORDS] * 21, "at most 20 passages"),
    ],
)
def test_evidence_that_is_none_is_refused(evidence, message):
    scene = Scene(queries=1, documents=1, evidence="required")
    user = scene.rater()

    with pytest.raises(judging.AnswerError, match=message):
        scene.judge(user, scene.claim(user)[0], evidence=evidence)


def test_evidence_without_a_place_is_accepted_and_long_ones_are_cut():
    scene = Scene(queries=1, documents=1, evidence="required")
    user = scene.rater()
    passage = {"field": "f" * 200, "quote": "q" * 3000}

    judgment = scene.judge(user, scene.claim(user)[0], evidence=[passage]).judgment

    assert judgment.evidence == [{"field": "f" * 100, "quote": "q" * 2000, "start": None, "end": None}]


def test_confidence_has_three_steps():
    scene = Scene(queries=1, documents=1, confidence=True)
    user = scene.rater()

    with pytest.raises(judging.AnswerError, match="from 1 to 3"):
        scene.judge(user, scene.claim(user)[0], confidence=4)
