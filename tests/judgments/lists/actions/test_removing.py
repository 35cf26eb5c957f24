"""Pairs that are taken out of a list: those that nobody has judged, and afterwards the list is as if they had never come."""

from datetime import timedelta
from threading import Thread
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection, models, transaction
from django.test.utils import CaptureQueriesContext

from judgments.base.errors import ArchivedError
from judgments.content.actions.query_sets import archive_query_set
from judgments.files.actions.imports import import_judgments
from judgments.files.actions.undoing import undo_batch
from judgments.files.reports.imports import OpenedFile
from judgments.judging.actions import judging
from judgments.judging.actions.queue import UnknownPairError
from judgments.lists.actions.pairs import add_pairs
from judgments.lists.actions.removing import remove_pairs
from judgments.lists.actions.versions import freeze_version
from judgments.lists.reports.removal import RemovalEffect, removal_effect
from judgments.lists.sql.removing import GO_WITH_PAIR
from judgments.models import (
    PAIR_KEYS,
    Act,
    Adjudication,
    Batch,
    GoldPair,
    Handout,
    Judgment,
    JudgmentHistory,
    KeptFields,
    ListQuery,
    Pair,
    Skip,
    Slot,
    Verb,
    VersionGrades,
)
from tests import factories as make
from tests.evaluation.scored import make_grades
from tests.judgments.judging.actions.scene import LATER, NOW, Scene
from tests.judgments.working import somebody_waits, until
from tests.meanwhile import Before
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db

COUNTS = ("query_id", "position", "pair_count", "graded_count", "judgment_count", "open_count", "priority")


def remove(scene, pair_ids=None, at=LATER):
    keys = scene.list.pairs.values_list("pk", flat=True) if pair_ids is None else pair_ids
    return remove_pairs(judgment_list=scene.list, pair_ids=list(keys), at=at)


def counts_of(judgment_list):
    return list(judgment_list.list_queries.order_by("position").values_list(*COUNTS))


def more_pairs(scene, queries=1, documents=2, **more):
    """Keys of pairs that were added to the list by mistake."""
    before = set(scene.list.pairs.values_list("pk", flat=True))
    keys = [make.make_document(scene.query_set).pk for _ in range(documents)]
    asked = [make.make_query(scene.query_set).pk for _ in range(queries)]
    asked.append(scene.list.list_queries.first().query_id)
    add_pairs(judgment_list=scene.list, pairs=[(query, one) for query in asked for one in keys], **more)
    return sorted(set(scene.list.pairs.values_list("pk", flat=True)) - before)


def test_afterwards_the_list_is_as_before_the_pairs_were_added():
    scene = Scene(2, 3, overlap=2)
    user = scene.rater()
    scene.judge(user, scene.claim(user)[0])
    before, slots = counts_of(scene.list), scene.list.slots.count()
    wrong = more_pairs(scene, priority=9)
    changed = counts_of(scene.list)

    assert remove(scene, wrong) == 4

    assert changed != before
    assert counts_of(scene.list) == before
    assert scene.list.slots.count() == slots
    assert not scene.list.slots.exclude(priority=0).exists()
    places = scene.list.list_queries.values_list("position", flat=True)
    assert set(scene.list.slots.values_list("query_position", flat=True)) == set(places)


def test_scores_and_hits_of_the_queries_are_old_afterwards():
    scene = Scene(1, 2)
    before = scene.list.list_queries.get()

    remove(scene, [scene.list.pairs.first().pk])

    after = scene.list.list_queries.get()
    assert (after.revision, after.pairs_revision) == (before.revision + 1, before.pairs_revision + 1)


def test_queries_and_documents_stay_in_the_query_set_and_a_query_without_pairs_leaves_the_list():
    scene = Scene(2, 2)
    first = scene.list.list_queries.first()

    remove(scene, scene.list.pairs.filter(query=first.query_id).values_list("pk", flat=True))

    assert scene.list.list_queries.count() == 1
    assert (scene.query_set.queries.count(), scene.query_set.documents.count()) == (2, 2)
    act = Act.objects.get(verb=Verb.PAIRS_REMOVED)
    assert (act.subject, act.before, act.after) == (f"list {scene.list}", {"pairs": 2, "queries": 1}, {})


