"""Rows of a judgments file that only name a pair: to be judged, and no judgment."""

import pytest

from judgments.files.actions.imports import ImportRefusedError, import_judgments
from judgments.files.reports.imports import ImportResult, OpenedFile
from judgments.files.reports.judgment_imports import Terms
from judgments.lists.actions.pairs import PriorityError
from judgments.models import ConsensusGrade, Document, Judgment, ListQuery, Pair, Rater, Slot
from tests import factories as make
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import Report

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list():
    query_set = make.make_query_set()
    make.make_query(query_set, "q1")
    for external_id in ("d1", "d2", "d3"):
        make.make_document(query_set, external_id)
    return make.make_list(query_set, overlap=2)


def pair(document, line=2, query="q1"):
    return JudgmentRecord(line, query, document, "", None)


def judged(document, grade, line=2, rater="ann"):
    return JudgmentRecord(line, "q1", document, f"{grade}", grade, rater=rater)


def do_import(judgment_list, *records, create_missing=False, **more):
    return import_judgments(
        judgment_list=judgment_list,
        file=OpenedFile(records),
        at=make.NOW,
        terms=Terms(rater_name="file", create_missing=create_missing, **more),
    )


def open_slots(document):
    return Slot.objects.filter(pair__document__external_id=document, state="open").count()


def test_pairs_come_with_open_slots_and_without_raters_judgments_and_grades(judgment_list):
    result = do_import(judgment_list, pair("d2"), pair("d1", 3))

    assert result == ImportResult(0, 0, 0, pairs=2)
    assert result.judges_nothing
    assert list(Pair.objects.order_by("pk").values_list("document__external_id", flat=True)) == ["d2", "d1"]
    assert (open_slots("d1"), open_slots("d2")) == (2, 2)
    assert not Rater.objects.exists()
    assert not Judgment.objects.exists()
    assert not ConsensusGrade.objects.exists()
    listed = ListQuery.objects.get()
    assert (listed.pair_count, listed.judgment_count, listed.graded_count, listed.revision) == (2, 0, 0, 1)


def test_judgments_and_pairs_of_one_file_are_counted_apart(judgment_list):
    result = do_import(judgment_list, judged("d1", 3), pair("d1", 3), pair("d2", 4))

    assert result == ImportResult(1, 0, 0, pairs=2)
    assert (open_slots("d1"), open_slots("d2")) == (1, 2)
    assert Judgment.objects.get().rater.name == "ann"


def test_pairs_that_the_list_has_stay_as_they_are(judgment_list):
    do_import(judgment_list, judged("d1", 3))

    assert do_import(judgment_list, pair("d1"), pair("d2", 3)) == ImportResult(0, 0, 0, 1, 1)
    assert Judgment.objects.count() == 1
    assert (open_slots("d1"), open_slots("d2")) == (1, 2)
    assert ConsensusGrade.objects.get().value == 3


def test_unknown_queries_and_documents_of_pairs_are_refused_or_made(judgment_list):
    with pytest.raises(ImportRefusedError) as caught:
        do_import(judgment_list, pair("d9"), pair("d1", 3, query="q9"))
    assert sorted(caught.value.report.errors.counts) == ["unknown document", "unknown query"]

    do_import(judgment_list, pair("d9"), pair("d1", 3, query="q9"), create_missing=True)

    assert Document.objects.get(external_id="d9").missing
    assert Pair.objects.count() == 2


def test_a_pair_named_by_the_id_and_by_the_text_of_its_query_is_counted_once(judgment_list):
    report = Report()

    result = import_judgments(
        judgment_list=judgment_list,
        file=OpenedFile([pair("d1"), pair("d1", 3, query="text of q1")], report),
        at=make.NOW,
        terms=Terms(rater_name="file"),
    )

    assert result == ImportResult(0, 0, 0, pairs=1)
    assert list(report.warnings.sentences()) == [
        "Line 3, column document: “text of q1, d1” "
        "should be listed once for a rater (line 2 says the same; counted once)."
    ]


def test_new_pairs_come_before_or_after_all_others_as_chosen(judgment_list):
    do_import(judgment_list, pair("d1"))

    do_import(judgment_list, pair("d1"), pair("d2", 3), priority=10)

    stored = dict(Pair.objects.values_list("document__external_id", "priority"))
    assert stored == {"d1": 0, "d2": 10}
    assert judgment_list.list_queries.get().priority == 10
    place = -(10 << 32) + judgment_list.list_queries.get().position
    assert set(Slot.objects.values_list("query_position", flat=True)) == {place}
    assert set(Slot.objects.values_list("pair__document__external_id", "priority")) == {("d1", 0), ("d2", 10)}


def test_a_priority_out_of_range_is_refused(judgment_list):
    with pytest.raises(PriorityError, match="between -100 and 100"):
        do_import(judgment_list, pair("d1"), priority=101)

    assert not Pair.objects.exists()
