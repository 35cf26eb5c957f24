"""Importing queries, documents and judgments: all or nothing, set-based."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from django.db import transaction

from judgments.actions.consensus import refresh_consensus
from judgments.actions.pairs import add_pairs, close_slots_of_judged
from judgments.errors import JudgmentsError
from judgments.formats.documents import DocumentRecord
from judgments.formats.judgments import JudgmentRecord
from judgments.formats.problems import Report
from judgments.formats.queries import QueryRecord
from judgments.ingest import imports, judgment_imports, locks
from judgments.models import JudgmentList, QuerySet, Rater, RaterKind
from judgments.reports.imports import ImportResult
from judgments.reports.judgment_imports import (
    LONGEST_RATER,
    accounts,
    check_judgments,
    known_raters,
    rater_names,
)
from judgments.words import counted

EVERY_QUERY_COLUMN = frozenset({"information_need", "weight", "tags"})
EVERY_DOCUMENT_COLUMN = frozenset({"body", "url", "image", "fields"})


class ImportRefusedError(JudgmentsError):
    """A file that changes nothing; the report says why, line by line."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"Nothing was imported: {counted(report.errors.total, 'problem')} in the file.")
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


@transaction.atomic
def import_judgments(
    *,
    judgment_list: JudgmentList,
    records: Sequence[JudgmentRecord],
    rater_name: str | None,
    create_missing: bool,
    at: datetime,
) -> ImportResult:
    """Adds and changes judgments by pair and rater; the earlier answer of a changed one goes into its history.

    Pairs, slots, counts and consensus grades follow. A record without an answer adds its pair, with open slots, and no
    judgment. `rater_name` is for judgments without a rater. Raises ImportRefusedError where a grade is not on the
    scale, or a query or document is unknown and not to be made.
    """
    locks.lock_list(judgment_list.pk)
    judgment_list = JudgmentList.objects.select_related("query_set", "scale").get(pk=judgment_list.pk)
    checked = check_judgments(
        judgment_list,
        records,
        raters=_raters(judgment_list.query_set, rater_names(records, rater_name)),
        rater_name=rater_name,
        create_missing=create_missing,
    )
    if not checked.report.ok:
        raise ImportRefusedError(checked.report)
    counts = judgment_imports.count()
    if create_missing:
        judgment_imports.add_missing(judgment_list.query_set_id)
    add_pairs(judgment_list=judgment_list, pairs=judgment_imports.new_pairs())
    pair_ids = judgment_imports.merge(
        query_set_id=judgment_list.query_set_id,
        list_id=judgment_list.pk,
        overlap=judgment_list.overlap,
        guidelines=judgment_list.guidelines_version,
        at=at,
    )
    close_slots_of_judged(judgment_list=judgment_list, pair_ids=pair_ids, at=at)
    refresh_consensus(judgment_list=judgment_list, pair_ids=pair_ids)
    return ImportResult(*counts)


def _raters(query_set: QuerySet, names: set[str]) -> dict[str, int]:
    """Raters by name, made where they are missing: an account's if a member has that user name, else an external one."""
    known = known_raters(query_set, names)
    people = accounts(query_set, names)
    fresh = [
        Rater(query_set=query_set, user=people[name], name=name, kind=RaterKind.PERSON)
        if name in people
        else Rater(query_set=query_set, name=name, kind=RaterKind.EXTERNAL)
        for name in sorted(names - set(known))
        if len(name) <= LONGEST_RATER
    ]
    return known | {rater.name: rater.pk for rater in Rater.objects.bulk_create(fresh)}
