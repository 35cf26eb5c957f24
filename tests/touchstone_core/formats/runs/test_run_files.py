"""Runs in every format, good and bad, down to the line."""

import json

import pytest

from tests.touchstone_core.formats.texts import read_run, text_of
from touchstone_core.formats.file_format import detect_format
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.declarations import FORMATS
from touchstone_core.formats.runs.runs import ParsedRun, check_queries, is_trec


def read(content: str, **options) -> ParsedRun:
    return read_run(text_of(content, "run"), **options)


def orders(run: ParsedRun) -> dict[str, list[str]]:
    return {ranking.query: ranking.documents for ranking in run.rankings}


def errors(run: ParsedRun) -> list[str]:
    return list(run.report.errors.sentences())


def warnings(run: ParsedRun) -> list[str]:
    return list(run.report.warnings.sentences())


def test_a_trec_run_is_ordered_by_score_whatever_its_white_space():
    run = read("q1 Q0 d1 1 2.5 mine\nq1\tQ0  d2\t0 -1e3\tmine\r\n\nq2 Q0 d1 7 1 mine\nq1 Q0 d3 9 3 mine\n")

    assert orders(run) == {"q1": ["d3", "d1", "d2"], "q2": ["d1"]}
    assert [ranking.scores for ranking in run.rankings] == [[3.0, 2.5, -1000.0], [1.0]]
    assert [ranking.line for ranking in run.rankings] == [1, 4]
    assert (run.name, run.format, run.rows, run.notes) == ("mine", "trec", 4, "")


def test_equal_scores_go_by_document_id_descending_by_bytes_with_a_warning():
    run = read("q Q0 a 1 1 t\nq Q0 é 2 1 t\nq Q0 B 3 1 t\nq Q0 😀 4 1 t\nq Q0 \uffee 5 1 t\n")

    assert orders(run) == {"q": ["😀", "\uffee", "é", "a", "B"]}
    assert run.rankings[0].tied
    assert run.report.warnings.counts["equal scores in a query"] == 1


def test_score_and_rank_in_different_orders_is_a_warning_per_query_with_its_first_line():
    run = read("q1 Q0 a 1 1 t\nq1 Q0 b 2 2 t\nq2 Q0 a 1 2 t\nq2 Q0 b 2 1 t\nq3 Q0 a 5 1 t\nq3 Q0 b 6 2 t\n")

    assert orders(run)["q1"] == ["b", "a"]
    assert run.report.warnings.counts == {"score and rank disagree": 2}
    assert [problem.line for problem in run.report.warnings.first] == [1, 5]
    assert warnings(run)[0] == (
        "Line 1: ranks and scores in different orders for query q1. There should be the same order by both "
        "(scores decide, unless you choose to order by rank)."
    )


@pytest.mark.parametrize("ranks", [(0, 1, 2), (1, 1, 1), (3, 7, 90)])
def test_ranks_may_start_anywhere_and_repeat(ranks: tuple[int, ...]):
    rows = "".join(f"q Q0 d{place} {rank} {9 - place} t\n" for place, rank in enumerate(ranks))

    assert read(rows).report.warnings.counts == {}


def test_the_rank_column_decides_by_choice():
    run = read("q Q0 a 3 9 t\nq Q0 b 1 1 t\nq Q0 c 2 5 t\n", order="rank")

    assert orders(run) == {"q": ["b", "c", "a"]}
    assert run.rankings[0].scores == [1.0, 5.0, 9.0]
    assert run.report.warnings.counts == {}


def test_equal_ranks_go_by_score_and_then_by_id_with_a_warning():
    run = read("q Q0 a 1 1 t\nq Q0 b 1 1 t\nq Q0 c 1 5 t\nq Q0 d 0 0 t\n", order="rank")

    assert orders(run) == {"q": ["d", "c", "b", "a"]}
    assert run.report.warnings.counts == {"equal ranks in a query": 1}


def test_a_rank_that_is_no_number_matters_only_where_ranks_decide():
    content = "q Q0 a - 9 t\nq Q0 b 1 1 t\n"

    assert read(content).report.warnings.counts["rank not a whole number"] == 1
    assert errors(read(content, order="rank")) == ["Line 1, column rank: “-” should be a whole number."]


