"""Document files: `document_id[, title][, body][, url][, image]`. Other columns become fields."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from touchstone_core.formats import cells
from touchstone_core.formats.checks import Checks
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.tables import DOCUMENT_HEADERS, Column, RecordList, Row, open_table
from touchstone_core.formats.text import Text

COLUMNS = (
    Column("document_id", (*DOCUMENT_HEADERS, "id"), required=True),
    Column("title", ("title", "product_title", "name", "product_name", "headline")),
    Column(
        "body",
        ("body", "description", "product_description", "text", "passage", "content", "abstract", "snippet"),
    ),
    Column("url", ("url", "link", "href", "product_url")),
    Column("image", ("image", "image_url", "img", "image_link", "thumb", "thumbnail")),
)
BARE = {2: ("document_id", "body"), 4: ("document_id", "url", "title", "body")}
BARE_ID = re.compile(r"\w*[0-9]")
"""Ids of MS MARCO end like this, names of columns don't."""
LIMITS = {
    "title": cells.LONGEST_TITLE,
    "body": cells.LONGEST_BODY,
    "url": cells.LONGEST_ADDRESS,
    "image": cells.LONGEST_ADDRESS,
}


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """Texts are as in the file, including HTML: pages clean what they show.

    `layout` is how a book had the fields, as far as they don't say so themselves (see `book_documents`).
    """

    line: int
    document_id: str
    title: str
    body: str = ""
    url: str = ""
    image: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    layout: Mapping[str, Any] | None = None


def read_documents(
    text: Text, *, columns: Mapping[str, str] | None = None, format: str | None = None
) -> RecordList[DocumentRecord]:
    """Raises FormatError if the file isn't a table with IDs and something else.

    MS MARCO's collections have no header: ID and text, or ID, address, title and text, between tabs.
    """
    report = Report()
    headers = _bare_headers(text, columns, format)
    table_format = "tsv" if headers else format
    table = open_table(text, COLUMNS, report, columns=columns, format=table_format, headers=headers)
    if len(table.headers) == 1:
        names = ", ".join(table.headers)
        raise FormatError(
            f"The file needs another column besides the document IDs; its first line has: {names}."
        )
    if "title" not in table.columns:
        expected = "a title for the raters to see (documents are shown by their IDs)"
        report.warn(None, "title", "no such column", expected, kind="no titles")
    checks = Checks(report)
    records = [record for row in table.rows if (record := _record(row, checks))]
    return RecordList(records, report, table.format, table.headers, table.columns)


def _bare_headers(text: Text, columns: Mapping[str, str] | None, format: str | None) -> Sequence[str] | None:
    """The columns of an MS MARCO collection, which starts without a header. None for other files."""
    parts = next((line for line in text.start.split("\n", 100) if line.strip()), "").split("\t")
    if columns or format not in (None, "tsv") or not BARE_ID.fullmatch(parts[0]):
        return None
    return BARE.get(len(parts))


def _record(row: Row, checks: Checks) -> DocumentRecord | None:
    good = [
        checks.identifier(row, "document_id"),
        checks.once(row, "document_id"),
        checks.texts(row, "title", "body", "url", "image"),
        checks.short(row, "document_id", LIMITS),
        _extra(row, checks.report),
    ]
    if not all(good):
        return None
    if row.cells.get("title") == "":
        checks.report.warn(row.line, "title", "", "a title for the raters to see", kind="no title")
    fields = {name: value for name, value in row.extra.items() if value}
    texts: dict[str, Any] = {
        target: row.cells.get(target, "") for target in ("title", "body", "url", "image")
    }
    return DocumentRecord(row.line, row.cells["document_id"], **texts, fields=fields)


def _extra(row: Row, report: Report) -> bool:
    bad = [
        (name, value, fault)
        for name, value in row.extra.items()
        if (fault := cells.text_fault(name) or cells.text_fault(value))
    ]
    for name, value, fault in bad:
        report.errors.add(row.line, repr(name)[1:-1], value, fault, "unstorable character")
    fault = fields_fault(row.extra)
    if fault:
        report.error(row.line, "", f"further fields of {row.cells['document_id']}", fault, kind="too long")
    return not bad and not fault


def fields_fault(fields: Mapping[str, str]) -> str | None:
    """What the reader expected instead of all further fields of a document, or None if they're fine."""
    size = sum(len(name) + len(value) for name, value in fields.items())
    if size > cells.LONGEST_BODY:
        return f"at most {cells.LONGEST_BODY:,} characters together (they have {size:,})"
    count = sum(1 for value in fields.values() if value)
    return f"at most {cells.MOST_FIELDS:,} fields" if count > cells.MOST_FIELDS else None
