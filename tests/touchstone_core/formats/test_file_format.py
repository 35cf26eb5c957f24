"""What follows from the declaration of a format: it is told by its content, read, written, and described in docs/files.md."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from judgments.models import KeptFields
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.content import document_files, query_files
from touchstone_core.formats.content.documents import read_documents
from touchstone_core.formats.file_format import Format, choices, detect_format, find_format, list_labels
from touchstone_core.formats.judgments import judgment_files
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.writing import Description

DOCS = Path(__file__).parents[3] / "docs" / "files.md"
READ: dict[str, Mapping[str, Format]] = {
    "judgments": judgment_files.READABLE,
    "queries": query_files.FORMATS,
    "documents": document_files.FORMATS,
}
READERS = {
    "judgments": lambda text, format: judgment_files.open_judgment_text(text, format=format).read(),
    "queries": lambda text, format: query_files.read_query_text(text, format=format),
    "documents": lambda text, format: read_documents(text, format=format),
}
EVERY = [(what, format) for what, formats in READ.items() for format in formats.values()]
IDS = [f"{what} {format.name}" for what, format in EVERY]


@pytest.mark.parametrize(("what", "format"), EVERY, ids=IDS)
def test_the_example_of_a_format_is_told_by_its_content_and_read_without_a_problem(what, format):
    text = text_of(format.example)
    for chosen in (None, format.name):
        content = READERS[what](text, chosen)
        assert content.format == format.name
        assert content.records
        assert content.report.ok


@pytest.mark.parametrize("format", judgment_files.FORMATS.values(), ids=lambda format: format.name)
def test_a_format_of_judgments_is_read_or_written_or_both(format):
    is_written = format.name in judgment_files.WRITABLE
    assert is_written or format.name in judgment_files.READABLE
    assert is_written == bool(format.leaves_out and format.comes_back)
    assert len(format.name) <= KeptFields._meta.get_field("format").max_length


def test_no_two_formats_have_one_kind_of_file():
    kinds = [format.file_kind for format in judgment_files.WRITABLE.values()]

    assert len(set(kinds)) == len(kinds)


@pytest.mark.parametrize("format", judgment_files.WRITABLE.values(), ids=lambda format: format.name)
@pytest.mark.parametrize(
    ("query", "document", "value"),
    [
        ("a b", "d", 1.0),
        ("q", "d\te", 1.0),
        ("#q", "d", 1.0),
        ("q#", "d", 1.0),
        ("q", "docid", 1.0),
        ("q", "d", 0.5),
    ],
)
def test_a_writer_refuses_what_its_format_is_declared_not_to_hold_and_nothing_else(
    format, query, document, value
):
    forbidden = (
        (format.no_query and re.search(format.no_query, query))
        or (format.no_document and re.search(format.no_document, document))
        or (format.whole and value % 1)
    )
    try:
        list(format.write([JudgmentRecord(1, query, document, "", value)], Description("L")))
    except FormatError:
        refused = True
    else:
        refused = False

    assert refused == bool(forbidden)


def test_what_a_format_is_not_for_is_refused_in_words():
    with pytest.raises(FormatError, match="can’t be used for that"):
        judgment_files.FORMATS["quepid"].open(text_of("query,docid,rating\n"), None)
    with pytest.raises(
        FormatError, match=r"Unknown format touchstone. Choose one of: csv, decisions, json, jsonl"
    ):
        find_format("touchstone", judgment_files.READABLE)


def test_a_page_offers_formats_by_their_labels_and_a_command_names_them_in_a_sentence():
    assert choices(document_files.FORMATS, empty="Find out") == [
        ("", "Find out"),
        ("csv", "CSV: commas or semicolons"),
        ("jsonl", "JSON lines: BEIR’s corpus.jsonl too"),
        ("tsv", "TSV: tabs; without a header ID and text, or ID, address, title and text (MS MARCO)"),
    ]
    assert list_labels(document_files.FORMATS) == "CSV, JSON lines, TSV"


def test_what_fits_nothing_is_of_the_last_format():
    assert detect_format(text_of("?"), judgment_files.READABLE).name == "csv"


def test_the_docs_have_a_row_for_each_format_that_is_written():
    rows = [
        f"| `{one.name}` | {'engineers' if one.holds == 'grades' else 'admins'} | {one.comes_back} | {one.leaves_out} |"
        for one in judgment_files.WRITABLE.values()
    ]

    assert "\n".join(rows) in DOCS.read_text(), "\n".join(rows)


def test_the_docs_have_a_row_for_each_format_that_is_read():
    rows = [
        f"| {what} | `{name}` | {label} |"
        for what, formats in READ.items()
        for name, label in choices(formats, empty="")[1:]
    ]

    assert "\n".join(rows) in DOCS.read_text(), "\n".join(rows)


@pytest.mark.parametrize(
    ("name", "media_type", "file_kind"),
    [
        ("qrels", "text/plain", "qrels"),
        ("rre", "application/json", "rre.json"),
        ("jsonl", "application/x-ndjson", "jsonl"),
    ],
)
def test_a_download_is_named_and_typed_after_its_format(name, media_type, file_kind):
    format = judgment_files.WRITABLE[name]

    assert (format.media_type, format.file_kind) == (media_type, file_kind)
