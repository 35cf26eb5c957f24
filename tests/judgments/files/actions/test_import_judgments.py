"""Judgments from files to rows: raters, pairs, slots, history and consensus."""

import csv
from datetime import timedelta
from io import BytesIO

import pytest

from judgments.files.actions.imports import (
    ImportRefusedError,
    import_documents,
    import_judgments,
    import_queries,
)
from judgments.files.reports.imports import Choices, ImportResult, OpenedFile, read_file
from judgments.files.reports.judgment_imports import Terms
from judgments.lists.actions.pairs import add_pairs
from judgments.models import (
    ConsensusGrade,
    Document,
    Judgment,
    JudgmentHistory,
    Pair,
    Purpose,
    Query,
    Rater,
    RaterQueue,
    Role,
    Slot,
)
from tests import factories as make
from tests.shared_data import shared_data
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db


def record(query, document, grade, line=2, **more):
    number = float(grade) if grade.replace(".", "", 1).isdigit() else None
    return JudgmentRecord(line, query, document, grade, number, **more)


@pytest.fixture
def judgment_list():
    query_set = make.make_query_set()
    for external_id in ("q1", "q2"):
        make.make_query(query_set, external_id)
    for external_id in ("d1", "d2", "d3"):
        make.make_document(query_set, external_id)
    return make.make_list(query_set, scale=make.preset("ESCI"), overlap=2)


def do_import(judgment_list, *records, rater_name="file", create_missing=False, at=make.NOW):
    return import_judgments(
        judgment_list=judgment_list,
        file=OpenedFile(records),
        at=at,
        terms=Terms(rater_name=rater_name, create_missing=create_missing),
    )


def refused(judgment_list, *records, **more):
    with pytest.raises(ImportRefusedError) as caught:
        do_import(judgment_list, *records, **more)
    return [problem.sentence for problem in caught.value.report.errors.first]


def test_a_refusal_names_the_first_problem(judgment_list):
    """A program reads no more than this sentence. It said how many problems there were, and not one of them."""
    with pytest.raises(ImportRefusedError) as one:
        do_import(judgment_list, record("q9", "d1", "3"))
    with pytest.raises(ImportRefusedError) as two:
        do_import(judgment_list, record("q9", "d1", "3"), record("q8", "d1", "3"))

    (first, second) = (str(caught.value) for caught in (one, two))
    assert first.startswith("The file has 1 problem. Line 2, column query: ")
    assert "q9" in first
    assert first.endswith(" Fix it, or import only the good lines.")
    assert second.startswith("The file has 2 problems. The first: Line 2, column query: ")
    assert second.endswith(" Fix them, or import only the good lines.")


def test_pairs_judgments_counts_slots_and_consensus_come_at_once(judgment_list):
    result = do_import(
        judgment_list, record("q1", "d1", "3"), record("q1", "d2", "0"), record("q2", "d1", "2")
    )

    assert result == ImportResult(new=3, changed=0, unchanged=0)
    assert Pair.objects.filter(judgment_list=judgment_list).count() == 3
    assert sorted(ConsensusGrade.objects.values_list("value", flat=True)) == [0, 2, 3]
    assert Slot.objects.filter(judgment_list=judgment_list, state="open").count() == 3
    assert list(
        judgment_list.list_queries.values_list("query__external_id", "judgment_count", "graded_count")
    ) == [
        ("q1", 2, 2),
        ("q2", 1, 1),
    ]
    assert set(Judgment.objects.values_list("method", "extra", "rater__name", "rater__kind")) == {
        ("import", False, "file", "external")
    }


@pytest.mark.parametrize(
    ("written", "value"),
    [("3", 3), ("3.0", 3), ("E", 3), ("e", 3), ("exact", 3), ("Complement", 1), ("S", 2)],
)
def test_a_grade_is_read_by_value_by_label_or_by_the_initial_of_its_label(judgment_list, written, value):
    do_import(judgment_list, record("q1", "d1", written))

    assert Judgment.objects.get().value == value


def test_a_grade_that_is_not_on_the_scale_is_refused_with_the_grades_that_are(judgment_list):
    assert refused(judgment_list, record("q1", "d1", "3"), record("q1", "d2", "7", line=3)) == [
        "Line 3, column grade: “7” should be a grade of the scale “ESCI”: "
        "0 (Irrelevant), 1 (Complement), 2 (Substitute), 3 (Exact)."
    ]
    assert not Judgment.objects.exists()
    assert not Rater.objects.exists()


