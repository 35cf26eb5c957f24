"""Documents of Quepid books."""

import json
from dataclasses import replace

import pytest

from tests.shared_data import shared_data
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.content.book_documents import read_book_documents, written_fields
from touchstone_core.formats.problems import Report
from touchstone_core.formats.text import decode


def read(*pairs):
    report = Report()
    return list(read_book_documents(text_of(json.dumps({"query_doc_pairs": pairs})), report)), report


def pair(document, fields):
    return {"query_text": "q", "doc_id": document, "document_fields": fields}


@pytest.mark.parametrize("packed", [dict, json.dumps])
def test_fields_are_an_object_or_its_text_and_known_ones_have_their_place(packed):
    fields = {
        "Title": "Zoo",
        "overview": "Animals",
        "description": "Lions",
        "thumb": "https://a.example/1.png",
        "id": 7,
        "cast": ["a"],
        "none": None,
    }

    [document], report = read(pair("d1", packed(fields)))

    assert (document.document_id, document.title, document.body) == ("d1", "Zoo", "Lions")
    assert document.image == "https://a.example/1.png"
    assert document.fields == {"overview": "Animals", "id": "7", "cast": '["a"]'}
    assert report.ok


def test_a_document_comes_once_and_not_without_fields():
    documents, report = read(
        pair("d1", {}),
        pair("d1", None),
        pair("d1", {"title": "first"}),
        pair("d1", {"title": "second"}),
        pair("d2", {"title": ""}),
        pair("", {"title": "nobody"}),
        pair("a\nb", {"title": "x"}),
        "no pair",
        pair(3, {"title": "three", "name": "more"}),
    )

    assert [(one.document_id, one.title, one.fields) for one in documents] == [
        ("d1", "first", {}),
        ("3", "three", {"name": "more"}),
    ]
    assert report.ok


@pytest.mark.parametrize("fields", ["no json", "[1]", ["a"], {"title": "a\0b"}, {"a\0": "b"}])
def test_bad_fields_are_told(fields):
    documents, report = read(pair("d1", fields))

    assert not documents
    assert report.errors.counts == {"bad fields of a document": 1}


def test_the_documents_of_a_real_book_are_read():
    folder = shared_data("quepid_haystack")
    books = [file for file in sorted(folder.glob("*.json")) if b"query_doc_pairs" in file.read_bytes()]
    assert books
    for file in books:
        text = decode(file.read_bytes(), name=file.name, limit=10**9)
        pairs = json.loads(text.content)["query_doc_pairs"]
        expected = {
            str(one["doc_id"]) for one in pairs if one.get("document_fields") not in (None, "", {}, "{}")
        }
        report = Report()

        documents = list(read_book_documents(text, report))

        assert {one.document_id for one in documents} == expected
        assert report.ok


def test_fields_are_written_as_their_book_had_them():
    """Names of its own, a number and a list; only what has changed since is a text."""
    fields = {"name": "Zoo", "year": 1999, "cast": ["a"], "text": "Lions"}
    [document], _ = read(pair("d1", fields))

    assert written_fields(document) == fields
    changed = replace(document, title="Park", fields=document.fields | {"year": "2000"})
    assert written_fields(changed) == fields | {"name": "Park", "year": "2000"}


def test_packed_fields_are_packed_again():
    [document], _ = read(pair("d1", json.dumps({"title": "Zoo"})))

    assert json.loads(written_fields(document)) == {"title": "Zoo"}
