import json

import pytest

from touchstone_core.formats.problems import MOST_PROBLEMS, Findings, FormatError, Problem, Report


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (
            Problem(7, "grade", "abc", "a number", "x"),
            "Line 7, column grade: “abc” should be a number.",
        ),
        (
            Problem(7, "", "3 columns", "4", "wrong number of columns"),
            "Line 7: 3 columns. There should be 4.",
        ),
        (Problem(None, "query q1", "nan", "a number", "x"), "Query q1: “nan” should be a number."),
        (Problem(None, "", "nothing", "a query", "x"), "“nothing” should be a query."),
    ],
)
def test_a_problem_is_a_sentence_for_people(problem: Problem, sentence: str):
    assert problem.sentence == sentence


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (Problem(7, "grade", "", "a number", "x"), "Column grade: empty, but should be a number."),
        (Problem(7, "", "3 columns", "4", "wrong number of columns"), "3 columns. There should be 4."),
        (Problem(None, "query q1", "nan", "a number", "x"), "Query q1: “nan” should be a number."),
        (
            Problem(7, "query", "q9", "a query of the set", "unknown query"),
            "Column query: unknown query “q9”. It should be a query of the set.",
        ),
    ],
)
def test_where_the_line_is_shown_anyway_the_sentence_leaves_it_out(problem: Problem, sentence: str):
    assert problem.sentence_without_line == sentence


def test_the_first_hundred_problems_are_kept_and_all_are_counted_by_kind():
    report = Report()

    for line in range(1, 251):
        report.error(line, "grade", "x", "a number", kind="odd" if line % 2 else "even")

    assert [problem.line for problem in report.errors.first] == list(range(1, MOST_PROBLEMS + 1))
    assert report.errors.counts == {"odd": 125, "even": 125}
    assert (report.errors.total, report.errors.more) == (250, 150)
    assert list(report.errors.sentences())[-1] == "And 150 more."


def test_what_is_shown_is_in_the_order_of_the_lines():
    report = Report()
    for line in (9, 2, None, 11):
        report.error(line, "", "x", "y", kind="odd")

    assert [problem.line for problem in report.errors.by_line] == [None, 2, 9, 11]
    assert [sentence.split(":")[0] for sentence in report.errors.sentences()] == [
        "“x” should be y.",
        "Line 2",
        "Line 9",
        "Line 11",
    ]


def test_warnings_do_not_refuse_a_file_and_errors_do():
    report = Report()
    report.warn(1, "", "a tie", "none", kind="tie")
    assert report.ok
    assert list(report.warnings.sentences()) == ["Line 1: “a tie” should be none."]

    report.error(2, "", "a", "b", kind="c")

    assert not report.ok


def test_a_report_survives_json():
    report = Report()
    report.error(3, "grade", "x", "a number", kind="not a number")
    report.warn(None, "query q", "y", "z", kind="tie")

    again = Report.from_json(json.loads(json.dumps(report.to_json())))

    assert again == report


def test_a_copy_of_a_report_is_its_own():
    report = Report()
    copy = report.copy()

    copy.error(1, "", "a", "b", kind="c")

    assert report.ok


def test_values_are_shortened_and_made_storable():
    report = Report()

    report.error(1, "a\0b", "x" * 500, "less", kind="long")
    report.error(2, "id", "a\0\ud800\n", "an ID", kind="not an ID")

    assert report.errors.first[0].column == "a\\x00b"
    assert report.errors.first[0].value == "x" * 79 + "…"
    assert report.errors.first[1].value == "a\\x00\\xd800\\x0a"


def test_a_format_error_carries_its_line():
    error = FormatError("Broken.", line=4)

    assert (str(error), error.message, error.line) == ("Broken.", "Broken.", 4)


def test_causes_have_their_count_and_their_first_problems():
    """A kind that came only after the first problems has no example."""
    report = Report()
    for line in range(MOST_PROBLEMS + 43, 0, -1):
        report.warn(line, "", f"equal scores for query q{line}", "others", kind="equal scores in a query")
    report.warn(9, "tag", "x", "y", kind="late")

    common, late = report.warnings.causes(2)

    assert (common.kind, common.count) == ("equal scores in a query", MOST_PROBLEMS + 43)
    assert (common.more, late.more) == (MOST_PROBLEMS + 41, 1)
    assert [one.partition(":")[0] for one in common.examples] == ["Line 44", "Line 45"]
    assert (late.kind, late.count, late.examples) == ("late", 1, [])


def test_problems_name_columns_as_the_file_does():
    report = Report(headers={"grade": "Bewertung", "query": "grade"})
    report.error(2, "grade", "x", "a number", kind="a")
    report = report.copy()
    report.warn(3, "document", "d", "known", kind="b")
    report.warn(4, "query", "q", "known", kind="c")

    assert list(report.errors.sentences()) == ["Line 2, column Bewertung: “x” should be a number."]
    assert list(report.warnings.sentences()) == [
        "Line 3, column document: “d” should be known.",
        "Line 4, column grade: “q” should be known.",
    ]


def test_only_what_came_since_a_copy_is_added():
    first, total = Findings(), Findings()
    first.add(1, "grade", "x", "a number", "bad grade")
    before = first.copy()
    first.add(2, "grade", "y", "a number", "bad grade")
    first.add(3, "query", "z", "a known one", "unknown query")

    total.add_all(first, since=before)

    assert total.counts == {"bad grade": 1, "unknown query": 1}
    assert [one.line for one in total.first] == [2, 3]


def test_problems_of_a_kind_can_be_taken_back():
    findings = Findings()
    findings.add(1, "grade", "x", "a number", "bad grade")
    findings.add(2, "query", "z", "a known one", "unknown query")

    findings.forget("bad grade")
    findings.forget("never seen")

    assert findings.counts == {"unknown query": 1}
    assert [one.kind for one in findings.first] == ["unknown query"]


def test_in_short_each_kind_has_its_first_sentence_but_those_that_are_said_elsewhere():
    findings = Findings()
    for line in (1, 2, 3):
        findings.add(line, "grade", "x", "a number", "bad grade")
    findings.add(4, "query", "z", "a known one", "unknown query")

    assert findings.in_short(but=["unknown query"]) == {
        "bad grade": "Line 1, column grade: “x” should be a number. So in 2 more rows."
    }
