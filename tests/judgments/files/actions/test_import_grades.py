"""Grades of files on scales of every kind: kept, refused, or read by a stated choice."""

from io import BytesIO

import pytest

from judgments.files.actions.imports import ImportRefusedError, import_judgments
from judgments.files.reports.import_grades import BETWEEN, NEGATIVE, GradePolicy
from judgments.files.reports.imports import Choices, ImportResult, open_judgment_file
from judgments.files.reports.judgment_imports import Terms
from judgments.models import Grade, Judgment, Pair, Rater, Scale
from tests import factories as make
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db


def make_scale(query_set, *values, **fields):
    scale = Scale.objects.create(query_set=query_set, name="Own", **fields)
    for key, value in zip("0123456789", values, strict=False):
        Grade.objects.create(scale=scale, value=value, label=f"Level {key}", gain=max(value, 0), key=key)
    return scale


def list_on(*values, **fields):
    query_set = make.make_query_set()
    return make.make_list(query_set, scale=make_scale(query_set, *values, **fields))


def bring_in(
    judgment_list,
    content,
    *,
    good_lines=False,
    name="qrels.txt",
    documents=False,
    create_missing=True,
    **policy,
):
    """The result and the report of importing a file."""
    choices = Choices(documents=documents)
    data = content if isinstance(content, bytes) else content.encode()
    with open_judgment_file(BytesIO(data), name=name, choices=choices, limit=10**8) as opened:
        result = import_judgments(
            judgment_list=judgment_list,
            file=opened,
            at=make.NOW,
            terms=Terms(
                rater_name="file",
                create_missing=create_missing,
                create_documents=documents,
                policy=GradePolicy(**policy),
                good_lines=good_lines,
            ),
        )
    return result, opened.report


def refused(judgment_list, content, **more):
    with pytest.raises(ImportRefusedError) as caught:
        bring_in(judgment_list, content, **more)
    assert not Judgment.objects.exists()
    assert not Rater.objects.exists()
    return caught.value.report.errors


def stored():
    return dict(Judgment.objects.order_by("id").values_list("pair__document__external_id", "value"))


def test_a_scale_that_starts_at_one_takes_its_grades_and_refuses_zero():
    judgment_list = list_on(1, 2, 3, 4, 5)

    assert list(refused(judgment_list, "q 0 d 1\nq 0 e 0\nq 0 f 6\n").sentences()) == [
        "Line 2, column grade: “0” should be a grade of the scale “Own”: "
        "1 (Level 0), 2 (Level 1), 3 (Level 2), 4 (Level 3), 5 (Level 4).",
        "Line 3, column grade: “6” should be a grade of the scale “Own”: "
        "1 (Level 0), 2 (Level 1), 3 (Level 2), 4 (Level 3), 5 (Level 4).",
    ]
    bring_in(judgment_list, "q 0 d 1\nq 0 e 5.0\n")
    assert stored() == {"d": 1, "e": 5}


def test_a_file_with_a_column_for_each_rater_has_the_column_named():
    wide = "query,document,Ann,Bob\nq,d,1,2\nq,e,2,9\nq,f,-1,2\n"

    errors = refused(list_on(1, 2), wide, name="book.csv")
    with pytest.raises(ImportRefusedError) as caught:
        bring_in(list_on(1, 2), wide, name="book.csv", negative="leave-out")

    assert [one.split(" (")[0] for one in errors.sentences()] == [
        "Line 3, column Bob: “9” should be a grade of the scale “Own”: 1",
        "Line 4, column Ann: “-1” should be a grade of the scale “Own”: 1",
    ]
    assert [(one.line, one.column) for one in caught.value.report.warnings.by_line] == [(4, "Ann")]


def test_the_kinds_say_where_a_grade_lies():
    counts = refused(list_on(1, 2, 4), "q 0 a 0.5\nq 0 b 3\nq 0 c 5\nq 0 d -1\nq 0 e -2.5\n").counts

    assert counts == {
        "below the scale": 1,
        "between two grades": 1,
        "above the scale": 1,
        "negative grade": 2,
    }


