"""JSON lines, Parquet, several runs in one file, queries by text, and files of something else."""

import io
import json
import sys

import polars as pl
import pytest

from tests.touchstone_core.formats.texts import read_run, text_of
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.runs import (
    ParsedFile,
    check_file,
    check_queries,
    only_run,
    read_file,
    read_runs,
)

LIMIT = 10_000_000
TAGS = "q1 Q0 d1 1 2 a\nq1 Q0 d1 1 3 b\nq2 Q0 d2 1 1 a\nq1 Q0 d2 2 9\n"


def read(content: str, **options) -> ParsedFile:
    return read_runs(text_of(content, "file"), Options(**options))


def read_frame(frame: pl.DataFrame, limit: int = LIMIT, **options) -> ParsedFile:
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return read_file(stream.getvalue(), name="file", limit=limit, options=Options(**options))


def orders(file: ParsedFile) -> dict[str, dict[str, list[str]]]:
    return {run.name: {one.query: one.documents for one in run.rankings} for run in file.runs}


def errors(file: ParsedFile) -> list[str]:
    return list(file.report.errors.sentences())


def test_json_lines_hold_a_query_and_its_results_each():
    file = read(
        '{"query": "q1", "results": [{"document": "d1", "score": 1.2}, {"document": "d2", "score": 3}]}\n\n'
        '{"qid": 2, "results": ["b", "a"]}\n{"query": "q3", "results": [{"_id": "z"}, {"doc_id": "y"}]}\n'
    )

    assert (file.format, orders(file)) == (
        "jsonl",
        {"": {"q1": ["d2", "d1"], "2": ["b", "a"], "q3": ["z", "y"]}},
    )
    assert [ranking.line for ranking in file.runs[0].rankings] == [1, 3, 4]


def test_lines_of_one_hit_each_are_ordered_by_their_scores():
    lines = (
        '{"query": "q", "_id": "a", "_score": 1}\n{"query": "q", "_id": "b", "_score": 2, "rating": 4.5}\n'
    )

    assert orders(read(lines)) == {"": {"q": ["b", "a"]}}


def test_names_of_judgments_are_queries_where_they_have_results():
    assert orders(read('{"topics": ["b", "a"], "requests": ["c"]}')) == {
        "": {"topics": ["b", "a"], "requests": ["c"]}
    }


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "Line 2: “{” should be one JSON object on the line."),
        ("[1]", "Line 2: “[1]” should be one JSON object on the line."),
        ('{"query": "r"}', "Line 2: “{\"query\": \"r\"}” should be {\"query\": \"q1\", \"results\": [{\"document\": \"d1\", \"score\": 1.2}]}."),
        ('{"query": "q", "results": []}', "Line 2, column query: “q” should be listed once."),
        ('{"query": "r", "results": [{"document": "d", "score": NaN}]}', "Line 2, query “r”, document “d”: “NaN” should be a finite number."),
        ('{"query": "r", "results": [{"document": "d", "score": 1}, "e"]}', "Line 2, query “r”: “\"e\"” should be given with a score, as the query’s other documents are."),
        ('{"query": "r", "results": [{"score": 1}]}', "Line 2, query “r”: “null” should be a document ID."),
        ('{"query": "r", "results": [{"document": "", "score": 1}]}', "Line 2, query “r”: empty, but should be an ID."),
        ('{"query": "r", "results": [[]]}', "Line 2, query “r”: “[]” should be a document ID."),
        ('{"query": "r", "results": ["d", "d"]}', "Line 2, column document: “d” should be listed once for query r (it is on line 2 already)."),
    ],
)  # fmt: skip
def test_a_bad_json_line_is_reported_by_line(line, sentence):
    assert errors(read(f'{{"query": "q", "results": ["a"]}}\n{line}\n', format="jsonl")) == [sentence]


def test_the_objects_of_json_lines_may_stand_in_a_list():
    assert orders(read('[{"query": "q", "results": ["b", "a"]}]')) == {"": {"q": ["b", "a"]}}
    assert read('[{"query": "q", "results": ["b"]}, 7]').report.errors.counts == {"shape": 1}


