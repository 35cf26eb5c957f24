"""The queries and documents of a query set as files."""

import re
from collections.abc import Generator, Mapping
from datetime import datetime
from typing import Final

from judgments.base.errors import JudgmentsError
from judgments.base.streaming import Blocks, Export, blocks, zip_files
from judgments.content.sql import content
from judgments.files.reports.export_records import grades
from judgments.models import Document, JudgmentList, Query, QuerySet, Version
from touchstone_core.formats.content import content_writers as writers
from touchstone_core.formats.content import document_files, query_files
from touchstone_core.formats.content.document_files import BEIR
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord
from touchstone_core.formats.delimiters import MOST_COLUMNS
from touchstone_core.formats.file_format import WrittenFormat, by_label
from touchstone_core.formats.tables import header_key

QUERIES: Final = {f"queries-{one.name}": one for one in by_label(query_files.FORMATS) if one.ending}
DOCUMENTS: Final = {f"documents-{one.name}": one for one in by_label(document_files.FORMATS) if one.ending}
FORMATS: Final[Mapping[str, str]] = {
    **{name: f"Queries ({one.label})" for name, one in QUERIES.items()},
    **{name: f"Documents ({one.label})" for name, one in DOCUMENTS.items()},
    BEIR.name: BEIR.choice,
}
"""What there is to take out, in words."""
LEAVES_OUT: Final = {name: one.leaves_out for files in (QUERIES, DOCUMENTS) for name, one in files.items()}


class NotAsTableError(JudgmentsError):
    """The documents of a query set have more or other fields than a table has columns for."""


def export_content(
    query_set: QuerySet, format: str, *, at: datetime, judgment_list: JudgmentList | None = None
) -> Export:
    """With `judgment_list` a BEIR folder has its grades. Raises NotAsTableError."""
    file_format: WrittenFormat = BEIR
    if format in QUERIES:
        file_format = QUERIES[format]
        content = blocks(queries(query_set), file_format.write)
    elif format in DOCUMENTS:
        file_format = table = DOCUMENTS[format]
        names = _field_names(query_set) if table.field_columns else []
        content = blocks(documents(query_set), lambda rows: table.write(rows, names))
    else:
        content = zip_files((path, entry) for path, entry in beir_files(query_set, judgment_list).items())
    what = format.partition("-")[0]
    name = f"{plain_name(query_set.name)}.{what}.{moment(at)}.{file_format.ending}"
    return Export(name, file_format.media_type, content)


def beir_files(
    query_set: QuerySet, judgment_list: JudgmentList | None, version: Version | None = None
) -> dict[str, Blocks]:
    """Content by path in the folder."""
    files = {
        "corpus.jsonl": blocks(documents(query_set), writers.beir_corpus),
        "queries.jsonl": blocks(queries(query_set), writers.beir_queries),
    }
    if judgment_list is not None:
        files["qrels/test.tsv"] = blocks(grades(judgment_list, version), writers.beir_qrels)
    return files


def plain_name(name: str) -> str:
    """As a part of the name of a file."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-") or "export"


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d-%H%M%S}"


def queries(query_set: QuerySet) -> Generator[QueryRecord, None, None]:
    """In the order in which they came."""
    rows = Query.objects.filter(query_set=query_set).order_by("pk")
    fields = rows.values_list("external_id", "text", "information_need", "weight", "tags")
    for id, text, need, weight, tags in fields.iterator():
        yield QueryRecord(0, id, text, need, weight, tuple(tags))


def documents(query_set: QuerySet) -> Generator[DocumentRecord, None, None]:
    rows = Document.objects.filter(query_set=query_set).order_by("pk")
    for row in rows.values_list("external_id", "title", "body", "url", "image", "fields").iterator(
        chunk_size=200
    ):
        yield DocumentRecord(0, *row)


def _field_names(query_set: QuerySet) -> list[str]:
    most = MOST_COLUMNS - len(writers.DOCUMENT_COLUMNS)
    names = content.field_names(query_set.pk, most=most + 1)
    keys = {header_key(name) for name in (*writers.DOCUMENT_COLUMNS, *names)}
    if len(names) > most:
        raise NotAsTableError(
            f"The documents have more than {most:,} different fields. Choose JSON lines, which have no columns."
        )
    if len(keys) < len(names) + len(writers.DOCUMENT_COLUMNS) or "" in names:
        raise NotAsTableError(
            "Some fields of the documents can’t be told apart as columns, such as “Size” and “size”. Choose JSON lines."
        )
    return names