def test_negative_grades_of_the_scale_need_no_choice():
    judgment_list = list_on(-2, -1, 0, 1, 2, 3)

    bring_in(judgment_list, "q 0 d -2\nq 0 e -1.0\nq 0 f 3\n")

    assert stored() == {"d": -2, "e": -1, "f": 3}
    assert refused_again(judgment_list, "q 0 g -3\n") == {"negative grade": 1}


def refused_again(judgment_list, content):
    with pytest.raises(ImportRefusedError) as caught:
        bring_in(judgment_list, content)
    return caught.value.report.errors.counts


def test_a_negative_grade_is_refused_with_the_choices_there_are():
    sentence = next(refused(list_on(0, 1), "q 0 d 1\nq 0 e -1\n").sentences())

    assert sentence == (
        "Line 2, column grade: “-1” should be a grade of the scale “Own”: 0 (Level 0), 1 (Level 1); or choose "
        "what a negative grade means: a pair to be judged, “cannot judge”, the lowest grade, or leave it out."
    )


@pytest.mark.parametrize(
    ("choice", "values", "reasons", "pairs", "kind"),
    [
        ("pair", {"d": 1}, [""], 3, "negative grade: to be judged"),
        ("lowest", {"d": 1, "e": 0, "f": 0}, ["", "", ""], 3, "negative grade: lowest grade"),
        ("leave-out", {"d": 1}, [""], 1, "negative grade: left out"),
        (
            "cannot-judge",
            {"d": 1, "e": None, "f": None},
            ["", "document_missing", "document_missing"],
            3,
            "negative grade: cannot judge",
        ),
    ],
)
def test_negative_grades_become_what_was_chosen_and_are_counted(choice, values, reasons, pairs, kind):
    _, report = bring_in(list_on(0, 1), "q 0 d 1\nq 0 e -1\nq 0 f -2\n", negative=choice)

    assert stored() == values
    assert list(Judgment.objects.order_by("id").values_list("reason", flat=True)) == reasons
    assert Pair.objects.count() == pairs
    assert report.ok
    assert report.warnings.counts == {kind: 2}


def test_every_choice_of_the_page_is_one_that_is_carried_out():
    assert set(NEGATIVE) == {"", "pair", "cannot-judge", "lowest", "leave-out"}
    assert set(BETWEEN) == {"", "nearest"}


def test_a_fraction_on_whole_grades_is_refused_or_becomes_the_nearest_grade_and_is_counted():
    judgment_list = list_on(0, 1, 2)
    content = "q 0 a 0.4\nq 0 b 0.5\nq 0 c 1.7\nq 0 d 2\n"

    assert next(refused(judgment_list, content).sentences()).endswith("; or choose the nearest grade.")
    _, report = bring_in(judgment_list, content, between="nearest")

    assert stored() == {"a": 0, "b": 0, "c": 2, "d": 2}
    assert report.warnings.counts == {"between two grades: nearest grade": 3}


def test_the_nearest_grade_is_not_for_what_lies_outside_of_the_scale_or_on_one_without_order():
    assert refused(list_on(0, 1), "q 0 a 1.5\n", between="nearest").counts == {"above the scale": 1}
    nominal = list_on(0, 1, level="nominal")
    assert refused(nominal, "q 0 a 0.5\n", between="nearest").counts == {"not on the scale": 1}


def test_a_continuous_scale_keeps_every_digit_and_has_its_own_negative_grades():
    judgment_list = list_on(continuous=True, minimum=-1, maximum=1)

    bring_in(
        judgment_list, "q 0 a 0.1234567890123456789\nq 0 b -1\nq 0 c 5e-324\nq 0 d -0.30000000000000004\n"
    )

    assert stored() == {"a": 0.1234567890123456789, "b": -1, "c": 5e-324, "d": -0.30000000000000004}
    assert refused_again(judgment_list, "q 0 e 1.0000000000000002\n") == {"above the scale": 1}
    assert refused_again(judgment_list, "q 0 e -1.1\n") == {"negative grade": 1}


