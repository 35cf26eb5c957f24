"""Freezing a list, and what nothing can do to a version afterwards."""

import math
from hashlib import sha256

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from judgments.agreement.actions.adjudication import (
    adjudicate,
    exclude_rater,
    include_rater,
    withdraw_adjudication,
)
from judgments.grades.reports import OUTDATED_NOTE, frozen_explanations
from judgments.lists.actions.versions import NothingToFreezeError, freeze_version
from judgments.lists.sql import versions as sql
from judgments.lists.sql.versions import content_hash
from judgments.models import ConsensusGrade, Pair, Rater, Scale, Version, VersionGrades
from judgments.models.version import NOTE_LENGTH
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene
from touchstone_core.grades.rules import ConsensusRule, Rule, Tie

pytestmark = pytest.mark.django_db

KEPT = "a version of a judgment list"


def grade_all(judgment_list, grades):
    """`grades` by query ID and document ID; makes what is not there."""
    query_set = judgment_list.query_set
    for (query, document), value in grades.items():
        asked = query_set.queries.filter(external_id=query).first() or make.make_query(query_set, query)
        found = query_set.documents.filter(external_id=document).first()
        pair = make.make_pair(judgment_list, asked, found or make.make_document(query_set, document))
        make.make_consensus(pair, value)


@pytest.fixture
def graded():
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="Main", rule="mean", tie="higher")
    grade_all(
        judgment_list, {("q2", "b"): 3, ("q2", "a"): 0.5, ("q1", "a"): 2, ("q1", "c"): None, ("q10", "z"): 0}
    )
    return judgment_list


@pytest.fixture
def frozen(graded):
    return freeze_version(judgment_list=graded, note="For the report", at=make.NOW)


def run_sql(*statements):
    """With what is otherwise looked at when a transaction ends."""
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in ("SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED", *statements):
            cursor.execute(statement)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def refused(*statements):
    with pytest.raises(DatabaseError, match=r"never changes|go(es)? with"):
        run_sql(*statements)


def test_a_version_says_what_it_was_made_of_when_and_by_whom(graded):
    anna = make.make_user("anna", first_name="Anna", last_name="Lind")

    version = freeze_version(judgment_list=graded, note="  For the report ", user=anna, at=make.NOW)

    version.refresh_from_db()
    assert (version.number, version.note, str(version)) == (1, "For the report", "version 1")
    assert (version.query_count, version.grade_count) == (3, 4)
    assert (version.pair_count, version.undecided_count, version.adjudicated_count) == (5, 0, 0)
    assert (version.scale, version.rule, version.tie) == (graded.scale, "mean", "higher")
    assert version.consensus_rule == ConsensusRule(Rule.MEAN, Tie.HIGHER)
    assert (version.frozen_by, version.frozen_by_name, version.frozen_at) == (anna, "Anna Lind", make.NOW)
    assert [str(one) for one in version.queries.order_by("external_id")] == [
        f"{name} in version {version.pk}" for name in ("q1", "q10", "q2")
    ]


def test_versions_are_numbered_in_each_list_from_one(graded, frozen):
    other = make.make_list(graded.query_set)
    grade_all(other, {("q1", "a"): 1})

    assert freeze_version(judgment_list=graded).number == 2
    assert freeze_version(judgment_list=other).number == 1
    assert [one.number for one in graded.versions.all()] == [2, 1]


def test_a_list_without_grades_cannot_be_frozen():
    judgment_list = make.make_list(make.make_query_set(), name="Empty")
    grade_all(judgment_list, {("q1", "a"): None})

    with pytest.raises(NothingToFreezeError, match="Empty has no consensus grade yet"):
        freeze_version(judgment_list=judgment_list)

    assert not VersionGrades.objects.exists()


def test_a_long_note_is_cut(graded):
    assert len(freeze_version(judgment_list=graded, note="x" * 900).note) == NOTE_LENGTH


def test_the_hash_is_that_of_the_documented_text(frozen):
    text = "q1\ta\t2\nq10\tz\t0\nq2\ta\t0.5\nq2\tb\t3\n"

    assert "".join(sql.canonical_lines(frozen.pk)) == text
    assert frozen.sha256 == sha256(text.encode()).hexdigest()
    assert frozen.short_hash == frozen.sha256[:8]
    assert frozen.fingerprint == int(bin(int(frozen.sha256, 16))[2:].zfill(256)[:62], 2)


def test_the_hash_does_not_depend_on_the_order_of_insertion(graded, frozen):
    other = make.make_list(graded.query_set)
    grade_all(
        other, {("q10", "z"): 0, ("q1", "a"): 2, ("q2", "a"): 0.5, ("q2", "b"): 3, ("q9", "undecided"): None}
    )

    assert freeze_version(judgment_list=other).sha256 == frozen.sha256


