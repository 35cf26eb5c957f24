"""What admins decide changes how many judgments are wanted."""

import pytest

from judgments.agreement.actions.adjudication import (
    adjudicate,
    exclude_rater,
    include_rater,
    withdraw_adjudication,
)
from judgments.files.actions.imports import import_judgments
from judgments.files.reports.imports import OpenedFile
from judgments.judging.actions.queue import renew
from judgments.lists.actions import deciding
from judgments.lists.actions.pairs import set_adaptive
from judgments.models import FREE, Act, Judgment, Rater, Slot
from judgments.raters.actions.gold import mark_gold
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER, Scene
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    scene = Scene(queries=1, documents=2, overlap=2)
    scene.first, scene.second = scene.list.pairs.order_by("pk")
    scene.anna, scene.ben, scene.admin = scene.rater(), scene.rater(), scene.rater()
    return scene


def decide(scene, pair, **more):
    given = {"value": 2, "cause": "slip", "user": scene.admin, "at": make.NOW} | more
    return adjudicate(judgment_list=scene.list, pair_id=pair.pk, **given)


def withdraw(scene, pair):
    return withdraw_adjudication(judgment_list=scene.list, pair_id=pair.pk, user=scene.admin, at=make.NOW)


def of(user):
    return Rater.objects.get(user=user)


def exclude(scene, user):
    return exclude_rater(judgment_list=scene.list, rater=of(user), user=scene.admin, at=make.NOW)


def include(scene, user):
    return include_rater(judgment_list=scene.list, rater=of(user), user=scene.admin, at=make.NOW)


def wanted(pair):
    return Slot.objects.filter(pair=pair, state="open", surplus=False).count()


def open_count(scene):
    return scene.list.list_queries.get().open_count


def test_a_decided_pair_wants_no_further_judgment_until_the_decision_is_withdrawn(scene):
    scene.judge(scene.anna, scene.first.pk)

    decide(scene, scene.first)

    assert (wanted(scene.first), wanted(scene.second), open_count(scene)) == (0, 2, 2)
    assert scene.claim(scene.ben) == [scene.second.pk]
    withdraw(scene, scene.first)
    assert (wanted(scene.first), open_count(scene)) == (1, 3)


def test_an_answer_to_a_decided_pair_that_a_rater_holds_is_kept_as_extra(scene):
    scene.claim(scene.anna)

    decide(scene, scene.first)
    scene.judge(scene.anna, scene.first.pk)

    assert Judgment.objects.get().extra
    assert (wanted(scene.first), open_count(scene)) == (0, 2)


def test_a_decided_pair_gets_no_further_rater_because_answers_differ(scene):
    set_adaptive(judgment_list=scene.list, step=1, most=4)
    decide(scene, scene.first)

    scene.judge(scene.anna, scene.first.pk, value=0)
    scene.judge(scene.ben, scene.first.pk, value=3)

    assert wanted(scene.first) == 0
    withdraw(scene, scene.first)
    assert wanted(scene.first) == 1


@pytest.mark.parametrize("many", [0, 1_000])
def test_what_an_excluded_rater_judged_is_wanted_of_somebody_else_until_the_rater_is_included(
    scene, many, monkeypatch
):
    monkeypatch.setattr(deciding, "MANY", many)
    scene.finish(scene.anna)
    scene.finish(scene.ben)
    assert open_count(scene) == 0

    exclude(scene, scene.ben)

    assert (wanted(scene.first), wanted(scene.second), open_count(scene)) == (1, 1, 2)
    assert scene.claim(scene.ben) == []
    assert len(scene.claim(scene.rater(), at=LATER)) == 2
    include(scene, scene.ben)
    assert Slot.objects.filter(state="open", surplus=False).count() == 0
    assert open_count(scene) == 0


def test_included_again_after_somebody_else_has_judged_all_judgments_stay(scene):
    scene.finish(scene.anna)
    scene.finish(scene.ben)
    exclude(scene, scene.ben)
    third = scene.rater()
    scene.finish(third)

    include(scene, scene.ben)

    assert Judgment.objects.count() == 6
    assert open_count(scene) == 0


def test_judgments_that_an_excluded_rater_goes_on_giving_fill_no_slot(scene):
    scene.judge(scene.ben, scene.first.pk)
    held = scene.claim(scene.ben)
    exclude(scene, scene.ben)

    scene.judge(scene.ben, held[0])

    assert Judgment.objects.get(pair=held[0]).extra
    assert (wanted(scene.first), wanted(scene.second)) == (2, 2)
    assert not Slot.objects.filter(state="open", rater__user=scene.ben).exists()
    scene.finish(scene.anna, at=LATER)
    scene.finish(scene.rater(), at=LATER)
    assert open_count(scene) == 0
    assert Judgment.objects.count() == 6


