"""What actions say to the log: one line an act, with names for people, and none where nothing has changed."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from evaluation.formulas.actions import (
    delete_formula,
    end_default,
    make_default,
    rename_formula,
    save_formula,
)
from evaluation.pools.actions.pools import add_pool
from evaluation.runs.actions.runs import delete_run, store_run
from judgments.files.actions.exports import record_content_export, record_export
from judgments.files.actions.imports import Source, import_documents, import_judgments, import_queries
from judgments.files.reports.imports import OpenedFile
from judgments.files.reports.judgment_imports import Terms
from judgments.lists.actions.lists import (
    Conduct,
    change_list,
    create_list,
    list_named,
    set_assignment,
    set_paused,
)
from judgments.lists.actions.pairs import add_pairs, set_overlap
from judgments.lists.actions.scales import GradeSpec, change_scale, create_scale
from judgments.lists.actions.versions import freeze_version
from judgments.log.actions import acting, one_act, readable_fields, record_act
from judgments.models import Act, Rater, Slot, Verb
from judgments.people.actions.demo_accounts import create_demo_accounts
from judgments.raters.actions.assignments import assign, release_rater, release_slot, unassign
from judgments.raters.actions.gold import mark_gold, retire_gold
from tests import factories as make
from tests.judgments.judging.actions.scene import NOW, Scene
from tests.touchstone_core.formats.texts import read_run
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.text import decode
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.selection import Selection

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    return Scene(queries=2, documents=2, name="First pass")


def acts_of(do):
    """What doing this adds to the log."""
    known = set(Act.objects.values_list("pk", flat=True))
    do()
    return list(Act.objects.exclude(pk__in=known).order_by("pk"))


def only(do):
    (act,) = acts_of(do)
    return act


def told(act):
    return act.verb, act.subject


def settings_of(judgment_list, **changed):
    names = ("name", "description", "guidelines", "scale", "overlap", "rule", "tie")
    return {name: getattr(judgment_list, name) for name in names} | {"adaptive": None} | changed


def test_a_new_list_tells_its_settings(scene):
    def do():
        create_list(
            query_set=scene.query_set,
            user=make.make_user(),
            name="Second",
            description="",
            scale=make.preset(),
            overlap=2,
            adaptive=(1.0, 3),
        )

    act = only(do)

    assert told(act) == (Verb.CREATED, "list Second")
    assert act.after["scale"] == "TREC 0–3"
    assert (act.after["overlap"], act.after["overlap_most"], act.after["rule"]) == (2, 3, "Median")
    assert "description" not in act.after


def test_a_list_that_a_command_makes_is_told_as_well(scene):
    def do():
        list_named(query_set=scene.query_set, name="New", create=True, scale="TREC 0–3", overlap=1)

    assert told(only(do)) == (Verb.CREATED, "list New")


def test_all_changes_of_a_form_are_one_act_with_what_differs(scene):
    wanted = settings_of(scene.list, overlap=2, rule="mean", adaptive=(2.0, 3))

    act = only(lambda: change_list(judgment_list=scene.list, **wanted, conduct=Conduct(confidence=True)))

    assert told(act) == (Verb.CHANGED, "list First pass")
    assert act.before == {
        "rule": "Median",
        "overlap": 1,
        "adaptive_step": None,
        "overlap_most": None,
        "confidence": False,
    }
    assert act.after == {
        "rule": "Mean",
        "overlap": 2,
        "adaptive_step": 2.0,
        "overlap_most": 3,
        "confidence": True,
    }


def test_a_form_that_is_saved_unchanged_leaves_no_line(scene):
    assert not acts_of(lambda: change_list(judgment_list=scene.list, **settings_of(scene.list)))


def test_collecting_overlap_and_assignment_tell_what_was_before(scene):
    def collect():
        conduct = Conduct(assignment="named")
        change_list(judgment_list=scene.list, **settings_of(scene.list, adaptive=(1.0, 3)), conduct=conduct)
        scene.list.refresh_from_db()

    collecting, overlap, mode = (
        only(collect),
        only(lambda: set_overlap(judgment_list=scene.list, overlap=2)),
        only(lambda: set_assignment(judgment_list=scene.list, mode="open")),
    )

    assert collecting.before["assignment"] == "Open to all raters"
    assert collecting.after == {"assignment": "Named raters only", "adaptive_step": 1.0, "overlap_most": 3}
    assert (overlap.before, overlap.after) == ({"overlap": 1}, {"overlap": 2})
    assert mode.after == {"assignment": "Open to all raters"}


def test_a_pause_carries_its_note_and_its_end_none(scene):
    pause = only(lambda: set_paused(judgment_list=scene.list, paused=True, note="until Monday"))
    set_paused(judgment_list=scene.list, paused=True, note="until Monday")  # a second click
    end = only(lambda: set_paused(judgment_list=scene.list, paused=False))

    assert Act.objects.filter(verb=Verb.PAUSED).count() == 1
    assert (pause.verb, pause.note, end.verb, end.note) == (Verb.PAUSED, "until Monday", Verb.RESUMED, "")


def test_pairs_are_counted_where_some_are_new(scene):
    query, document = make.make_query(scene.query_set), make.make_document(scene.query_set)

    def do():
        add_pairs(judgment_list=scene.list, pairs=[(query.pk, document.pk)], priority=5)

    after = only(do).after
    key = scene.list.pairs.latest("pk").pk
    assert after == {"pairs": 1, "priority": 5, "pair_keys": [key, key]}
    assert not acts_of(do)


def test_a_pool_is_told_as_the_pairs_that_it_adds(scene):
    query = scene.list.pairs.first().query
    text = decode(f"{query.external_id} Q0 other 1 1 x".encode(), name="run.trec", limit=10**6)
    run = store_run(query_set=scene.query_set, parsed=read_run(text), name="bm25")

    act = only(lambda: add_pool(judgment_list=scene.list, runs=[run], depth=1))

    key = scene.list.pairs.latest("pk").pk
    source = {"runs": [{"id": run.pk, "name": "bm25"}], "depth": 1, "pair_keys": [key, key]}
    assert (told(act), act.after) == ((Verb.PAIRS_ADDED, "list First pass"), {"pairs": 1} | source)


def test_raters_are_named_and_let_go_by_their_names(scene):
    rita = make.make_member(scene.query_set, "rater", first_name="Rita")
    scene.claim(rita, count=2)

    named = only(lambda: assign(judgment_list=scene.list, user=rita, quota=5))
    quota = only(lambda: assign(judgment_list=scene.list, user=rita, quota=9))
    off = only(lambda: unassign(judgment_list=scene.list, user=rita, at=NOW))

    assert told(named) == (Verb.ASSIGNED, "Rita to list First pass")
    assert told(quota) == (Verb.CHANGED, "the quota of Rita in list First pass")
    assert (quota.before, quota.after) == ({"quota": 5}, {"quota": 9})
    assert (told(off), off.after) == ((Verb.UNASSIGNED, "Rita off list First pass"), {"released_pairs": 2})


def test_releasing_is_told_where_something_was_held(scene):
    rita = make.make_member(scene.query_set, "rater", first_name="Rita")
    scene.claim(rita, count=3)
    slot = Slot.objects.filter(rater__user=rita).first()
    rater = Rater.objects.get(user=rita)

    one = only(lambda: release_slot(judgment_list=scene.list, slot_id=slot.pk, at=NOW))
    rest = only(lambda: release_rater(judgment_list=scene.list, rater=rater, at=NOW))

    assert (told(one), one.after) == ((Verb.RELEASED, "Rita in list First pass"), {"pairs": 1})
    assert rest.after == {"pairs": 2}
    assert not acts_of(lambda: release_rater(judgment_list=scene.list, rater=rater, at=NOW))


def test_gold_says_the_grade_by_its_label_before_and_after(scene):
    pair, admin = scene.list.pairs.first(), make.make_user()
    common = {"judgment_list": scene.list, "pair_id": pair.pk, "at": NOW}

    first = only(lambda: mark_gold(**common, value=3.0, user=admin))
    second = only(lambda: mark_gold(**common, value=2.0, also=[1.0], explanation="Why", user=admin))
    gone = only(lambda: retire_gold(**common))

    assert (first.verb, first.query_id, first.document_id) == (
        Verb.GOLD_MARKED,
        pair.query_id,
        pair.document_id,
    )
    assert (first.before, first.after) == ({}, {"grade": "Perfectly relevant"})
    assert second.before == {"grade": "Perfectly relevant"}
    assert second.after == {"grade": "Highly relevant", "also_right": ["Related"], "explanation": "Why"}
    assert (gone.verb, gone.before["grade"], gone.after) == (Verb.GOLD_RETIRED, "Highly relevant", {})
    assert not acts_of(lambda: retire_gold(**common))


def test_a_file_is_one_line_with_its_name_hash_and_counts(scene):
    source = Source("queries.csv", "0" * 64)
    queries = [QueryRecord(1, "q1", "zoo"), QueryRecord(2, "q2", "lion")]

    act = only(lambda: import_queries(query_set=scene.query_set, records=queries, source=source))

    assert told(act) == (Verb.IMPORTED, "queries")
    assert act.after == {"file": "queries.csv", "sha256": "0" * 64, "new": 2, "changed": 0, "unchanged": 0}


def test_documents_that_come_with_judgments_are_part_of_the_same_line(scene):
    pair = scene.list.pairs.select_related("query").first()
    records = [JudgmentRecord(1, pair.query.external_id, "d9", "2", 2.0, rater="ann")]

    def do():
        import_judgments(
            judgment_list=scene.list,
            file=OpenedFile(records, documents=[DocumentRecord(1, "d9", "Nine")]),
            at=NOW,
            terms=Terms(create_missing=True, create_documents=True),
        )

    act = only(do)

    assert told(act) == (Verb.IMPORTED, "judgments into list First pass")
    assert (act.after["new"], act.after["documents"]) == (1, 1)
    assert "file" not in act.after


def test_documents_alone_are_told_too(scene):
    act = only(lambda: import_documents(query_set=scene.query_set, records=[DocumentRecord(1, "d9", "Nine")]))

    assert (told(act), act.after["new"]) == ((Verb.IMPORTED, "documents"), 1)


def test_a_frozen_version_tells_its_number_and_hash(scene):
    make.make_consensus(scene.list.pairs.first(), 1)

    act = only(lambda: freeze_version(judgment_list=scene.list, note="autumn"))

    version = scene.list.versions.get()
    assert told(act) == (Verb.FROZEN, "version 1 of list First pass")
    assert (act.after["grades"], act.after["sha256"], act.note) == (1, version.sha256, "autumn")


def test_an_export_says_what_was_taken_out(scene):
    make.make_consensus(scene.list.pairs.first(), 1)
    version = freeze_version(judgment_list=scene.list)

    live = only(lambda: record_export(judgment_list=scene.list, format="TREC qrels"))
    frozen = only(lambda: record_export(judgment_list=scene.list, format="TREC qrels", version=version))

    assert (told(live), live.after) == ((Verb.EXPORTED, "list First pass"), {"format": "TREC qrels"})
    assert frozen.subject == "version 1 of list First pass"
    content = only(lambda: record_content_export(query_set=scene.query_set, format="Queries (CSV)"))
    assert (content.subject, content.after) == (f"query set {scene.query_set}", {"format": "Queries (CSV)"})


def test_a_scale_tells_its_grades(scene):
    low, high = GradeSpec(0, "No", "0"), GradeSpec(1, "Yes", "1", description="Answers it", color="#00ff00")
    facts = {"name": "Own", "description": "", "level": "ordinal", "threshold": 1}
    made = []

    new = only(lambda: made.append(create_scale(query_set=scene.query_set, **facts, grades=[low, high])))
    other = only(lambda: change_scale(scale=made[0], **facts, grades=[low, GradeSpec(1, "Sure", "1")]))

    assert told(new) == (Verb.CREATED, "scale Own")
    assert new.after["grades"][1] == "1 Yes: gain 1, key 1, #00ff00, Answers it"
    assert other.before == {"grades": ["0 No: gain 0, key 0", "1 Yes: gain 1, key 1, #00ff00, Answers it"]}
    assert other.after == {"grades": ["0 No: gain 0, key 0", "1 Sure: gain 1, key 1"]}


def test_a_run_tells_its_file_when_it_comes_and_when_it_goes(scene):
    query = scene.list.pairs.first().query
    text = decode(f"{query.external_id} Q0 d1 1 1 x".encode(), name="run.trec", limit=10**6)
    made = []

    def do():
        run = store_run(
            query_set=scene.query_set, parsed=read_run(text), name="bm25", file_name="run.trec", sha256="ab"
        )
        made.append(run)

    stored = only(do)
    deleted = only(lambda: delete_run(run=made[0]))

    assert told(stored) == (Verb.IMPORTED, "run bm25")
    assert stored.after["file"] == "run.trec"
    assert (told(deleted), deleted.before) == ((Verb.DELETED, "run bm25"), stored.after)


def test_formulas_are_told_by_name(scene):
    user, chosen, made = make.make_user(), Selection(Formula()), []

    def save(name, **more):
        made.append(save_formula(query_set=scene.query_set, name=name, chosen=chosen, user=user, **more))

    first = only(lambda: save("First", is_default=True))
    assert (told(first), first.after["default"]) == ((Verb.CREATED, "formula First"), True)
    assert not acts_of(lambda: save("first"))
    only(lambda: save("Second"))
    again = only(lambda: save("second", is_default=True))
    assert (again.before, again.after) == ({"default": "First"}, {"default": "Second"})
    ended = only(lambda: end_default(saved=made[-1]))
    assert (ended.before, ended.after) == ({"default": "Second"}, {"default": "the plain formula"})
    assert not acts_of(lambda: end_default(saved=made[-1]))
    assert only(lambda: make_default(saved=made[0])).after == {"default": "First"}
    renamed = only(lambda: rename_formula(saved=made[0], name="Our own"))
    assert (renamed.before, renamed.after) == ({"name": "First"}, {"name": "Our own"})
    assert told(only(lambda: delete_formula(saved=made[0]))) == (Verb.DELETED, "formula Our own")


def test_demo_accounts_are_told_once():
    first = acts_of(create_demo_accounts)

    assert first
    assert {act.query_set_id for act in first} == {None}
    assert not acts_of(create_demo_accounts)


def test_an_act_is_rolled_back_with_its_change(scene):
    def do():
        with transaction.atomic():
            set_overlap(judgment_list=scene.list, overlap=3)
            transaction.set_rollback(True)

    assert not acts_of(do)
    scene.list.refresh_from_db()
    assert scene.list.overlap == 1


def test_what_is_part_of_a_larger_act_is_left_to_it(scene):
    def do():
        with one_act():
            record_act(Verb.CHANGED, "a part", judgment_list=scene.list)
        record_act(Verb.CHANGED, "the whole", judgment_list=scene.list)

    assert told(only(do)) == (Verb.CHANGED, "the whole")


def test_days_and_times_are_told_as_text():
    day = datetime(2027, 1, 2, tzinfo=UTC)

    assert readable_fields(Act(at=day), "at") == {"at": "2027-01-02T00:00:00+00:00"}
    assert readable_fields(Act(at=day.date()), "at") == {"at": "2027-01-02"}


def test_who_judges_leaves_no_line(scene):
    rater = scene.rater()

    def do():
        with acting(rater):
            pair = scene.claim(rater)[0]
            scene.judge(rater, pair, 1.0)
            scene.judge(rater, pair, 2.0, at=NOW + timedelta(minutes=1), may_replace=True)
            scene.undo(rater, at=NOW + timedelta(minutes=2))

    assert not acts_of(do)