def expected_text(grades):
    """The documented format, written independently of PostgreSQL."""
    lines = []
    for (query, document), value in sorted(
        grades.items(), key=lambda one: [part.encode() for part in one[0]]
    ):
        ids = [
            part.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
            for part in (query, document)
        ]
        lines.append("\t".join([*ids, repr(value + 0.0).removesuffix(".0")]) + "\n")
    return "".join(lines)


ids = st.text(
    st.one_of(
        st.sampled_from("ab\t\n\r\\ 😀é"), st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    ),
    min_size=1,
    max_size=6,
)


class TestHash(TestCase):
    @given(
        st.dictionaries(
            st.tuples(ids, ids),
            st.floats(0, 1) | st.sampled_from([-0.0, 1e-7, 5e-324]),
            min_size=1,
            max_size=8,
        )
    )
    def test_any_ids_and_grades_are_hashed_in_the_documented_format(self, grades):
        scale = Scale.objects.create(name="Slider", continuous=True, minimum=0, maximum=1)
        judgment_list = make.make_list(make.make_query_set(), scale=scale)
        grade_all(judgment_list, grades)

        version = freeze_version(judgment_list=judgment_list)

        assert version.sha256 == sha256(expected_text(grades).encode()).hexdigest()
        assert math.isclose(
            sum(sum(one.values) for one in version.queries.all()), sum(grades.values()), abs_tol=1e-9
        )


def test_grades_stand_in_the_order_of_the_documents_keys(frozen):
    block = frozen.queries.get(external_id="q2")

    assert block.documents == sorted(block.documents)
    assert dict(zip(block.names, block.values, strict=True)) == {"a": 0.5, "b": 3}


def test_a_version_explains_its_grades_as_they_were():
    scene = Scene(queries=1, documents=2, overlap=2, tie="adjudicate")
    anna, ben, admin = scene.rater(), scene.rater(), scene.rater()
    first, second = scene.list.pairs.order_by("document")
    for user, values in ((anna, (1, 0)), (ben, (3, 3))):
        for pair, value in zip((first, second), values, strict=True):
            scene.judge(user, pair.pk, value=value)
    about = {"judgment_list": scene.list, "user": admin, "at": make.NOW}
    rater = Rater.objects.get(user=ben)
    adjudicate(**about, pair_id=second.pk, value=2, cause="slip")
    exclude_rater(**about, rater=rater)

    block = freeze_version(judgment_list=scene.list).queries.get()
    include_rater(**about, rater=rater)
    withdraw_adjudication(**about, pair_id=second.pk)

    block.refresh_from_db()
    assert list(frozen_explanations(block)) == [
        "1: the only grade; without 1 judgment of excluded raters",
        "0: adjudicated 2 (a slip)",
    ]


def test_a_version_of_before_is_explained_in_its_own_words():
    assert list(frozen_explanations(VersionGrades(how=["2: median 2"], values=[2]))) == ["2: median 2"]


def test_what_does_not_follow_from_the_judgments_is_not_explained_by_them(frozen):
    block = frozen.queries.get(external_id="q10")

    assert list(frozen_explanations(block)) == [OUTDATED_NOTE]


@pytest.mark.parametrize("table", ["judgments_version", "judgments_versiongrades"])
def test_sql_of_the_application_cannot_change_a_version(frozen, table):
    column = "note = 'other'" if table == "judgments_version" else "values = '{9}'"

    refused(f"UPDATE {table} SET {column}")  # noqa: S608
    refused(f"DELETE FROM {table}")  # noqa: S608
    refused(f"TRUNCATE {table} CASCADE")
    refused("TRUNCATE judgments_query CASCADE")


def test_nor_through_the_models(frozen):
    block = frozen.queries.first()
    block.values = [9] * len(block.values)
    frozen.sha256 = "0" * 64

    for act in (frozen.save, block.save, frozen.delete, block.delete, frozen.judgment_list.delete):
        with pytest.raises(DatabaseError, match=KEPT), transaction.atomic():
            act()
    with pytest.raises(DatabaseError, match=KEPT), transaction.atomic():
        Version.objects.filter(pk=frozen.pk).update(number=7)


def test_no_grade_can_be_added_to_a_version(graded, frozen):
    query = make.make_query(graded.query_set)

    with pytest.raises(DatabaseError, match=KEPT), transaction.atomic():
        VersionGrades.objects.create(
            version=frozen, query=query, external_id="q", weight=1, documents=[], names=[], values=[], how=[]
        )


def test_the_setting_that_deletes_a_query_set_does_not_delete_a_version_alone(frozen):
    deleting, grades = "SET LOCAL touchstone.deleting = 'yes'", "DELETE FROM judgments_versiongrades"

    refused(deleting, grades)
    refused(deleting, grades, "DELETE FROM judgments_version")
    assert Version.objects.count() == 1


def test_a_version_goes_with_its_whole_query_set(graded, frozen):
    ConsensusGrade.objects.all().delete()

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL touchstone.deleting = 'yes'")
        graded.query_set.delete()
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("RESET touchstone.deleting")

    assert not Version.objects.exists()


