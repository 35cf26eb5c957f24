"""What is written of queries and documents, and that the readers understand it as it was meant."""

import json
from dataclasses import replace

import pytest

from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.content import content_writers as write
from touchstone_core.formats.content.documents import DocumentRecord, read_documents
from touchstone_core.formats.content.queries import QueryRecord, read_queries
from touchstone_core.formats.judgments.judgments import JudgmentRecord

QUERIES = [
    QueryRecord(2, "q1", 'red "shoes", size 9', "Which fit?\nAny.", 2.5, ("shoes", "head")),
    QueryRecord(3, "q2", "=1+1", tags=("a; b", "c")),
]
DOCUMENTS = [
    DocumentRecord(2, "d1", "Tent", "For <b>two</b>", "https://shop/d1", "https://shop/d1.png", {"brand": "Acme"}),
    DocumentRecord(3, "d2", "Bag", fields={"size": "L"}),
]  # fmt: skip


@pytest.mark.parametrize("writer", [write.queries_csv, write.queries_jsonl, write.beir_queries])
def test_queries_come_back_as_they_were(writer):
    queries = read_queries(text_of("".join(writer(QUERIES))))

    assert queries.report.ok
    assert [replace(one, line=0) for one in queries.records] == [replace(one, line=0) for one in QUERIES]


def test_documents_come_back_as_they_were():
    csv = "".join(write.documents_csv(DOCUMENTS, ["brand", "size"]))
    first, second = read_documents(text_of(csv)).records
    lines = read_documents(text_of("".join(write.documents_jsonl(DOCUMENTS)))).records

    assert (first.title, first.body, first.url, first.image) == (
        "Tent",
        "For <b>two</b>",
        *[DOCUMENTS[0].url, DOCUMENTS[0].image],
    )
    assert {name: text for name, text in first.fields.items() if text} == {"brand": "Acme"}
    assert {name: text for name, text in second.fields.items() if text} == {"size": "L"}
    assert [(one.document_id, one.title, one.body, one.fields) for one in lines] == [
        (one.document_id, one.title, one.body, one.fields) for one in DOCUMENTS
    ]


def test_the_corpus_of_a_beir_folder_comes_back_as_it_was():
    corpus = read_documents(text_of("".join(write.beir_corpus(DOCUMENTS))))

    assert corpus.report.ok
    assert [replace(one, line=0) for one in corpus.records] == [replace(one, line=0) for one in DOCUMENTS]


def test_queries_of_beir_keep_their_text_beside_other_names_of_it():
    line = {"_id": "1", "text": "what is it", "metadata": {"query": "it", "narrative": "Facts.", "url": "u"}}

    [query] = read_queries(text_of(f"{json.dumps(line)}\n")).records

    assert (query.query_id, query.query, query.information_need) == ("1", "what is it", "Facts.")


def test_a_field_that_is_no_text_is_json_in_a_table():
    record = DocumentRecord(2, "d1", "Tent", fields={"sizes": ["S", "M"]})

    assert list(write.documents_csv([record], ["sizes"]))[1].strip().endswith('"[""S"", ""M""]"')


def test_the_files_of_a_beir_folder_have_its_names():
    query, _ = map(json.loads, write.beir_queries(QUERIES))
    document, _ = map(json.loads, write.beir_corpus(DOCUMENTS))
    grade = JudgmentRecord(0, "q1", "d1", "", 2.0)

    assert (query["_id"], query["text"], query["metadata"]["weight"]) == ("q1", QUERIES[0].query, 2.5)
    assert (document["_id"], document["title"], document["text"]) == ("d1", "Tent", "For <b>two</b>")
    assert document["metadata"]["brand"] == "Acme"
    assert list(write.beir_qrels([grade])) == ["query-id\tcorpus-id\tscore\n", "q1\td1\t2\n"]