def test_a_json_file_that_goes_on_after_its_end_is_no_json():
    with pytest.raises(FormatError, match="file is not valid JSON: line 2, column 1"):
        read('{"q": {"d": 1}}\nand more')


@pytest.mark.parametrize("order", ["score", "rank"])
def test_parquet_has_the_columns_of_csv(order):
    frame = pl.DataFrame(
        {"Query ID": [1, 1, 2], "docno": ["a", "b", "c"], "score": [0.1, 2e-300, -3.5], "rank": [2, 1, 1]}
    )

    file = read_frame(frame, order=order)

    by_order = {"score": ["a", "b"], "rank": ["b", "a"]}
    assert (file.format, orders(file)) == ("parquet", {"": {"1": by_order[order], "2": ["c"]}})
    assert sorted(file.runs[0].rankings[0].scores or []) == [2e-300, 0.1]
    assert not file.runs[0].by_text


def test_parquet_scores_are_kept_exactly_and_texts_may_be_numbers():
    frame = pl.DataFrame(
        {"query_text": ["a b"] * 2, "doc": ["x", "y"], "score": ["1", "1e-3"], "rank": [1.0, 2.0]}
    )
    single = pl.DataFrame({"query": ["q"], "doc": ["x"], "score": pl.Series([0.1], dtype=pl.Float32)})
    texts = pl.DataFrame({"query": pl.Series(["q"], dtype=pl.Categorical), "doc": ["x"]})

    assert read_frame(frame).runs[0].rankings[0].scores == [1.0, 0.001]
    assert read_frame(frame).runs[0].by_text
    assert read_frame(single).runs[0].rankings[0].scores == [0.10000000149011612]
    assert read_frame(texts).runs[0].rankings[0].scores is None


@pytest.mark.parametrize(
    ("column", "values", "sentence"),
    [
        ("score", [1.0, float("nan")], "Line 2, column score: “nan” should be a finite number."),
        ("score", [1.0, float("inf")], "Line 2, column score: “inf” should be a finite number."),
        ("score", [1.0, None], "Line 2, column score: empty, but should be a number."),
        ("rank", [1.0, 1.5], "Line 2, column rank: “1.5” should be a whole number."),
        ("query", ["q", None], "Line 2, column query: empty, but should be an ID."),
        ("document", ["d", "\x07"], "Line 2, column document: “\\x07” should be an ID without line breaks or control characters."),
        ("document", ["d", "d"], "Line 2, column document: “d” should be listed once for query q (it is on line 1 already)."),
    ],
)  # fmt: skip
def test_a_bad_parquet_row_is_reported_by_its_number(column, values, sentence):
    columns = {"query": ["q", "q"], "document": ["d", "e"], "score": [2.0, 1.0], "rank": [1, 2]} | {
        column: values
    }

    assert errors(read_frame(pl.DataFrame(columns))) == [sentence]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"query": ["q"]}, "needs a column for document"),
        ({"query": [["q"]], "document": ["d"]}, "“query” holds List.*expected text or whole numbers"),
        ({"query": ["q"], "document": [1.5]}, "“document” holds Float64; expected text or whole numbers"),
        ({"query": ["q"], "document": ["d"], "score": [True]}, "“score” holds Boolean; expected numbers"),
        ({"query": ["q"], "document": ["d"], "rating": [3]}, "holds judgments: it has a column “rating”"),
        (
            {"query": pl.Series([], dtype=pl.String), "document": pl.Series([], dtype=pl.String)},
            "holds no ranking",
        ),
    ],
)
def test_a_parquet_file_without_the_columns_of_a_run_is_refused(columns, message):
    with pytest.raises(FormatError, match=message):
        read_frame(pl.DataFrame(columns))


