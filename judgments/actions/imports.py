"""Importing queries, documents and judgments: all or nothing, set-based."""

from collections.abc import Collection, Iterable

from django.db import transaction

from judgments.errors import JudgmentsError
from judgments.formats.documents import DocumentRecord
from judgments.formats.problems import Report
from judgments.formats.queries import QueryRecord
from judgments.ingest import imports
from judgments.models import QuerySet
from judgments.reports.imports import ImportResult

EVERY_QUERY_COLUMN = frozenset({"information_need", "weight", "tags"})
EVERY_DOCUMENT_COLUMN = frozenset({"body", "url", "image", "fields"})


class ImportRefusedError(JudgmentsError):
    """A file that changes nothing; the report says why, line by line."""

    def __init__(self, report: Report) -> None:
        count = report.errors.total
        super().__init__(
            f"Nothing was imported: {count:,} {'problem' if count == 1 else 'problems'} in the file."
        )
        self.report = report


@transaction.atomic
def import_queries(
    *, query_set: QuerySet, records: Iterable[QueryRecord], columns: Collection[str] = EVERY_QUERY_COLUMN
) -> ImportResult:
    """Adds and changes queries by their external id. Optional columns that the file lacks stay as they are stored."""
    counts = imports.stage_queries(query_set.pk, records, columns)
    imports.merge_queries(query_set.pk)
    return ImportResult(*counts)


@transaction.atomic
def import_documents(
    *,
    query_set: QuerySet,
    records: Iterable[DocumentRecord],
    columns: Collection[str] = EVERY_DOCUMENT_COLUMN,
) -> ImportResult:
    """Adds and changes documents by their external id. Optional columns that the file lacks stay as they are stored."""
    counts = imports.stage_documents(query_set.pk, records, columns)
    imports.merge_documents(query_set.pk)
    return ImportResult(*counts)
