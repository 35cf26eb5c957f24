"""Judgments and grades of a list, read row by row, for the writers of `formats`."""

import re
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from django.db import models, transaction
from django.db.models.functions import Floor

from judgments.errors import JudgmentsError
from judgments.formats import cells
from judgments.formats.judgment_writers import BY_TEXT, GRADES, JUDGMENTS, SUFFIX, Description, Writer
from judgments.formats.judgments import JudgmentRecord
from judgments.formats.problems import FormatError
from judgments.ingest.stalling import end_if_stalled
from judgments.ingest.unwritable import first_unwritable
from judgments.models import ConsensusGrade, Gold, JudgmentList, Pair, Query, Version
from judgments.words import counted

FORMATS = {
    "qrels": "TREC qrels: one grade for each pair",
    "quepid": "Quepid ratings (CSV)",
    "opensearch": "OpenSearch judgments (JSON)",
    "rre": "RRE ratings (JSON)",
    "letor": "LETOR, RankLib",
    "rank-eval": "Elasticsearch rank_eval (JSON)",
    "touchstone": "Touchstone CSV: every rater's judgments, and pairs to be judged",
    "jsonl": "JSON lines: the same",
    "quepid-book": "Quepid book (JSON): the same, without times",
}
BLOCK = 1 << 16
"""Characters that are handed on together."""
_WRITERS = {**GRADES, **JUDGMENTS}


class ExportRefusedError(JudgmentsError):
    """A format cannot hold what the list has."""


@dataclass(frozen=True, slots=True)
class Export:
    """A list as text, block by block, and what is to be known about it. `content` can be read once."""

    name: str
    content: Generator[bytes, None, None]
    about: Description
    warnings: list[str]


def export(
    judgment_list: JudgmentList,
    format: str,
    *,
    at: datetime,
    whole_numbers: bool = False,
    version: Version | None = None,
) -> Export:
    """The list as it is now, or a version of it in a format of grades. Nothing is read before `content` is.

    Raises ExportRefusedError for what the format cannot hold. Whatever goes wrong later raises out of `content`: whoever
    hands it on must not let what there is by then pass for the whole.
    """
    about = description(judgment_list, at=at, whole_numbers=whole_numbers, version=version)
    _refuse_unwritable(judgment_list, format, about, version)
    by_id = format in BY_TEXT and not _texts_tell(judgment_list)
    records = grades(judgment_list, version) if format in GRADES else judgments(judgment_list)
    content = _content(_WRITERS[format], records, about, by_id=by_id)
    warnings = _warnings(judgment_list, format, version, by_id=by_id)
    return Export(file_name(judgment_list, format, version), content, about, warnings)


def _refuse_unwritable(
    judgment_list: JudgmentList, format: str, about: Description, version: Version | None
) -> None:
    found = first_unwritable(
        format,
        list_id=judgment_list.pk,
        version_id=None if version is None else version.pk,
        whole_numbers=about.whole_numbers,
    )
    if found is None:
        return
    try:
        list(_WRITERS[format]([JudgmentRecord(0, found.query, found.document, "", found.value)], about))
    except FormatError as error:
        raise ExportRefusedError(error.message) from None


def _content(
    writer: Writer, records: Generator[JudgmentRecord, None, None], about: Description, *, by_id: bool
) -> Generator[bytes, None, None]:
    """In a transaction, so that the database hands rows out as they are wanted, all as they were when it began.

    Whoever takes nothing for minutes gets no more: the transaction does not wait without end.
    The cursor is closed at once: one that is closed whenever it is collected may meet a COPY, and wait.
    """
    pieces: list[str] = []
    size = 0
    with transaction.atomic(), closing(records):
        end_if_stalled()
        for piece in writer(_without_texts(records) if by_id else records, about):
            pieces.append(piece)
            size += len(piece)
            if size >= BLOCK:
                yield "".join(pieces).encode()
                pieces, size = [], 0
    yield "".join(pieces).encode()


