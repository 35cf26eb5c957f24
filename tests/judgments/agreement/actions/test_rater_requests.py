"""An admin asks another rater about a pair that its raters have judged."""

import pytest

from judgments.agreement.actions.adjudication import adjudicate, exclude_rater, withdraw_adjudication
from judgments.agreement.actions.rater_requests import RaterRequestError, ask_another, stop_asking
from judgments.agreement.reports.rater_requests import rater_request
from judgments.judging.actions.queue import UnknownPairError
from judgments.lists.actions.lists import set_assignment
from judgments.lists.actions.pairs import set_adaptive, set_overlap
from judgments.models import Act, AssignmentMode, ConsensusGrade, Exclusion, Judgment, Rater, Slot
from judgments.raters.actions.assignments import assign
from judgments.raters.actions.gold import mark_gold
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene

pytestmark = pytest.mark.django_db
NOBODY = "Everybody else who can judge this list has judged it or is left out."


@pytest.fixture
def scene():
    """Two pairs for one rater each, judged by the first of three."""
    scene = Scene(queries=1, documents=2, overlap=1)
    scene.first, scene.second = scene.list.pairs.order_by("pk")
    scene.anna, scene.ben, scene.carl = scene.rater(), scene.rater(), scene.rater()
    scene.admin = make.make_member(scene.query_set, "admin", username="ada")
    for pair in (scene.first, scene.second):
        scene.judge(scene.anna, pair.pk, value=0)
    return scene


def ask(scene, pair=None, **more):
    given = {"judgment_list": scene.list, "user": scene.admin, "at": make.NOW} | more
    ask_another(pair_id=(pair or scene.first).pk, **given)


def stop(scene):
    return stop_asking(judgment_list=scene.list, pair_id=scene.first.pk, at=make.NOW)


def state(scene, pair=None):
    return rater_request(scene.list, (pair or scene.first).pk, scene.admin)


def counts(scene):
    """What the query says of its pairs: judgments, and judgments that raters still have to make."""
    row = scene.list.list_queries.get()
    return row.judgment_count, row.open_count


def test_a_rater_who_has_not_judged_it_gets_it(scene):
    assert scene.claim(scene.ben) == []

    ask(scene)

    assert counts(scene) == (2, 1)
    assert scene.claim(scene.anna) == []
    assert scene.claim(scene.ben) == [scene.first.pk]
    scene.judge(scene.ben, scene.first.pk, value=2)
    assert counts(scene) == (3, 0)
    grade = ConsensusGrade.objects.get(pair=scene.first)
    assert (grade.judgments, grade.spread) == (2, 2)
    assert not Judgment.objects.filter(extra=True).exists()
    assert scene.claim(scene.carl) == []


def test_nobody_gets_it_twice_by_two_clicks(scene):
    ask(scene)

    with pytest.raises(RaterRequestError, match=r"^It waits for 1 rater already\.$"):
        ask(scene)

    assert Slot.objects.filter(pair=scene.first, state="open").count() == 1
    assert Act.objects.filter(verb="rater-asked").count() == 1


def test_once_it_is_judged_the_next_one_can_be_asked(scene):
    ask(scene)
    scene.judge(scene.ben, scene.first.pk, value=2)
    assert not state(scene).is_asked

    ask(scene)

    assert scene.claim(scene.carl) == [scene.first.pk]


def test_a_rater_who_takes_the_answer_back_has_it_again(scene):
    ask(scene)
    scene.judge(scene.ben, scene.first.pk, value=2)

    scene.undo(scene.ben)

    assert counts(scene) == (2, 1)
    assert scene.claim(scene.ben) == [scene.first.pk]
    assert state(scene).is_asked


def test_it_can_be_stopped(scene):
    ask(scene)

    assert stop(scene)

    assert counts(scene) == (2, 0)
    assert scene.claim(scene.ben) == []
    assert not stop(scene)


def test_who_has_it_on_the_screen_may_still_judge_it(scene):
    ask(scene)
    scene.claim(scene.ben)

    assert stop(scene)
    scene.judge(scene.ben, scene.first.pk, value=2)

    assert Judgment.objects.get(rater__user=scene.ben).extra
    assert counts(scene) == (3, 0)


def test_nothing_is_stopped_that_the_list_requires(scene):
    set_overlap(judgment_list=scene.list, overlap=2, at=make.NOW)

    assert not stop(scene)

    assert counts(scene) == (2, 2)


def test_a_request_is_part_of_a_greater_overlap(scene):
    ask(scene)

    set_overlap(judgment_list=scene.list, overlap=2, at=make.NOW)

    assert counts(scene) == (2, 2)
    set_overlap(judgment_list=scene.list, overlap=1, at=make.NOW)
    assert counts(scene) == (2, 1)