def test_comments_are_skipped_and_the_metadata_block_becomes_the_notes():
    run = read(
        "# made by hand\n# ir_metadata.start\n# platform:\n#   os: linux\n#\n# ir_metadata.end\n"
        "q Q0 d 1 1 t\n# in between\nq Q0 e 2 .5 t\n"
    )

    assert run.notes == "platform:\n  os: linux\n"
    assert orders(run) == {"q": ["d", "e"]}


def test_a_metadata_block_without_an_end_stops_at_the_rows():
    assert read("# ir_metadata.start\n# a: b\nq Q0 d 1 1 t\n").notes == "a: b"


def test_a_metadata_block_may_stand_at_the_very_end():
    assert read("q Q0 d 1 1 t\n# ir_metadata.start\n# a: b").notes == "a: b"


def test_a_missing_tag_is_accepted_with_a_warning():
    run = read("q Q0 d 1 1\nq Q0 e 2 .5\n")

    assert (run.name, run.rows) == ("", 2)
    assert run.report.warnings.counts == {"no tag": 2}


def test_several_tags_are_refused_by_name_and_line():
    run = read("q Q0 d 1 1 one\nq Q0 e 2 .5 two\nq Q0 f 3 .4 two\nq Q0 g 4 .3 three\n")

    assert errors(run) == [
        "Line 2, column tag: “two” should be the tag “one” of line 1 (one run in one file, unless you choose to split it).",
        "Line 4, column tag: “three” should be the tag “one” of line 1 (one run in one file, unless you choose to split it).",
    ]


def test_a_document_of_another_tag_is_not_called_listed_twice():
    run = read("q Q0 d 1 1 one\nq Q0 e 2 .5 one\nq Q0 d 1 1 two\nq Q0 e 2 .5 two\n")

    assert run.report.errors.counts == {"several tags": 1}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("q", "Line 2: 1 column. There should be query, Q0, document, rank, score and tag."),
        ("q d 1 2", "Line 2: 4 columns. There should be query, Q0, document, rank, score and tag."),
        ("q Q0 d e 1 2 t", "Line 2: 7 columns. There should be query, Q0, document, rank, score and tag."),
        (
            "q Q0 d 1 2 my run",
            "Line 2: 7 columns. There should be query, Q0, document, rank, score and tag (if the tag has blanks, write _ in "
            "place of them).",
        ),
        ("q Q0 \u200b 1 2 t", "Line 2, column document: “\\x200b” should be an ID that can be seen."),
        ("q Q0 \u3164 1 2 t", "Line 2, column document: “\u3164” should be an ID that can be seen."),
        ("q Q0 d 1 high t", "Line 2, column score: “high” should be a number."),
        ("q Q0 d 1 1_0 t", "Line 2, column score: “1_0” should be a number."),
        ("q Q0 d 1 nan t", "Line 2, column score: “nan” should be a finite number."),
        ("q Q0 d 1 -inf t", "Line 2, column score: “-inf” should be a finite number."),
        ("q Q0 d 1 1e999 t", "Line 2, column score: “1e999” should be a finite number."),
        (
            "q\x01 Q0 d 1 1 t",
            "Line 2, column query: “q\\x01” should be an ID without line breaks or control characters.",
        ),
        (
            "q Q0 d\x7f 1 1 t",
            "Line 2, column document: “d\\x7f” should be an ID without line breaks or control characters.",
        ),
        (
            "q1 Q0 d1 2 1 t",
            "Line 2, column document: “d1” should be listed once for query q1 (it is on line 1 already).",
        ),
    ],
)
def test_a_bad_trec_line_is_reported(line: str, sentence: str):
    run = read(f"q1 Q0 d1 1 5 t\n{line}\n")

    assert errors(run) == [sentence]
    assert orders(run)["q1"] == ["d1"]


def test_an_id_with_unusual_but_harmless_characters_is_kept():
    assert orders(read("q Q0 a\xa0b 1 1 t\n")) == {"q": ["a\xa0b"]}


def test_an_id_that_is_too_long_is_refused():
    assert read(f"q Q0 {'x' * 513} 1 1 t\n").report.errors.counts == {"not an ID": 1}