def test_what_was_judged_decided_or_made_gold_stays_and_so_does_what_a_rater_holds():
    scene = Scene(1, 7)
    user = scene.rater()
    judged, withdrawn, decided, golden, retired, held, _ = scene.list.pairs.order_by("pk")
    scene.judge(user, judged.pk)
    scene.judge(user, withdrawn.pk, at=NOW + timedelta(seconds=1))
    scene.undo(user)
    Adjudication.objects.create(
        query_set=scene.query_set, judgment_list=scene.list, pair=decided, value=1, cause="slip", at=NOW
    )
    make.make_gold_pair(golden, 1)
    make.make_gold_pair(retired, 1, retired_at=NOW)
    held.slots.update(rater=make.make_rater(scene.query_set, scene.rater()), lease_until=LATER)
    Slot.objects.filter(pair=withdrawn).update(rater=None, lease_until=NOW)
    at = LATER - timedelta(seconds=1)

    effect = removal_effect(scene.list.pairs.all(), at)
    count = remove(scene, at=at)

    assert effect == RemovalEffect(removed=2, left=0, kept={"judged": 2, "decided": 1, "gold": 1, "held": 1})
    assert count == 2
    assert set(scene.list.pairs.all()) == {judged, withdrawn, decided, golden, held}
    assert list(GoldPair.objects.values_list("pair", flat=True)) == [golden.pk]
    assert (Judgment.objects.count(), JudgmentHistory.objects.count()) == (1, 1)


def test_a_lease_that_ran_out_keeps_nothing():
    scene = Scene(1, 3)
    user = scene.rater()
    handed = scene.claim(user)
    scene.skip(user, handed[0])

    assert remove(scene, at=LATER) == 3
    assert not any(model.objects.exists() for model in (Pair, Slot, ListQuery, Handout, Skip))


def test_an_answer_to_a_pair_that_was_removed_is_refused_in_words():
    """A browser that was offline sends it late."""
    scene = Scene(1, 1)
    user = scene.rater()
    (pair,) = scene.claim(user)
    remove(scene)

    with pytest.raises(UnknownPairError):
        judging.record_judgment(
            user=user, judgment_list=scene.list, pair_id=pair, request_id=uuid4(), value=1.0, at=LATER
        )


def test_a_version_keeps_what_it_names():
    scene = Scene(1, 3)
    user = scene.rater()
    scene.judge(user, scene.claim(user)[0])
    freeze_version(judgment_list=scene.list)
    frozen = VersionGrades.objects.values("documents", "values", "names").get()

    assert remove(scene) == 2

    assert VersionGrades.objects.values("documents", "values", "names").get() == frozen
    assert scene.list.versions.get().pair_count == 3


class TestAfterAnImportIsUndone:
    """Its pairs have a history in which only files speak. What people said, and what a version names, stays."""

    @pytest.fixture
    def scene(self):
        """A file judges the document of the list, and one that it brings. A version is frozen. Another file brings two more."""
        scene = Scene(1, 1, overlap=2)
        self.import_(scene, scene.query_set.documents.get().external_id, "frozen")
        freeze_version(judgment_list=scene.list)
        self.import_(scene, "said", "free")
        return scene

    def import_(self, scene, *names):
        query = scene.query_set.queries.get().external_id
        for name in names:
            if not scene.query_set.documents.filter(external_id=name).exists():
                make.make_document(scene.query_set, name)
        records = [JudgmentRecord(line, query, name, "1", 1.0, rater="r") for line, name in enumerate(names)]
        import_judgments(judgment_list=scene.list, file=OpenedFile(records), at=NOW)

    def undo_all(self, scene):
        for batch in Batch.objects.filter(judgment_list=scene.list):
            undo_batch(batch=batch, at=LATER)

    def test_what_it_brought_goes_with_its_history(self, scene):
        self.undo_all(scene)
        assert JudgmentHistory.objects.count() == 4
        brought = scene.list.pairs.filter(document__external_id__in=["said", "free"])

        assert removal_effect(brought, LATER) == RemovalEffect(removed=2, left=0, kept={})
        assert remove(scene, list(brought.values_list("pk", flat=True))) == 2

        assert scene.list.pairs.count() == JudgmentHistory.objects.count() == 2
        scene.query_set.documents.get(external_id="free").delete()

    def test_what_people_said_and_what_a_version_names_stays(self, scene):
        user = scene.rater()
        said = scene.list.pairs.get(document__external_id="said")
        scene.judge(user, said.pk)
        scene.undo(user)
        Slot.objects.update(rater=None, lease_until=NOW)
        self.undo_all(scene)

        effect = removal_effect(scene.list.pairs.all(), LATER)
        count = remove(scene)

        assert effect == RemovalEffect(removed=1, left=0, kept={"judged": 1, "frozen": 2})
        assert count == 1
        assert not scene.list.pairs.filter(document__external_id="free").exists()
        assert JudgmentHistory.objects.filter(pair=said).count() == 2

    def test_before_it_is_undone_nothing_goes(self, scene):
        assert remove(scene) == 0
        assert removal_effect(scene.list.pairs.all(), LATER).kept == {"judged": 4}


def test_a_pair_with_a_grade_stays_wherever_the_grade_is_from():
    """A version may name it, and the database would refuse."""
    judgment_list = make.make_list(make.make_query_set())
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, {"a": 2, "b": 0})
    pairs, at = judgment_list.pairs.all(), LATER
    freeze_version(judgment_list=judgment_list)

    keys = list(pairs.values_list("pk", flat=True))
    assert remove_pairs(judgment_list=judgment_list, pair_ids=keys, at=at) == 0
    assert removal_effect(pairs, at).kept == {"judged": 2}