def test_a_request_goes_beyond_what_a_list_asks_for_where_raters_differ(scene):
    set_overlap(judgment_list=scene.list, overlap=2, at=make.NOW)
    set_adaptive(judgment_list=scene.list, step=1, most=3, at=make.NOW)
    scene.judge(scene.ben, scene.first.pk, value=2)
    assert state(scene).why_not == "It waits for 1 rater already."
    scene.judge(scene.carl, scene.first.pk, value=0)
    dora = scene.rater()

    ask(scene)

    assert scene.first.pk in scene.claim(dora)
    scene.judge(dora, scene.first.pk, value=2)
    assert state(scene).waiting == 0


def test_a_rater_who_is_left_out_is_replaced_by_another(scene):
    ask(scene)
    scene.judge(scene.ben, scene.first.pk, value=2)

    rater = Rater.objects.get(user=scene.ben)
    exclude_rater(judgment_list=scene.list, rater=rater, user=scene.admin, at=make.NOW)

    assert counts(scene)[1] == 1
    assert scene.claim(scene.carl) == [scene.first.pk]


def test_a_decision_ends_it_until_it_is_withdrawn(scene):
    ask(scene)
    of_pair = {"judgment_list": scene.list, "pair_id": scene.first.pk, "user": scene.admin, "at": make.NOW}

    adjudicate(value=1, cause="slip", **of_pair)

    assert counts(scene) == (2, 0)
    assert state(scene).why_not == "Its grade is decided. Withdraw the decision first."
    withdraw_adjudication(**of_pair)
    assert counts(scene) == (2, 1)
    assert state(scene).is_asked


def test_a_gold_pair_is_not_asked_about(scene):
    mark_gold(judgment_list=scene.list, pair_id=scene.first.pk, value=0, user=scene.admin, at=make.NOW)

    with pytest.raises(RaterRequestError, match=r"^A gold pair gets no ordinary judgments\.$"):
        ask(scene)


def test_a_pair_that_waits_for_its_raters_is_not_asked_about():
    scene = Scene(queries=1, documents=1, overlap=3)
    scene.first, scene.admin = scene.list.pairs.get(), None

    with pytest.raises(RaterRequestError, match=r"^It waits for 3 raters already\.$"):
        ask(scene)


def test_it_is_refused_where_nobody_is_left_to_ask(scene):
    for user in (scene.ben, scene.carl):
        ask(scene)
        scene.judge(user, scene.first.pk, value=1)

    with pytest.raises(RaterRequestError) as error:
        ask(scene)

    assert str(error.value) == NOBODY
    assert Slot.objects.filter(pair=scene.first, state="open").count() == 0


def test_only_raters_who_are_named_are_left_to_ask(scene):
    set_assignment(judgment_list=scene.list, mode=AssignmentMode.NAMED)
    assign(judgment_list=scene.list, user=scene.anna)
    assert state(scene).why_not == NOBODY

    assign(judgment_list=scene.list, user=scene.ben)

    assert state(scene).why_not == ""


def test_a_rater_who_is_left_out_is_not_one_to_ask(scene):
    for user in (scene.ben, scene.carl):
        rater = make.make_rater(scene.query_set, user=user)
        Exclusion.objects.create(
            query_set=scene.query_set, judgment_list=scene.list, rater=rater, at=make.NOW, by=scene.admin
        )

    assert state(scene).why_not == NOBODY


def test_thirty_judgments_are_the_most(scene, monkeypatch):
    monkeypatch.setattr("judgments.agreement.reports.rater_requests.MAX_OVERLAP", 1)

    with pytest.raises(RaterRequestError, match=r"^It has 1 judgments, and 1 are the most\.$"):
        ask(scene)


def test_a_pair_of_another_list_is_unknown(scene):
    other = Scene(queries=1, documents=1, overlap=1)

    with pytest.raises(UnknownPairError):
        ask(scene, pair=other.list.pairs.get())
    with pytest.raises(UnknownPairError):
        stop_asking(judgment_list=scene.list, pair_id=other.list.pairs.get().pk, at=make.NOW)


def test_the_log_says_what_was_asked_and_what_was_not(scene):
    ask(scene)
    stop(scene)

    acts = Act.objects.filter(verb__in=("rater-asked", "rater-not-asked")).order_by("pk")

    assert [(one.verb, one.query, one.document, one.before, one.after) for one in acts] == [
        ("rater-asked", scene.first.query, scene.first.document, {}, {"judgments": 2}),
        ("rater-not-asked", scene.first.query, scene.first.document, {"judgments": 2}, {}),
    ]