def test_a_document_twice_keeps_the_first_by_choice():
    run = read("q Q0 a 1 1 t\nq Q0 b 2 2 t\nq Q0 a 3 9 t\n", duplicates="first")

    assert orders(run) == {"q": ["b", "a"]}
    assert (run.report.ok, run.rows) == (True, 2)
    assert run.report.warnings.counts["a document twice"] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "run is empty"),
        (" \n\n", "run is empty"),
        ("# a\n# b\n", "no rows, only comments"),
        ("query,document\n", "holds no ranking"),
        ("{}", "holds no ranking"),
        ("[]", "JSON of another shape"),
        ('{"q": {"d": 1}', "run is cut off: it ends on line 1, in the middle of its JSON"),
        ('{"q": ' + "[" * 100_000, "nesting is too large"),
        ('{"q": {"d": ' + "9" * 5000 + "}}", "number or the nesting is too large"),
    ],
)
def test_a_file_without_rankings_is_refused(content: str, message: str):
    with pytest.raises(FormatError, match=message):
        read(content)


def test_an_unknown_format_is_refused():
    with pytest.raises(FormatError, match="Unknown format xml"):
        read("a", format="xml")


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("query,document\n", "csv"),
        ("# x\nQuery ID;Doc ID\n", "csv"),
        ("qid\tdocid\tscore\n", "csv"),
        ("q1,d1,1\n", "csv"),
        ("q Q0 d 1 1 t\n", "trec"),
        ("q\tQ0\td\t1\t1\tt\n", "trec"),
        ("q\tQ0\td\t1\t1\tt and more\n", "trec"),
        ("q Q0 d,e 1 1\n", "trec"),
        ("q d\n", "trec"),
        ("# only\n", "trec"),
    ],
)
def test_the_format_is_detected_from_the_content(content: str, format: str):
    assert detect_format(text_of(content), FORMATS).name == format
    assert is_trec(content) == (format == "trec")


@pytest.mark.parametrize("content", ['\n {"q": []}', "[1]"])
def test_json_is_no_trec_run(content: str):
    assert not is_trec(content)


def test_csv_by_header_with_scores_is_ordered_by_score():
    run = read("Score,Doc ID,Query\n1,a,q\n2,b,q\n")

    assert (orders(run), run.format) == ({"q": ["b", "a"]}, "csv")
    assert run.report.warnings.counts == {}


def test_csv_with_ranks_and_scores_says_where_they_disagree():
    run = read("query,document,rank,score\nq,a,1,1\nq,b,2,2\n")

    assert orders(run) == {"q": ["b", "a"]}
    assert run.report.warnings.counts == {"score and rank disagree": 1}


def test_csv_with_ranks_only_is_ordered_by_rank_when_ranks_decide():
    run = read("query\tdocument\trank\nq\ta\t2\nq\tb\t1\n", order="rank")

    assert (orders(run), run.format) == ({"q": ["b", "a"]}, "tsv")
    assert run.rankings[0].scores is None


def test_csv_with_ranks_only_is_ordered_by_rank_without_being_asked():
    assert orders(read("query,document,rank\nq,a,2\nq,b,1\n")) == {"q": ["b", "a"]}


def test_csv_with_neither_keeps_its_listed_order():
    run = read("query,document\nq,b\nq,a\nr,c\n")

    assert orders(run) == {"q": ["b", "a"], "r": ["c"]}
    assert run.rankings[0].scores is None
    assert not run.rankings[0].tied


def test_csv_columns_can_be_stated():
    run = read("a,b\nq,d\n", format="csv", columns={"query": "a", "document": "b"})

    assert orders(run) == {"q": ["d"]}


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (",d,1,1", "not an ID"),
        ("q,,1,1", "not an ID"),
        ("q,d,1,nan", "score not finite"),
        ("q,d,1,", "score not a number"),
        ("q,d,1.5,1", "rank not a whole number"),
        ("q,d,,1", "rank not a whole number"),
        ("q,d,1", "wrong number of columns"),
        ("q0,d0,2,0", "a document twice"),
    ],
)
def test_a_bad_csv_row_is_reported_by_line(row: str, kind: str):
    run = read(f"query,document,rank,score\nq0,d0,1,1\n{row}\n")

    assert run.report.errors.counts == {kind: 1}
    assert run.report.errors.first[0].line == 3
    assert orders(run) == {"q0": ["d0"]}


