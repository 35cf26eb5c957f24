"""The documents of a Quepid book, which stand beside its judgments: `query_doc_pairs[].document_fields`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from judgments.formats import cells
from judgments.formats.documents import COLUMNS, DocumentRecord, fields_fault
from judgments.formats.json_items import items
from judgments.formats.json_records import as_text
from judgments.formats.problems import Report
from judgments.formats.tables import header_key
from judgments.formats.text import Text

TARGETS: Final = {
    header_key(alias): column.target
    for column in COLUMNS
    if column.target != "document_id"
    for alias in column.aliases
}


def read_book_documents(text: Text, report: Report) -> Iterator[DocumentRecord]:
    """Every document once, as its first pair has it; those without fields are left out, and those too long reported.

    Fields are an object, or the text of one. Bad ids are for the reader of the judgments to tell.
    """
    seen: set[str] = set()
    for item in items(text, ("query_doc_pairs",)):
        pair = item.value if item.place is not None and isinstance(item.value, dict) else {}
        document, given = as_text(pair.get("doc_id")), pair.get("document_fields")
        if not document or cells.id_fault(document) or document in seen or given in (None, "", {}):
            continue
        fields = _fields(given)
        if fields is None:
            expected = "an object of texts, without NUL or broken characters"
            report.error(item.line, "document_fields", document, expected, kind="bad fields of a document")
        elif fields and (fault := fields_fault(fields)):
            report.error(item.line, "document_fields", document, fault, kind="too long")
        elif fields:
            seen.add(document)
            yield _record(item.line, document, fields)


def _fields(given: object) -> dict[str, str] | None:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return None
    if not isinstance(given, dict):
        return None
    texts = {str(name): _text(value) for name, value in given.items()}
    if any(cells.text_fault(part) for pair in texts.items() for part in pair):
        return None
    return {name: text for name, text in texts.items() if text}


def _text(value: object) -> str:
    text = as_text(value)
    return json.dumps(value, ensure_ascii=False) if text is None else text


def _record(line: int, document: str, fields: Mapping[str, str]) -> DocumentRecord:
    named: dict[str, Any] = {}
    others: dict[str, str] = {}
    for name, text in fields.items():
        target = TARGETS.get(header_key(name), "")
        if target and target not in named:
            named[target] = text
        else:
            others[name] = text
    return DocumentRecord(line, document, named.pop("title", ""), **named, fields=others)