def description(
    judgment_list: JudgmentList,
    *,
    at: datetime,
    whole_numbers: bool = False,
    version: Version | None = None,
) -> Description:
    frozen = version or judgment_list
    scale = frozen.scale
    return Description(
        list=judgment_list.name,
        query_set=judgment_list.query_set.name,
        version=f"{version.number}, SHA-256 {version.sha256}" if version else "live",
        rule=frozen.rule,
        tie=frozen.tie,
        scale=scale.name,
        levels=list(scale.grades.values_list("value", "label")),
        exported_at=at.isoformat(timespec="seconds"),
        whole_numbers=whole_numbers,
    )


def file_name(judgment_list: JudgmentList, format: str, version: Version | None = None) -> str:
    name = re.sub(r"[^\w.-]+", "-", judgment_list.name).strip("-") or "judgments"
    return f"{name}-v{version.number}.{SUFFIX[format]}" if version else f"{name}.{SUFFIX[format]}"


def grades(
    judgment_list: JudgmentList, version: Version | None = None
) -> Generator[JudgmentRecord, None, None]:
    """The consensus grades by query and document, as they are now or in a version; undecided pairs have none."""
    if version is not None:
        yield from _frozen(version)
        return
    found = ConsensusGrade.objects.filter(judgment_list=judgment_list, value__isnull=False)
    rows = found.order_by("query_id", "document__external_id").values_list(
        "query__external_id", "query__text", "document__external_id", "value"
    )
    for query, text, document, value in rows.iterator():
        yield JudgmentRecord(0, query, document, "", value, query_text=text)


def _frozen(version: Version) -> Iterator[JudgmentRecord]:
    blocks = version.queries.order_by("query_id").select_related("query").defer("how", "documents")
    for block in blocks.iterator(chunk_size=100):
        for name, value in sorted(zip(block.names, block.values, strict=True)):
            yield JudgmentRecord(0, block.external_id, name, "", value, query_text=block.query.text)


def judgments(judgment_list: JudgmentList) -> Generator[JudgmentRecord, None, None]:
    """Every judgment by query and document, and pairs without any.

    Answers in practice are none: they do not count, and whoever imports the file could not tell them apart.
    """
    counting = models.FilteredRelation("judgments", condition=~models.Q(judgments__gold=Gold.PRACTICE))
    rater = models.functions.Coalesce("counting__rater__user__username", "counting__rater__name")
    rows = (
        Pair.objects.filter(judgment_list=judgment_list)
        .annotate(counting=counting, rater=rater)
        .order_by("query_id", "document__external_id", "counting__id")
        .values_list(
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
    for query, text, document, value, name, reason, comment, judged_at, active in rows.iterator():
        seconds = None if active is None else active / 1000
        given = (name or "", reason or "", comment or "", judged_at, seconds, text)
        yield JudgmentRecord(0, query, document, "", value, *given)


def _without_texts(records: Iterator[JudgmentRecord]) -> Iterator[JudgmentRecord]:
    for one in records:
        yield JudgmentRecord(
            one.line, one.query, one.document, "", one.grade, one.rater, one.reason, one.comment
        )


def _texts_tell(judgment_list: JudgmentList) -> bool:
    """Whether every query of the query set is known by its text: no other has the same, nor has it as its id."""
    queries = Query.objects.filter(query_set=judgment_list.query_set_id)
    texts = dict(queries.values_list("external_id", "text"))
    if len(set(texts.values())) < len(texts):
        return False
    return not any(cells.id_fault(text) or (text in texts and text != own) for own, text in texts.items())


def _warnings(judgment_list: JudgmentList, format: str, version: Version | None, *, by_id: bool) -> list[str]:
    said = []
    if by_id:
        said.append(
            "Queries are named by their ids: some share a text, or have one that is too long or another one’s id."
        )
    if format in ("qrels", "rank-eval"):
        count = _fractions(judgment_list, version)
        what = "trec_eval cuts them to whole numbers" if format == "qrels" else "they were rounded"
        if count:
            said.append(f"{counted(count, 'grade')} with a fraction: {what}.")
    return said


def _fractions(judgment_list: JudgmentList, version: Version | None) -> int:
    if version is not None:
        return sum(
            value % 1 != 0 for values in version.queries.values_list("values", flat=True) for value in values
        )
    found = ConsensusGrade.objects.filter(judgment_list=judgment_list, value__isnull=False)
    return found.exclude(value=Floor("value")).count()
