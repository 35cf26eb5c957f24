"""Imports of judgments that are undone: afterwards a list is as if nobody had ever imported the file."""

from datetime import timedelta

import pytest
from django.db.models import Count, Q
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from judgments.base.errors import ArchivedError
from judgments.content.actions.query_sets import archive_query_set
from judgments.files.actions.imports import Source, import_judgments
from judgments.files.actions.undoing import NothingToUndoError, undo_batch
from judgments.files.reports.imports import OpenedFile
from judgments.files.reports.undoing import UndoEffect, undo_effect
from judgments.lists.actions.pairs import set_adaptive
from judgments.lists.actions.versions import freeze_version
from judgments.models import (
    Act,
    Batch,
    ConsensusGrade,
    GoldDraw,
    Judgment,
    JudgmentHistory,
    ListQuery,
    Pair,
    Rater,
    RaterQueue,
    Slot,
    Verb,
    VersionGrades,
)
from judgments.raters.actions import gold
from tests import factories as make
from tests.judgments.judging.actions.scene import LATER, NOW, Scene
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db

AFTERWARDS = LATER + timedelta(hours=1)
UNDONE = LATER + timedelta(hours=2)
HOW = ("value", "reason", "comment", "evidence", "confidence", "view", "place", "method", "device")
WHEN = ("created_at", "updated_at", "active_ms", "wall_ms", "guidelines_version")


def bring_in(scene, *answers, at=LATER, judged_at=None):
    """The batch of a file with a grade for each pair and name."""
    records = [
        JudgmentRecord(
            line,
            pair.query.external_id,
            pair.document.external_id,
            str(value),
            value,
            rater=name,
            judged_at=judged_at,
        )
        for line, (pair, name, value) in enumerate(answers, 1)
    ]
    import_judgments(judgment_list=scene.list, file=OpenedFile(records), at=at, source=Source("wrong.csv"))
    return Batch.objects.filter(judgment_list=scene.list).order_by("pk").last()


def pairs_of(scene):
    return list(scene.list.pairs.order_by("pk").select_related("query", "document"))


def state_of(scene, names):
    """What people and scores see of a list; `names` are of raters with an account, in the order of the scene."""
    place = {pair.pk: nth for nth, pair in enumerate(pairs_of(scene))}
    rows = Judgment.objects.filter(judgment_list=scene.list).select_related("rater")
    rater = {name: nth for nth, name in enumerate(names)}
    still_open = Count("slots", filter=Q(slots__state="open", slots__surplus=False))
    counts = ("judgment_count", "open_count", "graded_count", "pair_count")
    return {
        "judgments": sorted(
            (place[row.pair_id], rater.get(row.rater.name, row.rater.name), row.value, row.method)
            for row in rows
        ),
        "open": {
            place[pk]: count for pk, count in scene.list.pairs.annotate(n=still_open).values_list("pk", "n")
        },
        "grades": sorted(
            (place[row.pair_id], row.value, row.judgments, row.undecided)
            for row in ConsensusGrade.objects.filter(judgment_list=scene.list)
        ),
        "counts": list(
            ListQuery.objects.filter(judgment_list=scene.list).order_by("position").values_list(*counts)
        ),
        "own": sorted(
            (rater[row.rater.name], row.judgment_count)
            for row in RaterQueue.objects.filter(judgment_list=scene.list).select_related("rater")
            if row.judgment_count
        ),
    }


GRADE = st.sampled_from([0.0, 1.0, 2.0, 3.0])
ACCOUNT, PLACE = st.integers(0, 1), st.integers(0, 5)
ACTS = st.lists(st.tuples(ACCOUNT, PLACE, GRADE), max_size=8)
FILE = st.dictionaries(
    st.tuples(st.sampled_from([0, 1, "rita", "otto"]), PLACE), GRADE, min_size=1, max_size=10
)


class TestAsIfItHadNeverBeen(TestCase):
    @settings(max_examples=15, deadline=None)
    @given(ACTS, FILE, ACTS, st.integers(1, 3), st.booleans(), st.booleans())
    def test_a_list_is_as_if_the_file_had_never_come(self, before, file, after, overlap, adaptive, claims):
        """Told from a second list, in which people did the same, and which never had the file."""
        states = []
        for with_file in (False, True):
            scene = Scene(2, 3, overlap=overlap)
            if adaptive:
                set_adaptive(judgment_list=scene.list, step=1.0, most=4)
            users, pairs = [scene.rater(), scene.rater()], pairs_of(scene)
            names = [user.username for user in users]
            for who, place, value in before:
                scene.judge(users[who], pairs[place].pk, value)
            if claims:
                scene.claim(users[0], at=LATER)
            if with_file:
                answers = [
                    (pairs[place], who if isinstance(who, str) else names[who], value)
                    for (who, place), value in file.items()
                ]
                batch = bring_in(scene, *answers)
            for who, place, value in after:
                scene.judge(users[who], pairs[place].pk, value, at=AFTERWARDS)
            if with_file and batch is not None:
                said = undo_effect(batch)
                if said.total:
                    assert undo_batch(batch=batch, at=UNDONE) == said
                assert undo_effect(batch).total == 0
            states.append(state_of(scene, names))
        assert states[1] == states[0]


