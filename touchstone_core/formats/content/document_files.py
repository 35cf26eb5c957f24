"""The formats of documents, and of folders with queries and documents. Each is declared once."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from touchstone_core.formats.content import content_writers
from touchstone_core.formats.content.documents import DocumentRecord, read_documents
from touchstone_core.formats.file_format import WrittenFormat, by_name, find_format, neither
from touchstone_core.formats.preamble import preamble_left_out, tell_preamble
from touchstone_core.formats.tables import RecordList
from touchstone_core.formats.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFormat(WrittenFormat):
    """All are tables. `write` also takes the names of further fields, if these are columns (`field_columns`)."""

    write: Callable[[Iterable[DocumentRecord], list[str]], Iterator[str]] = neither
    columns: bool = True
    field_columns: bool = False


FORMATS: Final = by_name(
    [
        DocumentFormat(
            name="jsonl",
            label="JSON lines",
            note="BEIR’s corpus.jsonl too",
            example='{"_id": "d1", "title": "Red shoes", "text": "For running.", "brand": "Fleet"}\n',
            write=lambda records, names: content_writers.documents_jsonl(records),
            ending="jsonl",
            leaves_out=content_writers.HISTORY,
        ),
        DocumentFormat(
            name="tsv",
            label="TSV",
            note="tabs; without a header ID and text, or ID, address, title and text (MS MARCO)",
            example="d1\thttps://example.com/1\tRed shoes\tFor running.\n",
        ),
        DocumentFormat(
            name="csv",
            label="CSV",
            note="commas or semicolons",
            example="document_id,title,body,url,brand\nd1,Red shoes,For running.,https://example.com/1,Fleet\n",
            write=content_writers.documents_csv,
            field_columns=True,
            ending="csv",
            leaves_out=content_writers.NOT_IN_CSV,
        ),
    ]
)
BEIR: Final = WrittenFormat(
    name="beir",
    label="BEIR folder",
    note="corpus.jsonl, queries.jsonl, qrels/test.tsv",
    ending="zip",
    leaves_out=f"{content_writers.HISTORY}, raters, comments, “cannot judge”, how pairs were selected, pairs without a grade",
)


def read_document_text(
    text: Text, *, format: str | None = None, columns: Mapping[str, str] | None = None
) -> RecordList[DocumentRecord]:
    """Raises FormatError if the file can't be read at all."""
    table_format = find_format(format, FORMATS).name if format else None
    with preamble_left_out(text, columns) as table:
        documents = read_documents(table, columns=columns, format=table_format)
    tell_preamble(table, documents.report)
    return documents