def test_what_a_format_says_of_a_pair_goes_with_it():
    scene = Scene(1, 2)
    first, second = scene.list.pairs.order_by("pk")
    for pair in (first, second):
        KeptFields.objects.create(
            query_set=scene.query_set,
            judgment_list=scene.list,
            format="quepid",
            query=pair.query,
            document=pair.document,
            fields={"x": 1},
        )
    KeptFields.objects.create(
        query_set=scene.query_set,
        judgment_list=scene.list,
        format="quepid",
        query=first.query,
        fields={"y": 1},
    )

    remove(scene, [first.pk])

    kept = KeptFields.objects.order_by("pk").values_list("document", flat=True)
    assert list(kept) == [second.document_id, None]


def test_pairs_of_another_list_stay():
    scene, other = Scene(1, 1), Scene(1, 1)

    assert remove(scene, other.list.pairs.values_list("pk", flat=True)) == 0
    assert other.list.pairs.count() == 1
    assert not Act.objects.filter(verb=Verb.PAIRS_REMOVED).exists()


def test_an_archived_query_set_keeps_its_pairs():
    scene = Scene(1, 1)
    archive_query_set(query_set=scene.query_set, user=make.make_user(), at=NOW)

    with pytest.raises(ArchivedError):
        remove(scene)
    assert scene.list.pairs.count() == 1


def test_of_two_removals_the_second_finds_nothing():
    scene = Scene(1, 2)
    keys = list(scene.list.pairs.values_list("pk", flat=True))

    assert [remove(scene, keys), remove(scene, keys)] == [2, 0]
    assert Act.objects.filter(verb=Verb.PAIRS_REMOVED).count() == 1


def test_statements_do_not_grow_with_pairs():
    counts = []
    for size in (1, 1, 30):  # the first one has no temporary tables to replace
        scene = Scene(size, 2)
        with CaptureQueriesContext(connection) as statements:
            assert remove(scene) == 2 * size
        counts.append(len(statements))
    assert counts[1] == counts[2]


def test_raters_go_on_with_what_is_left():
    scene = Scene(3, 1)
    user = scene.rater()
    others = list(scene.list.pairs.order_by("pk").values_list("pk", flat=True))
    pair = (scene.query_set.queries.first().pk, make.make_document(scene.query_set).pk)
    add_pairs(judgment_list=scene.list, pairs=[pair], priority=5)

    remove(scene, [scene.list.pairs.latest("pk").pk])

    assert scene.finish(user, at=LATER) == others


def test_the_log_knows_the_keys_of_what_an_act_added():
    scene = Scene(1, 2)
    record = JudgmentRecord(1, scene.query_set.queries.get().external_id, "new", "1", 1.0, rater="r")
    make.make_document(scene.query_set, "new")
    import_judgments(judgment_list=scene.list, file=OpenedFile([record]), at=NOW)

    keys = list(scene.list.pairs.order_by("pk").values_list("pk", flat=True))
    added, imported = Act.objects.filter(judgment_list=scene.list).order_by("pk")
    assert (added.after[PAIR_KEYS], imported.after[PAIR_KEYS]) == (keys[:2], [keys[2], keys[2]])


def test_every_table_of_pairs_is_thought_of():
    """A new one either goes with an unjudged pair or keeps it."""
    kept = {"judgments_judgment", "judgments_judgmenthistory", "judgments_adjudication"}
    owned = {
        model._meta.db_table
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey)
        and field.related_model is Pair
        and field.remote_field.on_delete is models.CASCADE
    }
    assert owned == kept | set(GO_WITH_PAIR)


@pytest.mark.django_db(transaction=True)
def test_a_rater_who_takes_the_pair_meanwhile_keeps_it():
    scene = Scene(1, 2)
    user = scene.rater()
    taken = []

    def claim():
        def alone():
            taken.extend(scene.claim(user, at=LATER, count=1))
            connection.close()

        thread = Thread(target=alone)
        thread.start()
        thread.join()

    with connection.execute_wrapper(Before(claim, "judgments_slot WHERE pair_id", "FOR UPDATE")):
        count = remove(scene)

    assert (count, len(taken)) == (1, 1)
    assert list(scene.list.pairs.values_list("pk", flat=True)) == taken
    scene.judge(user, taken[0], at=LATER)


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_is_being_saved_is_waited_for():
    scene = Scene(1, 2)
    user = scene.rater()
    pair = scene.claim(user, count=1)[0]
    counts = []

    def alone():
        counts.append(remove(scene))
        connection.close()

    removing = Thread(target=alone)
    with transaction.atomic():
        scene.judge(user, pair)
        removing.start()
        until(somebody_waits, seconds=20)
    removing.join()

    assert counts == [1]
    assert list(scene.list.pairs.values_list("pk", flat=True)) == [pair]