def test_a_parquet_file_that_is_damaged_or_unpacks_to_too_much_is_refused():
    frame = pl.DataFrame({"query": ["q"] * 3000, "document": [f"d{n}" for n in range(3000)]})
    stream = io.BytesIO()
    frame.write_parquet(stream)

    with pytest.raises(FormatError, match="file unpacks to more than 40"):
        read_frame(frame, limit=40 << 10)
    with pytest.raises(FormatError, match="file is damaged: it starts as Parquet but cannot be read"):
        read_file(stream.getvalue()[:-9], name="file", limit=LIMIT)


def test_parquet_without_its_reader_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)

    with pytest.raises(FormatError, match=r"needs the package polars\. Save it as CSV"):
        read_file(b"PAR1", name="file", limit=LIMIT)


def test_a_parquet_file_that_is_said_to_be_csv_is_refused():
    with pytest.raises(FormatError, match="is a Parquet file"):
        read_frame(pl.DataFrame({"query": ["q"], "document": ["d"]}), format="csv")


def test_several_tags_become_a_run_each_by_choice():
    file = read(TAGS, several="split")

    assert orders(file) == {"a": {"q1": ["d1"], "q2": ["d2"]}, "b": {"q1": ["d1"]}, "": {"q1": ["d2"]}}
    assert [run.rows for run in file.runs] == [2, 1, 1]
    assert file.report.warnings.counts == {"no tag": 1}
    assert [run.report.warnings.counts for run in file.runs] == [{"no tag": 1}] * 3


def test_one_tag_is_one_run_whatever_the_choice():
    file = read("q Q0 d 1 1 t\n", several="split")

    assert orders(file) == {"t": {"q": ["d"]}}
    assert orders(read("q Q0 d 1 1 t\n")) == orders(file)


def test_findings_of_several_runs_are_counted_once():
    content = "".join(f"q{n} Q0 {d} 1 1 {tag}\n" for n in range(80) for d in "de" for tag in ("a", "b"))

    file = read(content + "q Q0 d 1 nan a\n", several="split")

    assert file.report.warnings.counts == {"equal scores in a query": 160}
    assert len(file.report.warnings.first) == 100
    assert file.report.errors.counts == {"score not finite": 1}
    assert [run.report.warnings.counts for run in file.runs] == [{"equal scores in a query": 80}] * 2


def test_more_runs_than_anybody_can_mean_are_refused():
    with pytest.raises(FormatError, match="holds more than 100 runs"):
        read("".join(f"q Q0 d 1 1 t{n}\n" for n in range(101)), several="split")


def test_a_file_of_several_runs_is_not_one_run():
    with pytest.raises(
        FormatError, match=r"file holds 3 runs \(a, b, one without a name\). Use a file with one run"
    ):
        only_run(read(TAGS, several="split"), "file")


def test_queries_are_found_by_their_exact_text():
    file = read("query text,document\nred shoes,d1\n boots ,d2\n")

    (run,) = check_file(file, {"7", "8"}, texts={"red shoes": {"7"}, "boots": {"8"}}).runs

    assert {ranking.query: ranking.documents for ranking in run.rankings} == {"7": ["d1"], "8": ["d2"]}
    assert not run.by_text


def test_texts_may_be_chosen_where_the_header_leaves_it_open():
    assert read("query,document\nred shoes,d1\n", queries="text").runs[0].by_text
    assert not read("query,document\nred shoes,d1\n").runs[0].by_text
    assert not read("query_text,document\nq7,d1\n", queries="id").runs[0].by_text
    assert read('{"red shoes": ["d1"]}', queries="text").runs[0].by_text
    assert (
        read("query_id,query_text,document\n7,red shoes,d1\n", queries="text").runs[0].rankings[0].query
        == "red shoes"
    )
    assert read("query_id,query_text,document\n7,red shoes,d1\n").runs[0].rankings[0].query == "7"