def test_the_account_that_froze_a_version_may_go_and_its_name_stays(graded):
    anna = make.make_user("anna")
    version = freeze_version(judgment_list=graded, user=anna)

    anna.delete()

    version.refresh_from_db()
    assert (version.frozen_by, version.frozen_by_name) == (None, "anna")


def test_what_a_version_names_keeps_its_id_and_its_pair(graded, frozen):
    named = Pair.objects.get(query__external_id="q2", document__external_id="a")

    for row in (named, named.document, named.query):
        with pytest.raises(DatabaseError, match=KEPT), transaction.atomic():
            row.delete()
    for row in (named.document, named.query):
        row.external_id += "x"
        with pytest.raises(DatabaseError, match=KEPT), transaction.atomic():
            row.save()
        row.refresh_from_db()
        row.text = row.title = "Another text"
        row.save()


def test_what_no_version_names_may_go(graded, frozen):
    undecided = Pair.objects.get(document__external_id="c")
    document = undecided.document

    undecided.delete()
    document.external_id = "other"
    document.save()
    make.make_query(graded.query_set, "q77").delete()

    assert not Pair.objects.filter(pk=undecided.pk).exists()


def test_the_scale_of_a_version_is_not_revalued(graded, frozen):
    grade = graded.scale.grades.first()
    grade.gain = 99

    with pytest.raises(DatabaseError, match="relabelled"), transaction.atomic():
        grade.save()


def test_a_version_stays_as_it_was_while_raters_go_on():
    scene = Scene(queries=3, documents=4, tie="higher")
    anna, ben = scene.rater(), scene.rater()
    scene.finish(anna)
    version = freeze_version(judgment_list=scene.list)
    before = list(version.queries.values_list("query", "documents", "values", "facts"))

    for pair in scene.list.pairs.all():
        scene.judge(ben, pair.pk, value=3)

    assert list(version.queries.values_list("query", "documents", "values", "facts")) == before
    assert content_hash(version.pk) == version.sha256
    assert freeze_version(judgment_list=scene.list).sha256 != version.sha256


def test_the_difference_of_two_versions_and_of_the_live_list(graded, frozen):
    grades = ConsensusGrade.objects.filter(judgment_list=graded)
    grades.filter(document__external_id="b").update(value=0)
    grades.filter(document__external_id="z").update(value=1)
    grades.filter(query__external_id="q1", document__external_id="a").update(value=None)
    grades.filter(document__external_id="c").update(value=3)
    later = freeze_version(judgment_list=graded)

    for other in (later.pk, None):
        counted = sql.count_differences(list_id=graded.pk, earlier=frozen.pk, later=other)
        rows = sql.read_differences(list_id=graded.pk, earlier=frozen.pk, later=other, limit=10)
        assert counted == (1, 2, 1, 3)
        assert [(row.query_id, row.document_id, row.before, row.after) for row in rows] == [
            ("q2", "b", 3, 0),
            ("q10", "z", 0, 1),
            ("q1", "a", 2, None),
            ("q1", "c", None, 3),
        ]
    back = sql.read_differences(list_id=graded.pk, earlier=None, later=frozen.pk, limit=1)
    assert [(row.query, row.title, row.before, row.after) for row in back] == [
        ("text of q2", "Title of b", 0, 3)
    ]
    assert sql.count_differences(list_id=graded.pk, earlier=later.pk, later=later.pk) == (0, 0, 0, 0)


def test_a_version_counts_what_admins_decided():
    scene = Scene(queries=1, documents=2)
    first, _ = scene.list.pairs.order_by("pk")
    adjudicate(
        judgment_list=scene.list, pair_id=first.pk, value=2, cause="slip", user=scene.rater(), at=make.NOW
    )

    version = freeze_version(judgment_list=scene.list)

    assert (version.grade_count, version.adjudicated_count) == (1, 1)


def row(version, **fields):
    """The values of a further version."""
    own = {name: value for name, value in vars(version).items() if name not in ("_state", "id")}
    return own | {"number": 2, "query_set_id": version.query_set_id} | fields


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"number": 1}, "version_number_unique"),
        ({"number": 0}, "version_number_from_one"),
        ({"sha256": "x" * 64}, "version_has_hash"),
        ({"sha256": "A" * 64}, "version_has_hash"),
    ],
)
def test_the_database_refuses_other_versions(graded, fields, constraint):
    version = Version.objects.get(pk=freeze_version(judgment_list=graded).pk)

    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Version.objects.create(**row(version, **fields))


def test_a_query_stands_in_a_version_once(graded, frozen):
    block = {"query": graded.query_set.queries.first(), "external_id": "q", "weight": 1}
    empty = {"documents": [], "names": [], "values": [], "how": []}

    twice = [VersionGrades(version_id=frozen.pk + 1, **block, **empty) for _ in range(2)]

    with pytest.raises(IntegrityError, match="version_query_once"), transaction.atomic():
        VersionGrades.objects.bulk_create(twice)