def test_a_continuous_scale_takes_any_number_in_its_range():
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=make.preset("Continuous 0–1"))

    do_import(judgment_list, record("q", "d", ".375"), create_missing=True)

    assert Judgment.objects.get().value == 0.375
    assert "a number from 0 to 1" in refused(judgment_list, record("q", "d", "1.5"))[0]


def test_unknown_queries_and_documents_are_refused_by_line(judgment_list):
    sentences = refused(judgment_list, record("q9", "d1", "3"), record("q1", "d9", "3", line=3))

    assert [sentence.split(". It should be")[0] for sentence in sentences] == [
        "Line 2, column query: unknown query “q9”",
        "Line 3, column document: unknown document “d9”",
    ]


def test_unknown_queries_and_documents_are_made_on_request(judgment_list):
    do_import(judgment_list, record("zoo", "d9", "3"), record("zoo", "d1", "1", line=3), create_missing=True)

    made = Query.objects.get(external_id="zoo")
    assert made.text == "zoo"
    assert Document.objects.get(external_id="d9").missing
    assert made.pairs.count() == 2


def test_a_query_may_be_named_by_its_text_if_only_one_has_it(judgment_list):
    do_import(judgment_list, record("text of q2", "d1", "3"))

    assert Pair.objects.get().query.external_id == "q2"


def test_a_query_named_by_id_and_by_text_is_the_same_pair(judgment_list):
    sentences = refused(judgment_list, record("text of q2", "d1", "3"), record("q2", "d1", "2", line=3))

    assert "should be listed once for a rater" in sentences[0]


def test_raters_are_members_by_their_user_name_and_otherwise_external(judgment_list):
    member = make.make_member(judgment_list.query_set, Role.RATER, username="rita")
    make.make_user("stranger")

    do_import(
        judgment_list,
        record("q1", "d1", "3", rater="rita"),
        record("q1", "d1", "2", line=3, rater="stranger"),
        record("q1", "d2", "2", line=4),
    )

    kinds = dict(Rater.objects.values_list("name", "kind"))
    assert kinds == {"rita": "person", "stranger": "external", "file": "external"}
    assert Rater.objects.get(user=member).name == "rita"
    assert RaterQueue.objects.get(rater__user=member).judgment_count == 1


def test_answers_in_practice_are_not_counted_for_their_rater(judgment_list):
    member = make.make_member(judgment_list.query_set, Role.RATER, username="rita")
    do_import(
        judgment_list, record("q1", "d1", "3", rater="rita"), record("q1", "d2", "2", line=3, rater="rita")
    )
    Judgment.objects.filter(pair__document__external_id="d1").update(gold="practice")

    do_import(judgment_list, record("q2", "d1", "3", rater="rita"))
    assert RaterQueue.objects.get(rater__user=member).judgment_count == 2

    Judgment.objects.update(gold="practice")
    do_import(judgment_list, record("q1", "d1", "2", rater="rita"))
    assert RaterQueue.objects.get(rater__user=member).judgment_count == 0


def test_a_reason_instead_of_a_grade_means_cannot_judge(judgment_list):
    do_import(
        judgment_list,
        record("q1", "d1", "", reason="language"),
        record("q1", "d2", "", line=3, reason="The query is unclear"),
        record("q2", "d1", "", line=4, reason="The picture doesn’t load"),
    )

    assert list(Judgment.objects.values_list("value", "reason")) == [
        (None, "language"),
        (None, "query_unclear"),
        (None, "picture_missing"),
    ]
    assert set(ConsensusGrade.objects.values_list("value", flat=True)) == {None}


@pytest.mark.parametrize("label", ["A language I do not read", "A language I don’t read"])
def test_the_former_label_of_a_reason_is_read_too(judgment_list, label):
    do_import(judgment_list, record("q1", "d1", "", reason=label))

    assert Judgment.objects.get().reason == "language"


def test_a_reason_that_is_not_known_and_a_reason_beside_a_grade_are_refused(judgment_list):
    sentences = refused(
        judgment_list,
        record("q1", "d1", "", reason="bored"),
        record("q1", "d2", "1", line=3, reason="language"),
    )

    assert "It should be one of the reasons query_unclear" in sentences[0]
    assert "should be a grade or a reason, not both" in sentences[1]


