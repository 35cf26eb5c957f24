"""Undos beside each other, beside raters and beside imports, and those that a worker does."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction

from judgments.base.sql.locks import waiting_at_most
from judgments.content.actions.query_sets import archive_query_set
from judgments.files.actions import undoing
from judgments.files.actions.imports import import_judgments
from judgments.files.actions.undoing import NOT_ALLOWED, NothingToUndoError, undo_batch, undo_or_ask
from judgments.files.reports.imports import OpenedFile
from judgments.files.reports.undoing import UndoEffect, undo_effect
from judgments.judging.actions.judging import record_judgment
from judgments.models import Act, Batch, Judgment, JudgmentHistory, ListQuery, Membership, Slot, Verb
from tests import factories as make
from tests.judgments.files.actions.test_imports_at_once import beside
from tests.judgments.judging.actions.scene import LATER, Scene
from tests.judgments.working import somebody_is_held_up, until, work
from tests.meanwhile import Before
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_jobs")]
UNDONE = LATER + timedelta(hours=2)


@pytest.fixture
def scene():
    """A list of one query with two pairs, both of which a file has judged for an account."""
    scene = Scene(1, 2)
    scene.user = scene.rater()
    scene.pairs = list(scene.list.pairs.order_by("pk").select_related("query", "document"))
    bring_in(scene, 3.0)
    scene.batch = Batch.objects.get()
    return scene


def bring_in(scene, value):
    records = [
        JudgmentRecord(
            line, pair.query.external_id, pair.document.external_id, "3", value, rater=scene.user.username
        )
        for line, pair in enumerate(scene.pairs)
    ]
    import_judgments(judgment_list=scene.list, file=OpenedFile(records), at=LATER)


def undo(batch_id):
    undo_batch(batch=Batch.objects.get(pk=batch_id), at=UNDONE)


def change_first(scene):
    """As from the rating screen, by a rater who waits for an undo as long as it takes."""
    with waiting_at_most(20_000):
        record_judgment(
            user=scene.user,
            judgment_list=scene.list,
            pair_id=scene.pairs[0].pk,
            request_id=uuid4(),
            value=1.0,
            at=UNDONE,
        )


def values():
    return list(Judgment.objects.order_by("pair").values_list("value", flat=True))


def open_slots(scene):
    row = ListQuery.objects.get(judgment_list=scene.list)
    assert Slot.objects.filter(judgment_list=scene.list, state="open").count() == row.open_count
    assert Judgment.objects.filter(judgment_list=scene.list).count() == row.judgment_count
    return row.open_count


def test_of_two_who_undo_at_once_the_second_is_told_that_nothing_is_left(scene):
    with transaction.atomic():
        undo(scene.batch.pk)
        doing = beside(undo, scene.batch.pk)
        until(lambda: somebody_is_held_up() or doing.done())
    with pytest.raises(NothingToUndoError):
        doing.result()

    assert (values(), open_slots(scene)) == ([], 2)
    assert JudgmentHistory.objects.count() == 2
    assert Act.objects.filter(verb=Verb.UNDONE).count() == 1


def test_a_rater_who_changes_an_answer_before_the_undo_comes_to_it_keeps_it(scene):
    change = Before(lambda: beside(change_first, scene).result(), "INSERT INTO staged_pair")
    with connection.execute_wrapper(change):
        effect = undo_batch(batch=scene.batch, at=UNDONE)

    assert effect == UndoEffect(withdrawn=1, restored=0, kept=1)
    assert (values(), open_slots(scene)) == ([1.0], 1)


def test_a_rater_who_answers_while_the_undo_ends_answers_anew(scene):
    with transaction.atomic():
        undo(scene.batch.pk)
        doing = beside(change_first, scene)
        until(lambda: somebody_is_held_up() or doing.done())
    doing.result()

    assert (values(), open_slots(scene)) == ([1.0], 1)


def test_an_import_waits_for_an_undo(scene):
    with transaction.atomic():
        undo(scene.batch.pk)
        doing = beside(bring_in, scene, 2.0)
        until(lambda: somebody_is_held_up() or doing.done())
    doing.result()

    assert (values(), open_slots(scene)) == ([2.0, 2.0], 0)
    assert undo_effect(Batch.objects.get(pk=scene.batch.pk)).total == 0


@pytest.fixture
def asked(scene, monkeypatch):
    """An undo that an admin has left to a worker."""
    monkeypatch.setattr(undoing, "MOST_JUDGMENTS", 1)
    scene.admin = make.make_member(scene.query_set, "admin")
    effect = undo_effect(scene.batch)
    for _ in range(2):
        assert undo_or_ask(batch=scene.batch, effect=effect, user=scene.admin, at=UNDONE) is None
    return scene


def test_a_worker_undoes_it_once_for_who_asked(asked):
    work()

    asked.batch.refresh_from_db()
    assert (values(), open_slots(asked)) == ([], 2)
    assert (asked.batch.requested_at, asked.batch.failure, asked.batch.undone_count) == (None, "", 2)
    assert Act.objects.get(verb=Verb.UNDONE).by_id == asked.admin.pk


@pytest.mark.parametrize("reason", ["archived", "no admin any more"])
def test_a_worker_undoes_nothing_for_who_may_no_longer_do_so(asked, reason):
    if reason == "archived":
        archive_query_set(query_set=asked.query_set, user=asked.admin, at=UNDONE)
    else:
        Membership.objects.filter(user=asked.admin).update(role="engineer")

    work()

    asked.batch.refresh_from_db()
    assert values() == [3.0, 3.0]
    assert asked.batch.requested_at is None
    assert asked.batch.failure == NOT_ALLOWED
