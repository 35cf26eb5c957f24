"""The queries and documents of a query set as files."""

import re
from collections.abc import Generator, Mapping
from datetime import datetime
from functools import partial
from typing import Final

from judgments.errors import JudgmentsError
from judgments.formats import content_writers as writers
from judgments.formats.delimited import MOST_COLUMNS
from judgments.formats.documents import DocumentRecord
from judgments.formats.queries import QueryRecord
from judgments.formats.tables import header_key
from judgments.ingest import content
from judgments.models import Document, JudgmentList, Query, QuerySet, Version
from judgments.reports.export_records import grades
from judgments.reports.streaming import Blocks, blocks, zipped

FORMATS: Final[Mapping[str, str]] = {
    "queries-csv": "Queries (CSV)",
    "queries-jsonl": "Queries (JSON lines)",
    "documents-csv": "Documents (CSV)",
    "documents-jsonl": "Documents (JSON lines)",
    "beir": "BEIR folder: corpus.jsonl, queries.jsonl, qrels/test.tsv",
}


class NotAsTableError(JudgmentsError):
    """The documents of a query set have more or other fields than a table has columns for."""


def export_content(
    query_set: QuerySet, format: str, *, at: datetime, judgment_list: JudgmentList | None = None
) -> tuple[str, Blocks]:
    """The file's name and its content, of which nothing is read before it is asked for.

    With `judgment_list` a BEIR folder has its grades. Raises NotAsTableError.
    """
    name = file_name(query_set, format, at=at)
    if format == "beir":
        return name, zipped((path, made) for path, made in beir_files(query_set, judgment_list).items())
    if format.startswith("queries"):
        write_queries = writers.queries_csv if format == "queries-csv" else writers.queries_jsonl
        return name, blocks(queries(query_set), write_queries)
    if format == "documents-jsonl":
        return name, blocks(documents(query_set), writers.documents_jsonl)
    write = partial(writers.documents_csv, names=_field_names(query_set))
    return name, blocks(documents(query_set), write)


def beir_files(
    query_set: QuerySet, judgment_list: JudgmentList | None, version: Version | None = None
) -> dict[str, Blocks]:
    """Content by path in the folder."""
    found = {
        "corpus.jsonl": blocks(documents(query_set), writers.beir_corpus),
        "queries.jsonl": blocks(queries(query_set), writers.beir_queries),
    }
    if judgment_list is not None:
        found["qrels/test.tsv"] = blocks(grades(judgment_list, version), writers.beir_qrels)
    return found


def file_name(query_set: QuerySet, format: str, *, at: datetime) -> str:
    """By query set, what is in it, and when."""
    what, _, suffix = format.partition("-")
    return f"{plain_name(query_set.name)}.{what}.{moment(at)}.{suffix or 'zip'}"


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