def test_a_second_file_changes_judgments_and_keeps_the_earlier_answers(judgment_list):
    do_import(judgment_list, record("q1", "d1", "3", comment="sure"), record("q1", "d2", "0", line=3))
    later = make.NOW + timedelta(days=1)

    result = do_import(judgment_list, record("q1", "d1", "2"), record("q1", "d2", "0", line=3), at=later)

    assert result == ImportResult(new=0, changed=1, unchanged=1)
    history = JudgmentHistory.objects.get()
    assert (history.value, history.comment, history.answered_at, history.replaced_at) == (
        3,
        "sure",
        make.NOW,
        later,
    )
    changed = Judgment.objects.get(pair__document__external_id="d1")
    assert (changed.value, changed.comment, changed.created_at, changed.updated_at) == (
        2,
        "sure",
        make.NOW,
        later,
    )
    assert ConsensusGrade.objects.get(pair=changed.pair).value == 2


def test_judgments_beyond_the_overlap_are_kept_and_marked(judgment_list):
    names = ("a", "b", "c")

    do_import(
        judgment_list,
        *[record("q1", "d1", "3", line=line, rater=name) for line, name in enumerate(names, start=2)],
    )

    assert list(Judgment.objects.order_by("id").values_list("extra", flat=True)) == [False, False, True]
    assert not Slot.objects.filter(state="open").exists()


def test_open_slots_of_known_pairs_shrink_by_what_was_imported(judgment_list):
    query, document = Query.objects.get(external_id="q1"), Document.objects.get(external_id="d1")
    add_pairs(judgment_list=judgment_list, pairs=[(query.pk, document.pk)])
    assert Slot.objects.count() == 2

    do_import(judgment_list, record("q1", "d1", "3"))

    assert Slot.objects.filter(state="open").count() == 1


def test_a_name_that_is_too_long_is_refused(judgment_list):
    sentences = refused(judgment_list, record("q1", "d1", "3", rater="r" * 151))

    assert "a name of at most 150 characters" in sentences[0]


def test_the_number_of_queries_does_not_grow_with_the_file(judgment_list, django_assert_max_num_queries):
    records = [record(f"q{n % 50}", f"d{n}", "2", line=n) for n in range(2, 3000)]

    with django_assert_max_num_queries(90):
        do_import(judgment_list, *records, create_missing=True)


@pytest.mark.parametrize("name", ["judgments.csv", "qrels.txt"])
def test_the_real_grades_arrive_whole(name):
    folder = shared_data("esci_small")
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=make.preset("ESCI"))
    read = {
        key: read_file(
            BytesIO((folder / file).read_bytes()), name=file, purpose=purpose, choices=Choices(), limit=10**8
        ).records
        for key, file, purpose in [
            ("queries", "queries.csv", Purpose.QUERIES),
            ("documents", "products.csv", Purpose.DOCUMENTS),
            ("judgments", name, Purpose.JUDGMENTS),
        ]
    }
    import_queries(query_set=query_set, records=read["queries"])
    import_documents(query_set=query_set, records=read["documents"])

    result = do_import(judgment_list, *read["judgments"])

    assert result == ImportResult(new=1269, changed=0, unchanged=0)
    stored = ConsensusGrade.objects.values_list("query__external_id", "document__external_id", "value")
    with (folder / "judgments.csv").open(encoding="utf-8", newline="") as file:
        expected = {(row["query_id"], row["product_id"], float(row["grade"])) for row in csv.DictReader(file)}
    assert set(stored) == expected
    assert sum(judgment_list.list_queries.values_list("judgment_count", flat=True)) == 1269


def test_a_file_of_thousands_is_imported_and_changed(judgment_list):
    records = [record(f"q{n % 50}", f"d{n}", "2", line=n) for n in range(2, 5300)]
    do_import(judgment_list, *records, create_missing=True)

    result = do_import(judgment_list, *[record(one.query, one.document, "3", one.line) for one in records])

    assert result == ImportResult(new=0, changed=5298, unchanged=0)
    assert ConsensusGrade.objects.filter(value=3).count() == 5298
    assert JudgmentHistory.objects.count() == 5298


@pytest.mark.parametrize("seconds", [3e6, 1e306])
def test_a_time_spent_that_no_column_holds_is_cut_off(judgment_list, seconds):
    do_import(judgment_list, record("q1", "d1", "3", seconds=seconds))

    assert Judgment.objects.get(judgment_list=judgment_list).active_ms == 2**31 - 1