def test_an_answer_comes_back_with_all_that_was_known_of_it():
    scene = Scene(1, 2)
    user, (pair, other) = scene.rater(), pairs_of(scene)
    scene.judge(user, pair.pk, 1.0, comment="Once more", confidence=None)
    Judgment.objects.update(
        method="key", device="mouse", active_ms=4_000, wall_ms=9_000, place=3, view="list"
    )
    before = Judgment.objects.values(*HOW, *WHEN, "request_id", "extra").get(pair=pair)

    batch = bring_in(scene, (pair, user.username, 3.0), (other, user.username, 3.0))
    assert Judgment.objects.get(pair=pair).value == 3
    effect = undo_batch(batch=batch, at=UNDONE)

    assert effect == UndoEffect(withdrawn=1, restored=1, kept=0)
    assert Judgment.objects.values(*HOW, *WHEN, "request_id", "extra").get(pair=pair) == before
    assert not Judgment.objects.filter(pair=other).exists()
    history = JudgmentHistory.objects.order_by("pk").values_list("pair", "action", "value", "replaced_at")
    assert set(history) == {
        (pair.pk, "changed", 1.0, LATER),
        (pair.pk, "withdrawn", 3.0, UNDONE),
        (other.pk, "withdrawn", 3.0, UNDONE),
    }


def test_judgments_whose_file_says_when_they_were_given_are_taken_back_too():
    scene = Scene(1, 1)
    batch = bring_in(scene, (*pairs_of(scene), "rita", 2.0), judged_at=NOW - timedelta(days=300))

    assert undo_batch(batch=batch, at=UNDONE) == UndoEffect(1, 0, 0)

    assert not Judgment.objects.exists()


def test_other_imports_and_what_raters_judged_stay():
    scene = Scene(1, 3)
    user, (first, second, third) = scene.rater(), pairs_of(scene)
    bring_in(scene, (first, "rita", 1.0))
    batch = bring_in(scene, (second, "rita", 2.0))
    bring_in(scene, (third, "rita", 3.0))
    scene.judge(user, second.pk, 0.0, at=AFTERWARDS)

    undo_batch(batch=batch, at=UNDONE)

    stay = Judgment.objects.values_list("pair", "rater__name", "value")
    assert set(stay) == {
        (first.pk, "rita", 1.0),
        (third.pk, "rita", 3.0),
        (second.pk, user.username, 0.0),
    }


def test_an_answer_that_its_rater_changed_since_stays():
    scene = Scene(1, 2)
    user, (changed, untouched) = scene.rater(), pairs_of(scene)
    batch = bring_in(scene, (changed, user.username, 3.0), (untouched, user.username, 3.0))
    scene.judge(user, changed.pk, 0.0, at=AFTERWARDS)

    assert undo_effect(batch) == UndoEffect(withdrawn=1, restored=0, kept=1)
    undo_batch(batch=batch, at=UNDONE)

    assert list(Judgment.objects.values_list("pair", "value")) == [(changed.pk, 0.0)]


def test_a_change_that_its_rater_took_back_was_none():
    scene = Scene(1, 1)
    user, (pair,) = scene.rater(), pairs_of(scene)
    batch = bring_in(scene, (pair, user.username, 3.0))
    scene.judge(user, pair.pk, 0.0, at=AFTERWARDS)
    scene.undo(user, at=AFTERWARDS)
    assert Judgment.objects.get().value == 3

    assert undo_batch(batch=batch, at=UNDONE) == UndoEffect(1, 0, 0)

    assert not Judgment.objects.exists()


def test_an_import_that_its_rater_took_back_leaves_nothing_to_undo():
    scene = Scene(1, 1)
    user, (pair,) = scene.rater(), pairs_of(scene)
    batch = bring_in(scene, (pair, user.username, 3.0))
    scene.undo(user, at=AFTERWARDS)

    assert undo_effect(batch) == UndoEffect(0, 0, 1)
    with pytest.raises(NothingToUndoError):
        undo_batch(batch=batch, at=UNDONE)


def test_of_two_imports_of_one_answer_the_earlier_can_be_undone_after_the_later():
    scene = Scene(1, 1)
    (pair,) = pairs_of(scene)
    first, second = bring_in(scene, (pair, "rita", 1.0)), bring_in(scene, (pair, "rita", 2.0))

    with pytest.raises(NothingToUndoError):
        undo_batch(batch=first, at=UNDONE)
    assert undo_batch(batch=second, at=UNDONE) == UndoEffect(0, 1, 0)
    assert Judgment.objects.get().value == 1
    assert undo_batch(batch=first, at=UNDONE) == UndoEffect(1, 0, 0)
    assert not Judgment.objects.exists()


