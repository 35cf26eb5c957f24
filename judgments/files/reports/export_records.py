"""Judgments and grades of a list as records for the writers of `formats`, row by row, and what is kept beside them."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import islice
from typing import Any, Final

from django.db import models
from django.db.models import Count, Max

from judgments.lists.reports.selections import read_selections
from judgments.models import (
    ConsensusGrade,
    Document,
    Gold,
    JudgmentList,
    KeptFields,
    Pair,
    Query,
    Version,
)
from touchstone_core.formats.content.book_documents import written_fields
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.judgments.judgment_files import JudgmentFormat
from touchstone_core.formats.judgments.judgments import JudgmentRecord

Records = Generator[JudgmentRecord, None, None]
AT_ONCE: Final = 1000
COUNTING: Final = ~models.Q(judgments__gold=Gold.PRACTICE)
RATER: Final = models.functions.Coalesce("counting__rater__user__username", "counting__rater__name")


def grades(judgment_list: JudgmentList, version: Version | None = None) -> Records:
    """The consensus grades by query and document, as they are now or in a version; undecided pairs have none."""
    if version is not None:
        yield from _frozen(version)
        return
    decided = ConsensusGrade.objects.filter(judgment_list=judgment_list, value__isnull=False)
    rows = decided.order_by("query_id", "document__external_id").values_list(
        "query__external_id", "query__text", "document__external_id", "value"
    )
    for query, text, document, value in rows.iterator():
        yield JudgmentRecord(0, query, document, "", value, query_text=text)


def _frozen(version: Version) -> Iterator[JudgmentRecord]:
    blocks = version.queries.order_by("query_id").select_related("query").defer("how", "facts", "documents")
    for block in blocks.iterator(chunk_size=100):
        for name, value in sorted(zip(block.names, block.values, strict=True)):
            yield JudgmentRecord(0, block.external_id, name, "", value, query_text=block.query.text)


def judgments(judgment_list: JudgmentList) -> Records:
    """Every judgment by query and document, and pairs without any.

    Answers in practice are none: they do not count, and whoever imports the file could not tell them apart.
    """
    selection = read_selections(judgment_list)
    counting = models.FilteredRelation("judgments", condition=COUNTING)
    rows = (
        Pair.objects.filter(judgment_list=judgment_list)
        .annotate(counting=counting, rater=RATER)
        .order_by("query_id", "document__external_id", "counting__id")
        .values_list(
            "pk",
            "query__external_id",
            "query__text",
            "document__external_id",
            "counting__value",
            "rater",
            "counting__reason",
            "counting__comment",
            "counting__updated_at",
            "counting__active_ms",
        )
    )
    for key, query, text, document, value, name, reason, comment, judged_at, active in rows.iterator():
        seconds = None if active is None else active / 1000
        details = (name or "", reason or "", comment or "", judged_at, seconds, text)
        yield JudgmentRecord(0, query, document, "", value, *details, selection=selection(key))


def lone_grades(judgment_list: JudgmentList) -> Records:
    """The grades with who gave them, where that is one rater of those who count."""
    standing = judgment_list.exclusions.standing()
    counts = ~models.Q(counting__rater__in=list(standing.values_list("rater", flat=True)))
    rows = (
        Pair.objects.filter(judgment_list=judgment_list, consensus_grade__value__isnull=False)
        .annotate(counting=models.FilteredRelation("judgments", condition=COUNTING))
        .order_by("query_id", "document__external_id")
        .values_list("query__external_id", "query__text", "document__external_id", "consensus_grade__value")
        .annotate(answers=Count("counting", filter=counts), rater=Max(RATER, filter=counts))
    )
    for query, text, document, value, answers, rater in rows.iterator():
        name = rater if answers == 1 else ""
        yield JudgmentRecord(0, query, document, "", value, name, query_text=text)


def unrated(judgment_list: JudgmentList, format: str, version: Version | None = None) -> Records:
    """The queries of the list's file in this format that have no grades."""
    decided = ConsensusGrade.objects.filter(judgment_list=judgment_list, value__isnull=False)
    with_grade: models.QuerySet[Any] = decided if version is None else version.queries.all()
    file_queries = KeptFields.objects.filter(
        judgment_list=judgment_list, format=format, query__isnull=False, document=None
    )
    alone = file_queries.exclude(query__in=with_grade.values("query")).order_by("query_id").distinct()
    for query, text in alone.values_list("query__external_id", "query__text"):
        yield JudgmentRecord(0, query, "", "", None, query_text=text)


def head_of(judgment_list: JudgmentList, format: str) -> Mapping[str, Any]:
    """What the file said of itself that the list was imported from, in this format; empty where there is none."""
    rows = KeptFields.objects.filter(judgment_list=judgment_list, format=format, query=None, document=None)
    heads = rows.values_list("fields", flat=True).first()
    return heads or {}


def with_kept_fields(records: Records, judgment_list: JudgmentList, format: JudgmentFormat) -> Records:
    """The records with their kept fields, and with information needs and documents where the format has them.

    Some queries for every thousand of them; none for a format that has nothing of this.
    """
    fields = KeptFields.objects.filter(judgment_list=judgment_list, format=format.name)
    with closing(records):
        if not format.needs and not fields.exists():
            yield from records
            return
        while chunk := list(islice(records, AT_ONCE)):
            yield from _with_fields(chunk, judgment_list, format)


def _with_fields(
    chunk: list[JudgmentRecord], judgment_list: JudgmentList, format: JudgmentFormat
) -> Iterator[JudgmentRecord]:
    queries, documents = {one.query for one in chunk}, {one.document for one in chunk if one.document}
    fields = _fields_by_pair(judgment_list, format.name, queries, documents)
    needs = _needs(judgment_list, queries) if format.needs else {}
    texts = _documents(judgment_list, documents, fields) if format.documents else {}
    for one in chunk:
        yield one._replace(
            information_need=needs.get(one.query, ""),
            query_fields=fields.get((one.query, None)),
            pair_fields=fields.get((one.query, one.document)),
            document_fields=texts.get(one.document),
        )


def _fields_by_pair(
    judgment_list: JudgmentList, format: str, queries: Iterable[str], documents: Iterable[str]
) -> dict[tuple[str | None, str | None], Any]:
    """By query and document, either of which may be None."""
    query = models.Q(query=None) | models.Q(query__external_id__in=queries)
    document = models.Q(document=None) | models.Q(document__external_id__in=documents)
    rows = KeptFields.objects.filter(query, document, judgment_list=judgment_list, format=format)
    triples = rows.values_list("query__external_id", "document__external_id", "fields")
    return {(query, document): fields for query, document, fields in triples}


def _needs(judgment_list: JudgmentList, queries: Iterable[str]) -> dict[str, str]:
    rows = Query.objects.filter(query_set=judgment_list.query_set_id, external_id__in=queries)
    return dict(rows.values_list("external_id", "information_need"))


def _documents(
    judgment_list: JudgmentList, names: Iterable[str], fields: Mapping[tuple[str | None, str | None], Any]
) -> dict[str, Any]:
    documents = Document.objects.filter(query_set=judgment_list.query_set_id, external_id__in=names)
    rows = documents.values_list("external_id", "title", "body", "url", "image", "fields")
    return {
        row[0]: written_fields(DocumentRecord(0, *row, fields.get((None, row[0])))) for row in rows.iterator()
    }


def without_texts(records: Iterator[JudgmentRecord]) -> Iterator[JudgmentRecord]:
    """Queries known by their IDs alone."""
    for one in records:
        yield one._replace(query_text="")
