import csv
import json

import pytest

from tests.shared_data import shared_data
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.content.documents import DocumentRecord, read_documents
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.text import decode


def test_a_full_row_is_read_and_further_columns_become_fields():
    documents = read_documents(text_of("document_id,title,body,url,image,brand,size\nd1,t,b,u,i,acme,\n"))

    assert documents.records == [DocumentRecord(2, "d1", "t", "b", "u", "i", {"brand": "acme"})]


def test_json_lines_keep_nested_fields_as_json_text():
    documents = read_documents(text_of('{"id": "d1", "title": "t", "sizes": [1, 2]}\n'))

    assert documents.records == [DocumentRecord(1, "d1", "t", fields={"sizes": "[1, 2]"})]


def test_json_lines_with_anything_but_texts_and_numbers_are_reported():
    lines = [
        '{"id": 1, "title": ["x"], "url": {}}',
        '{"id": 2, "title": true}',
        '{"id": 3, "title": 4.5, "url": null}',
    ]

    documents = read_documents(text_of("\n".join(lines)))

    assert documents.records == [DocumentRecord(3, "3", "4.5")]
    assert list(documents.report.errors.sentences()) == [
        'Line 1, column title: “["x"]” should be a text or a number.',
        "Line 1, column url: “{}” should be a text or a number.",
        "Line 2, column title: “true” should be a text or a number.",
    ]


def test_a_document_without_a_title_is_kept_with_a_warning():
    documents = read_documents(text_of("id,title\nd1,\n"))

    assert len(documents.records) == 1
    assert list(documents.report.warnings.sentences()) == [
        "Line 2, column title: empty, but should be a title for the raters to see."
    ]


def test_an_id_that_stands_twice_names_both_lines():
    documents = read_documents(text_of('id,title\nd1,"a\nb"\nd1,c\n'))

    assert list(documents.report.errors.sentences()) == [
        "Line 4, column id: “d1” should be listed once (it is on line 2 already)."
    ]


@pytest.mark.parametrize("cell", ['"d1\nd2"', "x" * 513, "a\x07"])
def test_ids_that_a_ranking_could_not_hold_are_refused(cell: str):
    documents = read_documents(text_of(f"id,title\n{cell},t\n"))

    assert documents.records == []
    assert documents.report.errors.counts == {"not an ID": 1}


@pytest.mark.parametrize("line", ['"brand": "\\u0000"', '"a\\u0000": "b"', '"title": "\\ud800"'])
def test_characters_that_cannot_be_stored_are_refused_in_every_field(line: str):
    documents = read_documents(text_of('{"id": "d0", "title": "t"}\n{"id": "d1", ' + line + "}\n"))

    assert [record.document_id for record in documents.records] == ["d0"]
    assert documents.report.errors.counts == {"unstorable character": 1}


@pytest.mark.parametrize(("name", "count"), [("products.csv", 1267), ("extra_products_in_runs.csv", 512)])
def test_real_products_with_html_and_line_breaks_are_read_as_an_independent_reader_reads_them(
    name: str, count: int
):
    path = shared_data("esci_small") / name

    documents = read_documents(decode(path.read_bytes(), name=name, limit=100_000_000))

    with path.open(newline="", encoding="utf-8") as stream:
        expected = list(csv.DictReader(stream))
    assert documents.report.ok
    assert len(documents.records) == count == len(expected)
    assert documents.columns == {
        "document_id": "asin",
        "title": "title",
        "body": "description",
        "image": "image",
    }
    for record, row in zip(documents.records, expected, strict=True):
        assert (record.document_id, record.title) == (row["asin"], row["title"].strip(" \t\r\n"))
        assert record.body == row["description"].strip(" \t\r\n").replace("\r\n", "\n").replace("\r", "\n")
        assert record.fields.get("brand", "") == row["brand"].strip()
    lines = path.read_text(encoding="utf-8").replace("\r\n", "\n").split("\n")
    assert all(lines[record.line - 1].startswith(record.document_id + ",") for record in documents.records)
    assert any("\n" in record.fields.get("bullet_points", "") for record in documents.records)


def test_a_gzipped_catalogue_is_read_whole():
    path = shared_data("esci_opensearch") / "products.csv.gz"

    documents = read_documents(decode(path.read_bytes(), name=path.name, limit=100_000_000))

    assert documents.report.ok
    assert len(documents.records) == 6764


def test_documents_need_no_title():
    documents = read_documents(text_of("id,body,brand\nd1,b,acme\n"))

    assert documents.records == [DocumentRecord(2, "d1", "", "b", fields={"brand": "acme"})]
    assert documents.report.warnings.counts == {"no titles": 1}
    with pytest.raises(FormatError, match="another column besides the document IDs"):
        read_documents(text_of("id\nd1\n"))


@pytest.mark.parametrize("format", [None, "tsv"])
def test_a_collection_of_ms_marco_has_no_header_and_no_quotes(format):
    passages = read_documents(text_of('0\t"The presence of" quotes\n1\t"open\n'), format=format)
    documents = read_documents(text_of('D15\thttps://a.example\tTitle\tThe "text"\n'), format=format)

    assert [(one.document_id, one.body) for one in passages.records] == [
        ("0", '"The presence of" quotes'),
        ("1", '"open'),
    ]
    assert documents.records == [DocumentRecord(1, "D15", "Title", 'The "text"', "https://a.example")]


def test_a_table_of_tabs_whose_header_nobody_knows_is_no_collection():
    with pytest.raises(FormatError, match="a column for document_id; its first line has: foo, bar"):
        read_documents(text_of("foo\tbar\n1\tx\n"))


def test_the_corpus_of_beir_is_read():
    [documents] = read_documents(text_of('{"_id": "d1", "title": "", "text": "b", "metadata": {}}\n')).records

    assert (documents.document_id, documents.title, documents.body) == ("d1", "", "b")
    assert documents.fields == {}


def test_metadata_of_beir_are_fields_and_never_the_text_or_the_id():
    metadata = {
        "url": "u",
        "doc_id": "other",
        "description": "not the body",
        "name": "n",
        "Text": "t",
        "year": 1900,
    }
    lines = [
        {"_id": "d1", "title": "T", "text": "B", "metadata": metadata},
        {"_id": "d2", "title": "T", "text": "B", "metadata": "as it is"},
    ]
    file = read_documents(text_of("".join(f"{json.dumps(line)}\n" for line in lines)))

    first, second = file.records
    assert file.report.ok
    assert (first.document_id, first.title, first.body, first.url) == ("d1", "T", "B", "u")
    assert first.fields == {
        "doc_id": "other", "description": "not the body", "name": "n", "year": "1900", "metadata": '{"Text": "t"}'
    }  # fmt: skip
    assert second.fields == {"metadata": "as it is"}


def test_metadata_without_the_id_of_beir_stay_one_field():
    [one] = read_documents(text_of('{"id": "d1", "title": "T", "metadata": {"a": 1}}\n')).records

    assert one.fields == {"metadata": '{"a": 1}'}


def test_a_chosen_column_may_be_one_of_beirs_metadata():
    line = '{"_id": "d1", "title": "", "text": "b", "metadata": {"headline": "H"}}\n'

    [one] = read_documents(text_of(line), columns={"title": "headline"}).records

    assert (one.title, one.body) == ("H", "b")
