"""Runs that lack columns or come in odd shapes: what can mean one thing only is read, the rest says what to do."""

import json
import tracemalloc

import numpy as np
import pytest

from tests.touchstone_core.formats.texts import read_run, text_of
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.rankings import JoinedRanking, ParsedRanking
from touchstone_core.formats.runs.runs import name_by_text, read_runs

MS_MARCO = (
    "1048585\t7187158\t1\n1048585\t7187157\t2\n1048585\t7187163\t3\n1048585\t7546327\t4\n2\t20\t1\n2\t19\t2\n"
)


def read(content, **options):
    run = read_run(text_of(content, "run"), **options)
    assert run.report.ok, list(run.report.errors.sentences())
    return {
        one.query: list(zip(one.documents, one.scores or [None] * len(one.documents), strict=True))
        for one in run.rankings
    }


@pytest.mark.parametrize(
    "content",
    [
        "q1 d1 1 12.5 5\nq1 d2 2 11.5 5\n",  # no Q0, and a tag that is a number
        "q1 d1 1 12.5 bm25\nq1 d2 2 11.5 bm25\n",
        "q1 d1 1 12.5\nq1 d2 2 11.5\n",
        "q1 Q0 d1 1 12.5\nq1 Q0 d2 2 11.5\n",
        "q1 0 d1 1 12.5\nq1 0 d2 2 11.5\n",
        "query Q0 document rank score tag\nq1 Q0 d1 1 12.5 t\nq1 Q0 d2 2 11.5 t\n",
        "q1 d1 1 12.5 0\nq1 d2 2 11.5 0\n",
        "query document rank score tag\nq1 d1 1 12.5 t\nq1 d2 2 11.5 t\n",
        "query document rank score\nq1 d1 1 12.5\nq1 d2 2 11.5\n",
        "query Q0 document rank score\nq1 Q0 d1 1 12.5\nq1 Q0 d2 2 11.5\n",
        "# made by us\nqid q0 docno rank sim run\nq1 Q0 d1 1 12,5 t\nq1 Q0 d2 2 11,5 t\n",
        '{"query": "q1", "document": "d2", "score": 11.5}\n{"query": "q1", "document": "d1", "score": 12.5}\n',
        '[{"qid": "q1", "doc_id": "d1", "score": 12.5, "rank": 1}, {"qid": "q1", "doc_id": "d2", "score": 11.5, "rank": 2}]',
    ],
)  # fmt: skip
def test_what_can_only_mean_one_run_is_read(content):
    assert read(content) == {"q1": [("d1", 12.5), ("d2", 11.5)]}


def test_ms_marco_runs_have_queries_documents_and_ranks():
    assert read(MS_MARCO) == {
        "1048585": [("7187158", None), ("7187157", None), ("7187163", None), ("7546327", None)],
        "2": [("20", None), ("19", None)],
    }


@pytest.mark.parametrize(
    "rows",
    [
        [("q1", "7", 12.5), ("q1", "0", 11.5), ("q1", "9", 10.5)],
        [("q1", "0", 12.5), ("q2", "0", 11.5)],
        [("q1", "0", 12.5), ("q1", "Q", 11.5)],
    ],
)
@pytest.mark.parametrize("tag", ["5", "t"])
def test_a_document_that_is_called_0_is_not_taken_for_q0(rows, tag):
    content = "".join(f"{query} {document} 1 {score} {tag}\n" for query, document, score in rows)

    runs = read(content)

    assert {(query, document, score) for query in runs for document, score in runs[query]} == set(rows)


@pytest.mark.parametrize(
    "row",
    [
        "q1 0 2 11 5",  # document 0, rank 2, score 11, tag 5; or document 2, rank 11, score 5
        "q1 0 7187158 1 12.5",
        "q1 Q0 2 11.5 5",  # a document that is called Q0, or a rank that is none
        "q1 iteration 2 1 11.5",
    ],
)
def test_five_columns_that_may_mean_two_things_are_refused(row):
    errors = read_run(text_of(f"q1 Q0 d1 1 12.5 t\n{row}\n")).report.errors

    assert [(one.line, one.kind) for one in errors.first] == [(2, "wrong number of columns")]
    assert "may lack Q0 or the tag" in errors.first[0].expected


def test_documents_that_are_numbers_may_lack_the_tag_behind_q0():
    assert read("q1 Q0 7187158 1 12.5\nq1 Q0 7 2 11.5\n") == {"q1": [("7187158", 12.5), ("7", 11.5)]}