def test_json_with_scores_is_ordered_by_score():
    run = read('{"q": {"a": 1, "b": 2.5, "c": -1e3}, "r": {}}')

    assert orders(run) == {"q": ["b", "a", "c"], "r": []}
    assert (run.format, run.rows) == ("json", 3)


def test_json_lists_keep_their_order_and_an_empty_one_is_an_answered_query():
    run = read('{"q": ["b", 7, "a"], "r": []}')

    assert orders(run) == {"q": ["b", "7", "a"], "r": []}
    assert [ranking.scores for ranking in run.rankings] == [None, None]


def test_json_ties_are_named_by_query():
    assert warnings(read('{"q": {"a": 1, "b": 1}}')) == [
        "Equal scores for query q. There should be a different one for each document "
        "(ties are put in descending order of document IDs)."
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"q": {"d": NaN}}', "Query q, document d: “NaN” should be a finite number."),
        ('{"q": {"d": 1e999}}', "Query q, document d: “Infinity” should be a finite number."),
        ('{"q": {"d": "1"}}', 'Query q, document d: “"1"” should be a number.'),
        ('{"q": {"d": true}}', "Query q, document d: “true” should be a number."),
        ('{"q": {"": 1}}', "Query q: empty, but should be an ID."),
        ('{"q": [""]}', "Query q: empty, but should be an ID."),
        ('{"q": [null]}', "Query q: “null” should be a document ID."),
        ('{"q": [true]}', "Query q: “true” should be a document ID."),
        ('{"q": 3}', "Query q: “3” should be documents with scores, or a list of documents."),
        ('{"": []}', "Query: empty, but should be an ID."),
        ('{"q": ["a", "a"]}', "Query q: “a” should be listed once for query q."),
        ('{"q": {"a": 1, "a": 2}}', "Query q: “a” should be listed once for query q."),
        ('{"q": [], "q": ["a"]}', "Query: “q” should be listed once."),
        (
            '{"q": ["\\ud800"]}',
            "Query q: “\\xd800” should be an ID without line breaks or control characters.",
        ),
    ],
)
def test_bad_json_is_reported_by_query_and_document(content: str, sentence: str):
    assert errors(read(content)) == [sentence]


def test_a_json_number_beyond_float64_is_not_finite():
    run = read('{"q": {"d": ' + "9" * 400 + "}}")

    assert run.report.errors.counts == {"score not finite": 1}


@pytest.mark.parametrize("content", ['{"q": ["a"]}', "query,document,score\nq,a,1\n"])
def test_ordering_by_rank_needs_ranks(content: str):
    with pytest.raises(FormatError, match="no ranks to order by"):
        read(content, order="rank")


def test_an_empty_ranking_needs_no_ranks():
    assert orders(read('{"q": []}', order="rank")) == {"q": []}


def test_unknown_queries_are_refused_each_with_its_first_line():
    run = read("q1 Q0 a 1 2 t\nx Q0 a 1 2 t\nx Q0 b 2 1 t\ny Q0 a 1 1 t\n")

    result = check_queries(run, ["q1"])

    assert errors(result) == [
        "Line 2, column query: unknown query “x”. It should be the ID of a query in this query set.",
        "Line 4, column query: unknown query “y”. It should be the ID of a query in this query set.",
    ]
    assert run.report.ok
    assert result.rows == 4


def test_unknown_queries_are_left_out_and_counted_by_choice():
    run = read("q1 Q0 a 1 2 t\nx Q0 a 1 2 t\nx Q0 b 2 1 t\n")

    result = check_queries(run, {"q1": 1}, unknown="skip")

    assert (orders(result), result.rows, result.report.ok) == ({"q1": ["a"]}, 1, True)
    assert result.report.warnings.counts == {"unknown query": 1}
    assert len(run.rankings) == 2


def test_a_run_without_any_known_query_is_refused_even_when_unknown_ones_are_left_out():
    run = check_queries(read("x Q0 a 1 2 t\n"), set(), unknown="skip")

    assert run.report.errors.counts == {"no known query": 1}
    assert list(run.report.errors.sentences()) == [
        "No known query in run “t”. There should be at least one that is in this query set."
    ]


def test_a_report_of_a_bad_run_can_be_stored():
    run = read("q Q0 d\x01 1 nan t\nq Q0 e 1 1 t\n")

    assert "\\u0000" not in json.dumps(run.report.to_json())