def test_what_an_excluded_rater_held_and_has_judged_goes_to_others_at_once(scene):
    held = scene.claim(scene.ben)
    exclude(scene, scene.ben)
    third = scene.rater()
    scene.judge(scene.anna, held[0])

    scene.judge(scene.ben, held[0])

    assert scene.claim(scene.ben) == held[1:]
    assert not renew(user=scene.ben, judgment_list=scene.list, pair_ids=held[:1], at=make.NOW)
    assert held[0] in scene.claim(third)


def bring_in(scene, *given):
    """A file that judges pairs, each by an account."""
    records = [
        JudgmentRecord(line, pair.query.external_id, pair.document.external_id, "1", 1.0, rater=user.username)
        for line, (pair, user) in enumerate(given, 2)
    ]
    return import_judgments(judgment_list=scene.list, file=OpenedFile(records), at=make.NOW)


def test_a_file_that_judges_what_an_excluded_rater_holds_leaves_the_pair_to_others(scene):
    scene.claim(scene.ben)
    exclude(scene, scene.ben)

    bring_in(scene, (scene.first, scene.ben), (scene.second, scene.anna))

    assert (wanted(scene.first), wanted(scene.second), open_count(scene)) == (2, 1, 3)
    mine = Slot.objects.filter(rater=of(scene.ben))
    assert list(mine.values_list("pair", "state")) == [(scene.second.pk, "open")]
    assert not Slot.objects.filter(pair=scene.first, state="done").exists()
    assert scene.first.pk in scene.claim(scene.rater())
    include(scene, scene.ben)
    assert (wanted(scene.first), wanted(scene.second)) == (1, 1)


def test_a_file_that_judges_what_a_rater_holds_uses_the_slot_up_wanted_or_not(scene):
    scene.claim(scene.ben)
    decide(scene, scene.first)

    bring_in(scene, (scene.first, scene.ben))

    slot = Slot.objects.get(rater=of(scene.ben), pair=scene.first)
    assert (slot.state, slot.surplus, slot.lease_until) == ("done", False, FREE)


def test_judgments_of_excluded_raters_in_a_file_are_extra_and_make_no_others_so(scene):
    scene.claim(scene.ben)
    exclude(scene, scene.ben)
    bring_in(scene, (scene.second, scene.ben))

    bring_in(
        scene,
        *((scene.first, user) for user in (scene.ben, scene.anna, scene.admin)),
        *((scene.second, user) for user in (scene.anna, scene.admin)),
    )

    stored = Judgment.objects.filter(judgment_list=scene.list)
    assert set(stored.filter(extra=True).values_list("pair", "rater")) == {
        (pair.pk, of(scene.ben).pk) for pair in (scene.first, scene.second)
    }
    assert open_count(scene) == 0


def test_a_slot_of_a_pair_that_its_holder_has_judged_is_not_held(scene):
    pair = scene.claim(scene.ben)[0]
    make.make_judgment(pair=scene.list.pairs.get(pk=pair), rater=of(scene.ben), value=1)

    assert pair not in scene.claim(scene.ben)
    assert not renew(user=scene.ben, judgment_list=scene.list, pair_ids=[pair], at=LATER)


def test_what_an_excluded_rater_takes_back_is_not_wanted_twice(scene):
    scene.judge(scene.ben, scene.first.pk)
    exclude(scene, scene.ben)

    scene.undo(scene.ben)

    assert wanted(scene.first) == 2


def test_excluding_leaves_decided_and_gold_pairs_closed(scene):
    scene.finish(scene.ben)
    decide(scene, scene.first)
    mark_gold(judgment_list=scene.list, pair_id=scene.second.pk, value=1, user=scene.admin, at=make.NOW)

    exclude(scene, scene.ben)

    assert open_count(scene) == 0


def test_every_decision_is_in_the_log(scene):
    scene.judge(scene.anna, scene.first.pk, value=3)

    decide(scene, scene.first, note="Read it again.")
    decide(scene, scene.first, value=1)
    withdraw(scene, scene.first)
    exclude(scene, scene.anna)
    include(scene, scene.anna)

    acts = {act.verb: act for act in Act.objects.order_by("pk").filter(judgment_list=scene.list)}
    first = Act.objects.filter(verb="adjudicated").earliest("pk")
    assert (first.before, first.after) == ({}, {"grade": 2, "cause": "A slip"})
    assert (first.note, first.query_id, first.document_id) == (
        "Read it again.",
        scene.first.query_id,
        scene.first.document_id,
    )
    assert first.subject == f"“{scene.first.document}” for “{scene.first.query}”"
    assert acts["adjudicated"].before == {"grade": 2}
    assert acts["adjudicated"].after == {"grade": 1}
    assert acts["adjudication-withdrawn"].before == {"grade": 1, "cause": "A slip"}
    assert acts["rater-excluded"].after == {"grades_settled_anew": 1}
    assert acts["rater-included"].subject == f"rater {scene.anna.username}"