@pytest.mark.parametrize("several", ["refuse", "split"])
def test_a_file_whose_rows_lack_different_columns_is_refused(several):
    content = "q1 0 d1 1 12.5\nq1 d2 2 11.5 t\n"

    errors = read_runs(text_of(content), Options(several=several)).report.errors

    assert [(one.line, one.kind) for one in errors.first] == [(2, "different columns")]
    assert "line 1" in errors.first[0].expected


@pytest.mark.parametrize("header", ["qid docno rank", "query Q0 document rank"])
def test_a_header_that_names_ranks_says_what_the_last_column_is(header):
    row = "q1 Q0 {} {}\n" if "Q0" in header else "q1 {} {}\n"

    assert read(f"{header}\n{row.format('d2', 1)}{row.format('d1', 2)}") == {
        "q1": [("d2", None), ("d1", None)]
    }


def test_a_first_row_without_numbers_is_said_to_be_a_header():
    errors = read_run(text_of("topic item place value\nq1 d1 1 12.5\n")).report.errors

    assert [one.line for one in errors.first] == [1]
    assert "if it names the columns, leave it out" in errors.first[0].expected


def test_four_columns_that_count_the_documents_of_a_query_are_ranks():
    rows = "".join(f"q1 Q0 d{place} {place}\n" for place in (1, 2, 3, 4))

    assert [document for document, _ in read(rows)["q1"]] == ["d1", "d2", "d3", "d4"]


@pytest.mark.parametrize(
    "rows", ["q1\td2\t1\nq1\td1\t2\n", "q1 Q0 d2 1\nq1 Q0 d1 2\n", "q1 Q0 d1 9\nq1 Q0 d2 3\n"]
)
def test_short_files_of_ranks_are_read_if_ranks_are_chosen_as_the_order(rows):
    assert [document for document, _ in read(rows, order="rank")["q1"]] == ["d2", "d1"]
    with pytest.raises(FormatError, match=r"choose to order by the rank column \(--order rank\)"):
        read(rows)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q1 0 d1 3\nq1 0 d2 1\n", "as judgments"),
        ("q1 Q0 d1 3\nq1 Q0 d2 2\nq1 Q0 d3 1\nq1 Q0 d4 0\n", "as judgments"),
        ("q1 d1 0.5\nq1 d2 0.25\n", "add a first line that names them"),
    ],
)
def test_judgments_and_unknown_columns_are_refused_with_what_to_do(content, message):
    with pytest.raises(FormatError, match=message):
        read(content)


def test_five_numbers_that_may_mean_two_things_are_refused_by_line():
    run = read_run(text_of("q1 7 1 12 5\nq1 Q0 d1 1 2\n"))

    assert list(run.report.errors.sentences()) == [
        "Line 1: 5 columns. There should be query, Q0, document, rank, score and tag (it may lack Q0 or the tag: add "
        "what it lacks)."
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('{"query": "q", "document": "a", "score": 1}\n{"query": "q", "document": "b"}\n', "a score in every line"),
        ('{"query": "q", "document": "a"}\n{"query": "q", "document": "b", "score": 1}\n', "a score in every line"),
        ('{"query": "q", "document": "a", "rank": 1}\n{"query": "q", "document": "b", "rank": true}\n', "whole number"),
        ('{"query": "q", "document": "a", "score": "1"}\n{"query": "q", "document": "b", "score": 1}\n', "a number"),
    ],
)  # fmt: skip
def test_lines_of_hits_that_contradict_each_other_are_refused(lines, expected):
    assert expected in next(read_run(text_of(lines)).report.errors.sentences())


@pytest.mark.parametrize("several", ["refuse", "split"])
def test_a_file_of_far_too_many_runs_is_refused_before_its_rows_are_kept(several):
    rows = "".join(
        f"q{query} Q0 d{place} {place} 1 tag{tag}\n"
        for tag in range(118)
        for query in range(20)
        for place in range(20)
    )
    text = text_of(rows)
    tracemalloc.start()

    with pytest.raises(FormatError, match="more than 100 runs"):
        read_runs(text, Options(several=several))

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * len(rows)  # the text itself takes four bytes a character while it is cut into lines


