"""What a file is, told by its content: every format that we read, and files that are none of them."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.shared_data import shared_data
from touchstone_core.formats.content import document_files, query_files
from touchstone_core.formats.detection import DOCUMENTS, JUDGMENTS, QUERIES, RUN, UNKNOWN, kind_of
from touchstone_core.formats.judgments import judgment_files
from touchstone_core.formats.runs import declarations
from touchstone_core.formats.text import Text, kept_text

FORMATS: dict[str, Mapping[str, Any]] = {
    QUERIES: query_files.FORMATS,
    DOCUMENTS: document_files.FORMATS,
    JUDGMENTS: judgment_files.READABLE,
    RUN: declarations.FORMATS,
}
EXAMPLES = [
    (kind, one.name, one.example)
    for kind, formats in FORMATS.items()
    for one in formats.values()
    if one.example and (kind, one.name) != (QUERIES, "lines")  # which only its name tells from prose
]


def kind(content: str, name: str = "file") -> str:
    return kind_of(Text(name, content, "utf-8"))


@pytest.mark.parametrize(("expected", "name", "example"), EXAMPLES, ids=lambda value: str(value)[:12])
def test_the_example_of_every_format_is_what_it_is_an_example_of(expected, name, example):
    assert kind(example) == expected, "`kind_of` in detection.py has to tell it, beside the format’s `looks`"


@pytest.mark.parametrize(
    "wrong", ["q1 Q0 d1 1 high bm25", "q1 Q0 d1 first 9.5 bm25", "q1 x d1 1 9.5 bm25", "q1 Q0 d1 1 -"]
)
def test_a_run_with_something_wrong_is_a_run(wrong):
    """Not a plain list of queries, which it would be by its name."""
    assert kind(f"{wrong}\nq1 Q0 d2 2 8 bm25\n", "bm25.txt") == RUN


@pytest.mark.parametrize("before", ["", "\n\n"])
@pytest.mark.parametrize("line", ["sep=;", '"sep=;"'])
def test_a_line_that_names_the_separator_says_nothing_of_the_kind(before, line):
    assert kind(f"{before}{line}\nquery_id;doc_id;grade\nq1;d1;2,5\n") == JUDGMENTS


@pytest.mark.parametrize(
    ("expected", "content"),
    [
        # TREC and its relatives
        (RUN, "q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 8 bm25\n"),
        (RUN, "q1 Q0 d1 1 9.5\nq1 Q0 d2 2 8\n"),
        (RUN, "# a comment\nq1\tQ0\td1\t0\t-1e-3\ttag\n"),
        (RUN, "q1 d1 1 9.5\nq1 d2 2 8.25\n"),
        (RUN, "1\t7\t1\n1\t8\t2\n1\t9\t3\n1\t4\t4\n2\t7\t1\n"),
        (JUDGMENTS, "q1 0 d1 2\nq1 0 d2 0\n"),
        (JUDGMENTS, "q1 Q0 d1 1\nq1 Q0 d2 0\n"),
        (JUDGMENTS, "q1 0 d1 -1\n"),
        (JUDGMENTS, "qid iter docid rel\nq1 0 d1 2\n"),
        (JUDGMENTS, "1\t0\t7\t1\n2\t0\t8\t1\n"),
        # answers of searches
        (RUN, '{"query": "q1", "hits": {"hits": [{"_id": "d1", "_score": 2.5}]}}\n' * 2),
        (RUN, '{"took": 3, "hits": {"hits": [{"_id": "d1", "_score": 2.5}]}}\n' * 2),
        (RUN, '{"took": 3, "hits": {"hits": [{"_id": "d1", "_source": {"title": "TV"}}]}}'),
        (RUN, '{"took": 3, "responses": [{"hits": {"hits": [{"_id": "d1", "_score": 2.5}]}}]}'),
        # tables
        (JUDGMENTS, "query,docid,rating\nred shoes,d1,3\n"),
        (JUDGMENTS, "query_id,product_id,esci_label\n1,B0,E\n"),
        (JUDGMENTS, "red shoes,d1,3\nred shoes,d2,0\n"),
        (RUN, "query,document,score\nq1,d1,2.5\n"),
        (RUN, "qid;docno;rank\nq1;d1;1\n"),
        (QUERIES, "id,query,traffic\n1,red shoes,120\n"),
        (QUERIES, "query\nred shoes\nboots\n"),
        (QUERIES, "1048585\twhat is paula deen's brother\n"),
        (DOCUMENTS, "asin,title,brand\nB0,Red shoes,Fleet\n"),
        (DOCUMENTS, "id,name,price\n1,Red shoes,10\n"),
        (DOCUMENTS, "number,label,description\n1,Red shoes,For running.\n"),
        (DOCUMENTS, "D1\thttps://example.com\tTitle\tText\n"),
        # BEIR
        (
            DOCUMENTS,
            '{"_id": "d1", "title": "Red", "text": "For running."}\n{"_id": "d2", "title": "", "text": "x"}\n',
        ),
        (
            QUERIES,
            '{"_id": "q1", "text": "red shoes", "metadata": {}}\n{"_id": "q2", "text": "boots", "metadata": {}}\n',
        ),
        (JUDGMENTS, "query-id\tcorpus-id\tscore\nq1\td1\t1\n"),
        # lines of JSON
        (RUN, '{"searchText": "red", "results": []}\n{"searchText": "blue", "results": []}\n'),
        (RUN, '{"query": "q1", "results": [{"id": "d1"}]}\n{"query": "q2", "results": []}\n'),
        (RUN, '{"query": "q1", "doc": "d1", "score": 2.5}\n{"query": "q1", "doc": "d2", "score": 1}\n'),
        (UNKNOWN, '{"query": red shoes}\n{"query": boots}\n'),
        # a table whose cells hold blanks
        (JUDGMENTS, "red shoes,d1 , 3\nblue boots,d2 , 0\n"),
        # neither
        (UNKNOWN, "# Notes\n\nWe should look at shoes again.\n"),
        (UNKNOWN, "name,price\nshoes,10\n".replace("name", "first")),
        (UNKNOWN, '{"total": {"p": {"x": 1}}, "at": "today"}'),
        (UNKNOWN, "<html><body>Nothing</body></html>\n"),
        (UNKNOWN, " \n\n"),
    ],
)
def test_small_files_are_what_people_take_them_for(expected, content):
    assert kind(content) == expected


@pytest.mark.parametrize(
    ("expected", "name", "content"),
    [
        (QUERIES, "queries.txt", "best laptop under 500\nred shoes\n"),
        (QUERIES, "top_queries.list", "red shoes\nboots\n"),
        (DOCUMENTS, "collection.tsv", "1\tshort text\n2\tanother\n"),
        (QUERIES, "queries.tsv", "1\tshort text\n2\tanother\n"),
        (JUDGMENTS, "pairs.csv", "query,document\nq1,d1\n"),
        (RUN, "bm25.csv", "query,document\nq1,d1\n"),
        (JUDGMENTS, "qrels.json", '{"q1": {"d1": 30, "d2": 0}}'),
        (RUN, "run.json", '{"q1": {"d1": 3, "d2": 1}}'),
    ],
)
def test_the_name_decides_where_the_content_cannot(expected, name, content):
    assert kind(content, name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("esci_small/products.csv", DOCUMENTS),
        ("esci_small/queries.csv", QUERIES),
        ("esci_small/judgments.csv", JUDGMENTS),
        ("esci_small/qrels.txt", JUDGMENTS),
        ("esci_runs/bm25_full_stem.trec", RUN),
        ("esci_opensearch/products.csv.gz", DOCUMENTS),
        ("esci_opensearch/queries.tsv", QUERIES),
        ("esci_opensearch/esci_us_judgments.json", JUDGMENTS),
        ("esci_opensearch/CreateQuerySet.json", QUERIES),
        ("chorus_ratings/Chorus_Electronics_basic.csv", JUDGMENTS),
        ("chorus_ratings/Broad_Query_Set_individual_ratings.csv", JUDGMENTS),
        ("quepid_haystack/haystack_docs.csv", DOCUMENTS),
        ("quepid_haystack/haystack_rating_party_book.pseudonymised.json", JUDGMENTS),
        ("ranx/qrels.json", JUDGMENTS),
        ("ranx/run.json", RUN),
        ("rre/quepid_mock_rre.json", JUDGMENTS),
        ("tmdb_judgments/title_judgments.txt", JUDGMENTS),
        ("trec_eval/results.test", RUN),
        ("trec_eval/qrels.test", JUDGMENTS),
    ],
)
def test_real_files_are_told_apart(name, expected):
    path = shared_data(name.split("/")[0]) / name.split("/")[1]

    with path.open("rb") as file, kept_text(file, name=path.name, limit=1 << 30) as text:
        assert kind_of(text) == expected
