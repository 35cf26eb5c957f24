import pytest

from tests.shared_data import shared_data
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.content.queries import QueryRecord, id_of_text, read_queries
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.text import decode

HEADER = "query_id,query,information_need,weight,tags\n"


def test_a_full_row_is_read():
    queries = read_queries(text_of(HEADER + ' q1 ,red shoes,"wants, to buy",2.5,shop; red\n'))

    assert queries.records == [QueryRecord(2, "q1", "red shoes", "wants, to buy", 2.5, ("shop", "red"))]
    assert queries.report.ok


def test_what_is_left_out_has_defaults():
    queries = read_queries(text_of("qid\tquery\nq1\tred shoes\n"))

    assert queries.records == [QueryRecord(2, "q1", "red shoes", "", 1.0, ())]
    assert (queries.format, queries.columns) == ("tsv", {"query_id": "qid", "query": "query"})


def test_an_empty_weight_is_one_and_a_weight_of_zero_is_zero():
    queries = read_queries(text_of(HEADER + "q1,a,,,\nq2,b,,0,\n"))

    assert [record.weight for record in queries.records] == [1.0, 0.0]


def test_tags_may_be_a_list_in_json_and_nothing_else_may():
    lines = '{"id": 1, "query": "a", "tags": {"x": 1}}\n{"id": 2, "query": ["b"], "tags": ["x"]}\n'

    queries = read_queries(text_of(lines))

    assert not queries.records
    assert [(problem.line, problem.column) for problem in queries.report.errors.first] == [
        (1, "tags"),
        (2, "query"),
    ]


def test_json_lines_are_read_like_csv():
    line = '{"query_id": 7, "query": "a", "weight": 3, "tags": ["x", "y, z"], "information_need": null}\n'

    queries = read_queries(text_of(line))

    assert queries.records == [QueryRecord(1, "7", "a", "", 3.0, ("x", "y, z"))]
    assert queries.format == "jsonl"


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (",a,,,", "Line 2, column query_id: empty, but should be an ID."),
        ("q1,,,,", "Line 2, column query: empty, but should be a text."),
        ("q1,\u3164,,,", "Line 2, column query: “\u3164” should be a text that can be seen."),
        ("\u200b,a,,,", "Line 2, column query_id: “\\x200b” should be an ID that can be seen."),
        ("q1,a,,-1,", "Line 2, column weight: “-1” should be a number of at least 0."),
        ("q1,a,,inf,", "Line 2, column weight: “inf” should be a number of at least 0."),
        ("q1,a,,many,", "Line 2, column weight: “many” should be a number of at least 0."),
        (
            "q1,a,,1e200,",
            "Line 2, column weight: “1e200” should be 0, or a number from 0.000000001 to 1,000,000,000,000.",
        ),
        (
            "q1,a,,,[1]",
            "Line 2, column tags: “[1]” should be tags separated by ; or , or a JSON list of strings.",
        ),
    ],
)
def test_a_bad_cell_is_reported_by_line_and_column(row: str, sentence: str):
    queries = read_queries(text_of(HEADER + row + "\n"))

    assert queries.records == []
    assert list(queries.report.errors.sentences()) == [sentence]


def test_an_id_that_stands_twice_names_both_lines():
    queries = read_queries(text_of("query_id,query\nq1,a\nq2,b\nq1,c\n"))

    assert [record.line for record in queries.records] == [2, 3]
    assert list(queries.report.errors.sentences()) == [
        "Line 4, column query_id: “q1” should be listed once (it is on line 2 already)."
    ]


def test_two_queries_may_share_a_text():
    assert len(read_queries(text_of("query_id,query\nq1,a\nq2,a\n")).records) == 2


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800"])
def test_characters_that_cannot_be_stored_are_refused(escape: str):
    queries = read_queries(text_of(f'{{"query_id": "q", "query": "a{escape}"}}\n'))

    assert queries.records == []
    assert queries.report.errors.counts == {"unstorable character": 1}


@pytest.mark.parametrize(
    ("text", "id"),
    [
        # The digits are of `printf %s TEXT | sha256sum`.
        ("red shoes", "red-shoes-61959b3a"),
        ("Red  shoes, #9!", "red-shoes-9-6a2d63e6"),
        ("जूते", "जूते-c326f8d7"),
        ("???", "a03b221c"),
    ],
)
def test_an_id_is_made_from_the_text_of_a_query_without_one(text: str, id: str):
    queries = read_queries(text_of(f'query\n"{text}"\n'))

    assert queries.records == [QueryRecord(2, id, text, by_text=True)]
    assert queries.report.ok


def test_a_made_id_survives_qrels_and_letor():
    signs = "".join(chr(code) for code in range(33, 0x3000) if chr(code).isprintable())
    ids = {id_of_text(text) for text in ("a b", "A b", "a, b", "x" * 9_000, signs, " # qid:1\u00a0")}

    assert len(ids) == 6
    for id in ids:
        assert len(id) <= 60
        assert not set(id) & set("#:,;|\"'")
        assert id.split() == [id]


def test_a_query_without_an_id_that_stands_twice_names_both_lines():
    queries = read_queries(text_of('{"query": "a"}\n{"query": "b"}\n{"query": "a"}\n'))

    assert [record.line for record in queries.records] == [1, 2]
    assert list(queries.report.errors.sentences()) == [
        "Line 3, column query: “a” should be listed once (it is on line 1 already)."
    ]


def test_a_file_without_the_needed_columns_is_refused():
    with pytest.raises(FormatError, match="needs a column for query; its"):
        read_queries(text_of("a,b\n1,2\n"))


@pytest.mark.parametrize(
    ("path", "count", "first"),
    [
        ("esci_small/queries.csv", 30, ("111", "%100 silicone not clear")),
        ("quepid_haystack/haystack_queries.csv", 135, ("205277", "projector screen")),
    ],
)
def test_real_query_files_are_read_whole(path: str, count: int, first: tuple[str, str]):
    data = shared_data(path.split("/")[0]).parent / path

    queries = read_queries(decode(data.read_bytes(), name=path, limit=10_000_000))

    assert queries.report.ok
    assert len(queries.records) == count
    assert (queries.records[0].query_id, queries.records[0].query) == first
