"""Files of queries: TREC topics, tables with and without a header, OpenSearch query sets, Quepid."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shared_data import shared_data
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.content.queries import id_of_text
from touchstone_core.formats.content.query_files import FORMATS, read_query_text
from touchstone_core.formats.file_format import detect_format
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.text import decode

SGML = """
<top>

<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that participate in
international criminal activity.

<narr> Narrative:
A relevant document must &amp; shall.
</top>
<top>
<num> Number: 302 </num>
<title>Topic: Poliomyelitis</title>
</top>
"""
XML = """<?xml version="1.0"?>
<webtrack2010>
<topic number="51" type="ambiguous">
  <query>horse hooves</query>
  <description>Find information about horse hooves.</description>
  <subtopic number="1">Their care.</subtopic>
</topic>
<TOPIC id='2'><question>what is the origin of COVID-19</question></TOPIC>
</webtrack2010>
"""


def read(content, **options):
    return read_query_text(text_of(content), **options)


def real(path):
    file = shared_data(path.split("/")[0]).parent / path
    return read_query_text(decode(file.read_bytes(), name=file.name, limit=10**8))


def plain(queries):
    return [(one.line, one.query_id, one.query, one.information_need) for one in queries.records]


@pytest.mark.parametrize(
    ("path", "format", "count"),
    [
        ("esci_small/queries.csv", "csv", 30),
        ("esci_opensearch/queries.tsv", "tsv", 150),
        ("esci_opensearch/query_set_example.ndjson", "opensearch", 5),
        ("esci_opensearch/query_set_example_with_references.ndjson", "opensearch", 5),
        ("esci_opensearch/esci_us_queryset.json", "opensearch", 150),
        ("esci_opensearch/CreateQuerySet.json", "opensearch", 8),
        ("chorus_ratings/opensearch_edition_art_queryset.json", "opensearch", 11),
        ("quepid_haystack/haystack_queries.csv", "csv", 135),
        ("quepid_haystack/haystack_rating_party_book.pseudonymised.json", "quepid", 137),
        ("quepid_haystack/haystack_rating_party_case.pseudonymised.json", "quepid", 137),
    ],
)
def test_real_files_are_recognized_and_read_whole(path, format, count):
    queries = real(path)

    assert queries.report.ok
    assert queries.format == format
    assert len(queries.records) == count


def test_a_real_book_has_the_information_needs_of_its_table():
    needs = {one.query: one.information_need for one in real("quepid_haystack/haystack_queries.csv").records}
    book = real("quepid_haystack/haystack_rating_party_book.pseudonymised.json")

    in_book = {one.query: " ".join(one.information_need.split()) for one in book.records}
    assert {query: in_book[query] for query in needs} == {
        query: " ".join(need.split()) for query, need in needs.items()
    }
    assert in_book.keys() - needs.keys() == {"120v power supply", "power supply"}


def test_topics_in_sgml_lose_their_labels():
    queries = read(SGML)

    assert queries.format == "topics"
    assert plain(queries) == [
        (
            2,
            "301",
            "International Organized Crime",
            "Identify organizations that participate in international criminal activity.\n\n"
            "A relevant document must & shall.",
        ),
        (14, "302", "Poliomyelitis", ""),
    ]


def test_topics_in_xml_have_their_number_as_an_attribute():
    assert plain(read(XML)) == [
        (3, "51", "horse hooves", "Find information about horse hooves."),
        (8, "2", "what is the origin of COVID-19", ""),
    ]


def test_topics_with_faults_are_told_by_line():
    queries = read(
        "<top><num>1<title>a</top>\n<top><title>b</top>\n<top><num>1<title>c</top>\n<top><num>2</top>\n<top>"
    )

    assert list(queries.report.errors.sentences()) == [
        "Line 2, column number: empty, but should be an ID.",
        "Line 3, column number: “1” should be listed once (it is on line 1 already).",
        "Line 4, column title: empty, but should be a text.",
        "Line 5: “<top>” should be a topic that ends with </top>.",
    ]
    assert len(queries.records) == 1


def test_a_table_of_tabs_needs_no_header():
    assert plain(read("111\t%100 silicone\n112\tzoo\n")) == [
        (1, "111", "%100 silicone", ""),
        (2, "112", "zoo", ""),
    ]
    assert plain(read("query_id\tquery\n112\tzoo\n")) == [(2, "112", "zoo", "")]


def test_a_reference_answer_tells_what_was_wanted():
    assert plain(
        read('{"queryText": "capital of France?", "referenceAnswer": "Paris"}\n\n{"queryText": "x"}\n')
    ) == [
        (1, id_of_text("capital of France?"), "capital of France?", "Paris"),
        (3, id_of_text("x"), "x", ""),
    ]


@pytest.mark.parametrize(
    ("content", "format", "message"),
    [
        ("<tops></tops>", "topics", "holds no topics"),
        ('{"querySetQueries": []}', None, "holds no queries"),
        ('{"queryText": "a"}\n{"queryText": }', None, "line 2 of file is not valid JSON"),
        ("a,b\n1,2\n", None, "needs a column for query;"),
        ("a", "xml", "Unknown format xml"),
    ],
)
def test_what_cannot_be_read_says_why(content, format, message):
    with pytest.raises(FormatError, match=message):
        read(content, format=format)


def test_what_a_query_set_says_of_itself_is_no_query():
    queries = read('{"name": "Shop", "sampling": "manual", "querySetQueries": [{"queryText": "a"}]}')

    assert queries.report.ok
    assert [one.query for one in queries.records] == ["a"]


def test_a_query_that_is_no_text_is_told():
    queries = read('{"querySetQueries": [{"queryText": ["a"]},\n 3, {"queryText": "b"}]}')

    assert list(queries.report.errors.sentences()) == [
        "Line 1, column query: “['a']” should be a query.",
        "Line 2, column query: empty, but should be an ID.",
    ]
    assert [one.query for one in queries.records] == ["b"]


PIECES = st.sampled_from(
    [
        *(
            "<top>",
            "</top>",
            "<num>",
            "<title>",
            "<topic ",
            'number="1"',
            ">",
            "</topic>",
            "1",
            "a b",
            "&amp;",
        ),
        *(
            '{"queryText": "a"}',
            '{"querySetQueries": [',
            '"queries": [',
            "]",
            "}",
            '"',
            "query_id",
            "query",
            "\x00",
        ),
        *("\n", "\t", ","),
    ]
)


@pytest.mark.parametrize("format", ["", *FORMATS])
@given(content=st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=40))
def test_nonsense_is_read_or_refused_in_words(format, content):
    try:
        text = text_of(content)
        assert detect_format(text, FORMATS).name in FORMATS
        queries = read_query_text(text, format=format or None)
    except FormatError as error:
        assert error.message.endswith(".")  # noqa: PT017
        return
    assert all(problem.line for problem in queries.report.errors.first)


def test_the_information_need_of_a_book_may_stand_at_any_pair_of_its_query():
    pairs = [
        {"query_text": "q", "doc_id": str(n), "information_need": need}
        for n, need in enumerate((None, "n", "m"))
    ]

    [records] = read_query_text(text_of(json.dumps({"query_doc_pairs": pairs}))).records

    assert (records.query, records.information_need) == ("q", "n")


def test_a_plain_list_has_a_query_on_each_line():
    queries = read("red shoes\n\n# a remark\n  shoes, size 9 \n")

    assert queries.format == "lines"
    assert [(one.line, one.query, one.by_text) for one in queries.records] == [
        (1, "red shoes", True),
        (4, "shoes, size 9", True),
    ]


@pytest.mark.parametrize(
    "first",
    ["query", '"Search text"', "query_id|query", "101 0 d7 1", "101 Q0 d7 1 9.5 bm25", "3 qid:101 1:0.5"],
)
def test_headers_and_lines_of_other_files_are_no_queries(first):
    assert detect_format(text_of(f"{first}\n"), FORMATS).name == "csv"
