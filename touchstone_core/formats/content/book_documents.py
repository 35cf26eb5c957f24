"""Reads and writes the documents of a Quepid book, which are beside its judgments: `query_doc_pairs[].document_fields`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from touchstone_core.formats import cells
from touchstone_core.formats.content.documents import COLUMNS, DocumentRecord, fields_fault
from touchstone_core.formats.json_items import items
from touchstone_core.formats.json_records import as_text, json_fault
from touchstone_core.formats.problems import Report
from touchstone_core.formats.tables import header_key
from touchstone_core.formats.text import Text

ALIASES: Final = {
    column.target: tuple(map(header_key, column.aliases))
    for column in COLUMNS
    if column.target != "document_id"
}
NAMES: Final = {"title": "title", "body": "body", "url": "url", "image": "thumb"}
"""Quepid's names of our fields, for books that use no others."""
MISSING: Final = object()


def read_book_documents(text: Text, report: Report) -> Iterator[DocumentRecord]:
    """Every document once, as in its first pair. Leaves out documents without fields, and reports those that are too long.

    Fields are an object, or the text of one. The reader of the judgments reports bad IDs.
    """
    ids: set[str] = set()
    for item in items(text, ("query_doc_pairs",)):
        pair = item.value if item.place is not None and isinstance(item.value, dict) else {}
        document, source = as_text(pair.get("doc_id")), pair.get("document_fields")
        if not document or cells.id_fault(document) or document in ids or source in (None, "", {}):
            continue
        fields = _fields(source)
        texts = {name: content for name, value in (fields or {}).items() if (content := _text(value))}
        if fields is None:
            expected = "an object of texts, without NUL or broken characters"
            report.error(item.line, "document_fields", document, expected, kind="bad fields of a document")
        elif texts and (fault := fields_fault(texts)):
            report.error(item.line, "document_fields", document, fault, kind="too long")
        elif texts:
            ids.add(document)
            yield _record(item.line, document, fields, texts, is_text=isinstance(source, str))


def written_fields(record: DocumentRecord) -> dict[str, Any] | str:
    """The fields of a document as its book had them. Values that have changed since are texts.

    Without a book they are the text of an object, as Quepid writes them.
    """
    layout = record.layout or {}
    names = NAMES | layout.get("names", {})
    own = {target: getattr(record, target) for target in NAMES}
    fields: dict[str, Any] = {names[target]: text for target, text in own.items() if text}
    fields |= record.fields
    for name, value in layout.get("values", {}).items():
        if fields.get(name, "") == _text(value):
            fields[name] = value
    return fields if layout.get("packed") is False else json.dumps(fields, ensure_ascii=False)


def _fields(value: object) -> dict[str, Any] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, dict) or json_fault(value):
        return None
    return value


def _text(value: object) -> str:
    text = as_text(value)
    return json.dumps(value, ensure_ascii=False) if text is None else text


def _record(
    line: int, document: str, fields: Mapping[str, Any], texts: Mapping[str, str], *, is_text: bool
) -> DocumentRecord:
    """`layout` has the book's names of our fields, and the values that aren't the texts that we store."""
    keys = {header_key(name): name for name in reversed(list(texts))}
    names = {
        target: next(keys[alias] for alias in aliases if alias in keys)
        for target, aliases in ALIASES.items()
        if any(alias in keys for alias in aliases)
    }
    own = {target: texts[name] for target, name in names.items()}
    others = {name: text for name, text in texts.items() if name not in names.values()}
    layout = {
        "names": {target: name for target, name in names.items() if name != NAMES[target]},
        "values": {name: value for name, value in fields.items() if texts.get(name, MISSING) != value},
        "packed": is_text,
    }
    details = {name: value for name, value in layout.items() if value not in ({}, True)}
    return DocumentRecord(line, document, own.pop("title", ""), **own, fields=others, layout=details or None)