def test_what_is_undone_is_undone_once_and_can_be_imported_again():
    scene = Scene(1, 1)
    (pair,) = pairs_of(scene)
    batch = bring_in(scene, (pair, "rita", 1.0))
    undo_batch(batch=batch, at=UNDONE)

    with pytest.raises(NothingToUndoError):
        undo_batch(batch=batch, at=UNDONE)
    again = bring_in(scene, (pair, "rita", 2.0), at=UNDONE)

    assert Act.objects.filter(verb=Verb.UNDONE).count() == 1
    assert Judgment.objects.get().value == 2
    assert (undo_effect(batch).total, undo_effect(again)) == (0, UndoEffect(1, 0, 0))


def test_the_log_says_what_was_undone():
    scene = Scene(1, 2)
    pairs = pairs_of(scene)
    batch = bring_in(scene, *((pair, "rita", 1.0) for pair in pairs))
    undo_batch(batch=batch, at=UNDONE)

    line = Act.objects.get(verb=Verb.UNDONE)
    assert line.subject == f"the import of wrong.csv into list {scene.list}"
    assert (line.judgment_list, line.after) == (scene.list, {"withdrawn": 2, "restored": 0, "kept": 0})
    batch.refresh_from_db()
    assert (batch.act.verb, batch.judgment_count, batch.undone_count) == (Verb.IMPORTED, 2, 2)


def test_scores_and_agreement_know_that_they_are_old():
    scene = Scene(2, 1)
    pair, _ = pairs_of(scene)
    batch = bring_in(scene, (pair, "rita", 1.0))
    revisions = ListQuery.objects.values_list("revision", "judgments_revision")
    before = dict(ListQuery.objects.values_list("query", "revision"))
    told = dict(ListQuery.objects.values_list("query", "judgments_revision"))

    undo_batch(batch=batch, at=UNDONE)

    assert len(revisions) == 2
    for query_id, revision, judgments_revision in ListQuery.objects.values_list(
        "query", "revision", "judgments_revision"
    ):
        is_touched = int(query_id == pair.query_id)
        assert revision - before[query_id] == is_touched
        assert judgments_revision - told[query_id] == is_touched


def test_a_frozen_version_keeps_what_was_imported():
    scene = Scene(1, 1)
    batch = bring_in(scene, (*pairs_of(scene), "rita", 2.0))
    version = freeze_version(judgment_list=scene.list, at=AFTERWARDS)
    frozen = list(VersionGrades.objects.filter(version=version).values())

    undo_batch(batch=batch, at=UNDONE)

    assert frozen
    assert list(VersionGrades.objects.filter(version=version).values()) == frozen


def test_a_pair_is_handed_out_again_also_to_who_was_said_to_have_judged_it():
    scene = Scene(1, 1)
    user, (pair,) = scene.rater(), pairs_of(scene)
    assert scene.claim(user) == [pair.pk]
    batch = bring_in(scene, (pair, user.username, 2.0))
    assert scene.claim(user, at=AFTERWARDS) == []

    undo_batch(batch=batch, at=UNDONE)

    assert Slot.objects.filter(pair=pair, state="open", rater=None).count() == 1
    assert scene.claim(user, at=UNDONE) == [pair.pk]


def test_a_gold_pair_waits_for_its_rater_again():
    scene = Scene(1, 2, gold_rate=50)
    _, pair = pairs_of(scene)
    gold.mark_gold(judgment_list=scene.list, pair_id=pair.pk, value=2.0, user=make.make_user(), at=NOW)
    user = scene.rater()
    scene.draw_gold(user, pair)
    batch = bring_in(scene, (pair, user.username, 1.0))
    assert GoldDraw.objects.get().answered

    undo_batch(batch=batch, at=UNDONE)

    assert not GoldDraw.objects.get().answered
    assert pair.pk in scene.claim(user, at=UNDONE)


def test_nothing_of_an_archived_query_set_is_undone():
    scene = Scene(1, 1)
    batch = bring_in(scene, (*pairs_of(scene), "rita", 2.0))
    archive_query_set(query_set=scene.query_set, user=make.make_user(), at=AFTERWARDS)

    with pytest.raises(ArchivedError):
        undo_batch(batch=batch, at=UNDONE)

    assert Judgment.objects.count() == 1


def test_an_import_that_writes_no_judgment_leaves_nothing_to_undo():
    scene = Scene(1, 1)
    (pair,) = pairs_of(scene)
    bring_in(scene, (pair, "rita", 2.0))

    bring_in(scene, (pair, "rita", 2.0))

    assert Batch.objects.count() == 1
    assert (Rater.objects.count(), Pair.objects.count()) == (1, 1)