@pytest.mark.parametrize(
    ("content", "column"),
    [
        ('{"query": "q1\\u0007", "document": "d1", "score": 1}\n{"query": "q2", "document": "d1", "score": 1}\n', "query"),
        ('{"query": "q1", "document": "d\\u0007", "score": 1}\n{"query": "q2", "document": "d1", "score": 1}\n', "query “q1”"),
        ("q1\td\u00071\t1\nq1\td2\t2\nq2\td3\t1\n", "document"),
    ],
)  # fmt: skip
def test_bad_ids_in_odd_shapes_are_told_by_line(content, column):
    errors = read_run(text_of(content, "run"), **({"order": "rank"} if "\t" in content else {})).report.errors

    assert errors.total == 1
    assert errors.first[0].column.startswith(column)


def test_a_run_whose_name_cannot_be_stored_is_a_problem():
    queries = {"q1": {"docs": [{"id": "d1"}]}}
    content = json.dumps({"snapshots": [{"name": name, "queries": queries} for name in ("a\0", "b")]})

    errors = read_runs(text_of(content, "snapshots.json")).report.errors

    assert [one.column for one in errors.first] == ["name of a run"]


def test_a_query_of_a_snapshot_whose_id_cannot_be_stored_is_a_problem():
    content = '{"docs": {"q\\u0007": [{"id": "d1"}], "q2": [{"id": "d1"}]}, "queries": [{"query_id": 1, "query_text": "a"}]}'

    run = read_run(text_of(content, "snapshot.json"), queries="id")

    assert run.report.errors.total == 1


def test_more_than_a_hundred_snapshots_at_once_are_refused():
    queries = {"q1": {"docs": [{"id": "d1"}]}}
    content = json.dumps({"snapshots": [{"name": f"s{nth}", "queries": queries} for nth in range(101)]})

    with pytest.raises(FormatError, match=r"holds 101 runs\. Split it into files of at most 100"):
        read_runs(text_of(content, "snapshots.json"))


QUERIES = "1\tbelts without any buckles\n2\tboots\n3\twarm boots without laces for men\n"


def test_queries_are_refused_in_one_sentence():
    """Not with an error for each query, although the first has five words, as a row of TREC may have."""
    with pytest.raises(FormatError) as error:
        read_runs(text_of(QUERIES, "queries.tsv"))

    assert (
        str(error.value)
        == "queries.tsv looks like queries. Each line of a run has a document and a score or rank, too."
    )


def test_whoever_chooses_a_format_sees_what_is_wrong_with_each_line():
    run = read_run(text_of(QUERIES, "queries.tsv"), format="trec")

    assert run.report.errors.total == 3


def test_words_after_the_tag_are_left_out_by_choice_with_a_warning():
    content = text_of("q1 Q0 d1 1 12.5 my run\nq1 Q0 d2 2 11.5 my run\n", "run")

    refused, run = read_run(content), read_run(content, trailing="skip")

    assert "if the tag has blanks, write _ in place of them" in next(refused.report.errors.sentences())
    assert (run.report.ok, run.name, run.rankings[0].documents) == (True, "my", ["d1", "d2"])
    assert run.report.warnings.counts == {"words behind the tag": 2}


def test_a_header_is_left_out_with_a_warning():
    run = read_run(text_of("query Q0 document rank score tag\n\nq1 Q0 d1 1 12.5 t\n", "run"))

    assert (run.report.ok, run.report.warnings.counts) == (True, {"header": 1})


def test_runs_by_text_are_those_whose_queries_are_texts_and_no_ids():
    file = read_runs(text_of("red\tQ0\td1\t1\t2\tt\n", "run"), Options())

    assert [run.by_text for run in name_by_text(file, {"q1"}, {"red"}).runs] == [True]
    assert [run.by_text for run in name_by_text(file, {"red"}, {"red"}).runs] == [False]
    assert [run.by_text for run in name_by_text(file, {"q1"}, {"blue"}).runs] == [False]


def test_a_joined_ranking_is_that_of_its_list():
    plain = ParsedRanking("q", ["d1", "d2"], [2.0, 1.0], False, 1)
    joined = JoinedRanking("q", plain.joined, np.array([2.0, 1.0]), False, 1)

    assert (joined.documents, joined.size) == (plain.documents, plain.size) == (["d1", "d2"], 2)


def test_a_row_whose_query_begins_with_a_hash_is_left_out_with_a_warning():
    run = read_run(text_of("# made by us\n#q1 Q0 d1 1 12.5 t\nq2 Q0 d1 1 12.5 t\n", "run"))

    assert (run.report.ok, [one.query for one in run.rankings]) == (True, ["q2"])
    assert [one.line for one in run.report.warnings.first] == [2]