def test_a_text_that_two_queries_have_names_neither():
    file = only_run(read("query text,document\nboots,d1\n"), "file")

    as_error = check_queries(file, {"7", "8"}, texts={"boots": {"7", "8"}})
    as_warning = check_queries(file, {"7", "8"}, texts={"boots": {"7", "8"}}, unknown="skip")

    assert list(as_error.report.errors.sentences()) == [
        "Line 2, column query text: “boots” should be a text that only one query has (this one has 2; name queries by ID)."
    ]
    assert as_warning.report.warnings.counts == {"text of several queries": 1}


def test_an_unknown_query_comes_with_a_hint_where_the_other_name_would_be_known():
    by_id = read_run(text_of('{"boots": ["d"]}'))
    by_text = read_run(text_of('{"7": ["d"]}'), queries="text")

    texts = {"boots": {"7"}}
    assert "choose to read queries by text" in errors_of(check_queries(by_id, {"7"}, texts=texts))
    assert "choose to read queries by ID" in errors_of(check_queries(by_text, {"7"}, texts=texts))


def errors_of(run) -> str:
    return " ".join(run.report.errors.sentences())


def test_each_run_of_a_file_is_checked_and_the_report_is_of_all():
    file = read("q1 Q0 d 1 1 a\nx Q0 d 1 1 a\ny Q0 d 1 1 b\nq1 Q0 d 1 1 b\n", several="split")

    as_error, as_warning = check_file(file, {"q1"}), check_file(file, {"q1"}, unknown="skip")

    assert as_error.report.errors.counts == {"unknown query": 2}
    assert [run.report.errors.counts for run in as_error.runs] == [{"unknown query": 1}] * 2
    assert as_warning.report.warnings.counts == {"unknown query": 2}
    assert orders(as_warning) == {"a": {"q1": ["d"]}, "b": {"q1": ["d"]}}


def test_a_run_without_any_known_query_is_left_out_and_the_others_stay():
    file = read("x Q0 d 1 1 a\nq1 Q0 d 1 1 b\ny Q0 d 1 1 b\n", several="split")

    refused, checked = check_file(file, {"q1"}), check_file(file, {"q1"}, unknown="skip")

    assert refused.report.errors.counts == {"unknown query": 2}
    for one in (refused, checked):
        assert [(run.name, run.no_known_query) for run in one.runs] == [("a", True), ("b", False)]
    assert checked.report.ok
    assert list(checked.report.warnings.sentences()) == [
        "Run “a”: no known query, so it’s left out. There should be at least one that is in this query set.",
        "Line 3, column query: unknown query “y”. It should be the ID of a query in this query set.",
    ]


def test_a_file_of_which_no_run_has_a_known_query_is_refused():
    file = read("x Q0 d 1 1 a\ny Q0 d 1 1 b\n", several="split")

    checked = check_file(file, {"q1"}, unknown="skip")

    assert checked.report.errors.counts == {"no known query": 2}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q 0 d 1\nq 0 e 2\n", "file has four columns, as judgments .TREC qrels. have"),
        ("query,docid,rating\nq,d,3\n", "file holds judgments: it has a column “rating”"),
        ('{"name": "x", "ratings": [{"query": "q"}]}', "its first keys are “name”, “ratings”"),
        ('[{"query": "q", "ratings": []}]', "file holds judgments, not a run"),
        (
            '{"query": "q", "document": "d", "grade": 2}\n' * 2,
            "file holds judgments: it has a column “grade”",
        ),
        (
            '{"scorer": {"id": 7}, "queries": [{"query_text": "q", "ratings": {"d": 2}}]}',
            "holds judgments, not",
        ),
        (
            '{"requests": [{"id": "q", "ratings": [{"_id": "d", "rating": 2}]}]}',
            "file holds judgments, not a run",
        ),
        (
            '{"name": "n", "sampling": "manual", "querySetQueries": [{"queryText": "q"}]}',
            "file holds queries, not a run",
        ),
    ],
)
def test_judgments_are_not_taken_for_a_run(content, message):
    with pytest.raises(FormatError, match=message):
        read(content)


def test_scores_that_are_all_bad_are_told_one_by_one():
    assert len(errors(read(json.dumps({"q": {"d": "x"}, "r": {"d": "y"}})))) == 2