def test_a_label_that_looks_like_a_number_beyond_the_scale_is_still_a_label():
    query_set = make.make_query_set()
    scale = Scale.objects.create(query_set=query_set, name="Percent")
    for key, (value, label) in enumerate([(0, "0 %"), (1, "100")]):
        Grade.objects.create(scale=scale, value=value, label=label, gain=value, key=str(key))

    bring_in(make.make_list(query_set, scale=scale), "q 0 d 100\n")

    assert stored() == {"d": 1}


def test_the_same_judgment_twice_counts_once_and_another_grade_is_refused_with_both_lines():
    judgment_list = list_on(0, 1, 2)

    result, report = bring_in(judgment_list, "q 0 d 1\nq 0 e 2\nq 3 d 1.0\n")

    assert result == ImportResult(2, 0, 0)
    assert list(report.warnings.sentences()) == [
        "Line 3, column document: “q, d, file” "
        "should be listed once for a rater (line 1 says the same; counted once)."
    ]
    with pytest.raises(ImportRefusedError) as caught:
        bring_in(judgment_list, "q 0 d 1\nq 0 e 2\nq 0 d 2\n")
    assert list(caught.value.report.errors.sentences()) == [
        "Line 3, column document: “q, d, file” should be listed once for a rater (line 1 says otherwise)."
    ]


def test_more_repetitions_than_are_shown_are_counted():
    _, report = bring_in(list_on(0, 1), "q 0 d 1\n" * 151)

    assert report.warnings.counts == {"the same twice": 150}
    assert len(report.warnings.first) == 100


@pytest.mark.parametrize(
    "content",
    [
        "# notes\n# more\nq\t0\t d1   1\r\n\r\n q Q0 d2 0 \r\n",
        "\ufeffq 0 d1 1\nq 0 d2 0\n",
        "q 0 d1 1\nq 0 d2 0".encode("utf-16"),
        "q 0 d1 1\rq 12 d2 0\r",
    ],
)
def test_oddities_of_writing_make_no_difference(content):
    bring_in(list_on(0, 1), content)

    assert stored() == {"d1": 1, "d2": 0}


def test_the_good_lines_are_imported_on_request():
    result, report = bring_in(list_on(0, 1), "q 0 d 1\nq 0 e 7\nq 0 f -1\nq 0 d 0\n", good_lines=True)

    assert result == ImportResult(1, 0, 0, left_out=3)
    assert report.errors.total == 3


def test_trec_evals_own_negative_grades_arrive_by_every_choice():
    data = (shared_data("trec_eval") / "qrels.rel_level").read_bytes()
    judgment_list = list_on(0, 1, 2, 3, 4)

    assert refused(judgment_list, data).counts == {"negative grade": 304}
    result, report = bring_in(judgment_list, data, negative="pair")

    assert result == ImportResult(3377, 0, 0, pairs=304)
    assert report.warnings.counts == {"negative grade: to be judged": 304}


def test_what_is_wrong_names_the_columns_of_the_file():
    """Found after the file was read, by the query set and the scale."""
    judgment_list = list_on(0, 1, 2, 3)
    make.make_query(judgment_list.query_set, "q1")
    make.make_document(judgment_list.query_set, "d1")

    errors = refused(
        judgment_list,
        "qid,docno,rel\nq1,d1,9\nq2,d1,3\nq1,d2,3\n",
        name="own.csv",
        create_missing=False,
    )

    assert [one.sentence.split(":")[0] for one in errors.by_line] == [
        "Line 2, column rel",
        "Line 3, column qid",
        "Line 4, column docno",
    ]
