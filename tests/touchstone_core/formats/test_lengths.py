"""Texts that are longer than raters can be shown are refused with their line, their document and the limit."""

import json

import pytest

from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats import cells
from touchstone_core.formats.content.book_documents import read_book_documents
from touchstone_core.formats.content.documents import read_documents
from touchstone_core.formats.content.queries import read_queries
from touchstone_core.formats.content.query_files import read_query_text
from touchstone_core.formats.content.topics import read_topics
from touchstone_core.formats.problems import Report


def errors(report):
    return list(report.errors.sentences())


def test_a_body_that_is_too_long_names_its_line_document_size_and_limit():
    good = "x" * cells.LONGEST_BODY
    file = read_documents(text_of(f"id,title,body\nd1,t,{good}\nd2,t,{good}y\n"))

    assert [record.document_id for record in file.records] == ["d1"]
    assert errors(file.report) == [
        f"Line 3, column body: “{'x' * 79}…” "
        "should be at most 1,000,000 characters (it has 1,000,001) for d2."
    ]


def test_further_fields_are_counted_together():
    half = "x" * (cells.LONGEST_BODY // 2)
    file = read_documents(text_of(f"id,title,one,two\nd1,t,{half},\nd2,t,{half},{half}\n,t,{half},{half}\n"))

    assert [record.document_id for record in file.records] == ["d1"]
    assert errors(file.report)[0] == (
        "Line 3: “further fields of d2” "
        "should be at most 1,000,000 characters together (they have 1,000,006)."
    )


def test_a_document_has_so_many_further_fields():
    fields = {f"f{number}": "x" for number in range(cells.MOST_FIELDS + 1)}
    file = read_documents(text_of(json.dumps({"id": "d1", "title": "t"} | fields)))

    assert errors(file.report) == ["Line 1: “further fields of d1” should be at most 1,000 fields."]


def test_documents_of_a_book_are_measured_too():
    report = Report()
    pair = {"query_text": "q", "doc_id": "d1", "document_fields": {"body": "x" * cells.LONGEST_BODY}}

    assert not list(read_book_documents(text_of(json.dumps({"query_doc_pairs": [pair]})), report))
    assert "should be at most 1,000,000 characters together (they have 1,000,004)" in errors(report)[0]


def test_a_text_without_an_id_is_reported_as_both():
    file = read_queries(text_of(f"query_id,query\n,{'x' * (cells.LONGEST_QUERY + 1)}\n"))

    assert errors(file.report)[1].endswith("should be at most 10,000 characters (it has 10,001).")


def test_queries_and_their_needs_are_measured_in_every_format():
    need, title = "x" * (cells.LONGEST_NEED + 1), "x" * (cells.LONGEST_QUERY + 1)
    table = read_queries(text_of(f"query_id,query,need\nq1,a,{need}\n"))
    topics = read_topics(
        text_of(
            f"<top><num>1</num><title>a</title><narr>{need}</narr></top><top><num>2</num><title>{title}</title></top>"
        )
    )
    listed = read_query_text(text_of(json.dumps({"queryText": "a", "referenceAnswer": need})))

    for file in (table, topics, listed):
        assert not file.records
        assert "should be at most 100,000 characters (it has 100,001)" in errors(file.report)[0]
    assert "should be at most 10,000 characters (it has 10,001)" in errors(topics.report)[1]


@pytest.mark.parametrize("brackets", [900_000, 90])
def test_tags_of_nothing_but_brackets_are_refused(brackets):
    file = read_queries(text_of(f"query_id,query,tags\nq1,a,{'[' * brackets}\n"))

    assert "should be tags separated by" in errors(file.report)[0]
