"""What an upload holds, read with the choices made for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from django.db import transaction

from judgments.errors import JudgmentsError
from judgments.formats import tables
from judgments.formats.problems import KEPT, Findings, FormatError, Report, shorten
from judgments.formats.text import Text, decode
from judgments.models import JudgmentList, Purpose, Upload
from judgments.reports import imports
from judgments.reports.imports import Choices, ImportResult
from judgments.reports.judgment_imports import compare_judgments

PEEKED = 100_000


class UploadGoneError(JudgmentsError):
    """The row of an upload is there, its file is not."""

    def __init__(self, upload: Upload) -> None:
        super().__init__(f"{upload.name} is not kept any more. Upload it again.")


@dataclass(frozen=True, slots=True)
class Reading:
    """The good records of a file, what importing them would do, and everything that is wrong with the others."""

    records: Sequence[Any]
    report: Report
    result: ImportResult
    format: str
    headers: list[str]
    used: dict[str, str]
    columns: set[str]
    rater_name: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """A reading for a page. `failure` says why there is none."""

    reading: Reading | None = None
    failure: str = ""
    headers: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)


def list_of(upload: Upload) -> JudgmentList:
    """The list of an upload of judgments, which always has one."""
    if upload.judgment_list is None:
        raise ValueError("an upload of judgments without a list")
    return upload.judgment_list


def read_upload(upload: Upload, choices: Choices, *, limit: int) -> Reading:
    """Raises FormatError and UploadGoneError."""
    return read_data(
        file_bytes(upload),
        name=upload.name,
        purpose=upload.purpose,
        target=list_of(upload) if upload.purpose == Purpose.JUDGMENTS else upload.query_set,
        choices=choices,
        limit=limit,
    )


@transaction.atomic
def read_data(data: bytes, *, name: str, purpose: str, target: Any, choices: Choices, limit: int) -> Reading:
    """Reads and compares with what is stored; `target` is a judgment list for judgments, else a query set."""
    parsed = imports.read_file(data, name=name, purpose=purpose, choices=choices, limit=limit)
    report, columns = parsed.report, imports.file_columns(parsed)
    records: Any = parsed.records
    rater_name = choices.rater.strip() or default_rater(name)
    if purpose == Purpose.JUDGMENTS:
        result, checked = compare_judgments(
            target,
            records,
            rater_name=rater_name,
            create_missing=choices.create_missing,
        )
        records, report = checked.records, merged(report, checked.report)
    elif purpose == Purpose.QUERIES:
        result = imports.compare_queries(target, records, columns)
    else:
        result = imports.compare_documents(target, records, columns)
    return Reading(records, report, result, parsed.format, parsed.headers, parsed.used, columns, rater_name)


def preview(upload: Upload, choices: Choices, *, limit: int) -> Preview:
    """Never raises for what is wrong with the file; raises UploadGoneError."""
    try:
        reading = read_upload(upload, choices, limit=limit)
    except FormatError as error:
        return Preview(failure=error.message, headers=_headers(upload, choices, limit))
    headings, rows = imports.sample(upload.purpose, reading.records)
    return Preview(reading, "", reading.headers, headings, rows, _unused(upload, reading))


def _unused(upload: Upload, reading: Reading) -> list[str]:
    """Headers of columns that are left out. Documents keep theirs as fields, and qrels have but what they need."""
    if upload.purpose == Purpose.DOCUMENTS or reading.format == "qrels":
        return []
    taken = {*reading.used.values(), ""}
    return [shorten(header) for header in reading.headers if header not in taken]


def applied_before(upload: Upload) -> Upload | None:
    """The latest import of the same bytes to the same place."""
    same = Upload.objects.filter(
        query_set=upload.query_set_id,
        judgment_list=upload.judgment_list_id,
        purpose=upload.purpose,
        sha256=upload.sha256,
        applied_at__isnull=False,
    )
    return same.exclude(pk=upload.pk).select_related("user").order_by("-applied_at").first()


def merged(first: Report, second: Report) -> Report:
    """Both reports as one, in the order of the lines."""
    return Report(_merged(first.errors, second.errors), _merged(first.warnings, second.warnings))


def _merged(mine: Findings, theirs: Findings) -> Findings:
    problems = sorted([*mine.first, *theirs.first], key=lambda problem: problem.line or 0)
    kinds = [*mine.counts, *theirs.counts]
    counts = {kind: mine.counts.get(kind, 0) + theirs.counts.get(kind, 0) for kind in kinds}
    return Findings(problems[:KEPT], counts)


def default_rater(name: str) -> str:
    """The file's name without its endings: who gave the judgments of a file that does not say."""
    return PurePath(name).name.split(".")[0][:150] or "Imported"


def file_bytes(upload: Upload) -> bytes:
    try:
        with upload.file.open("rb") as file:
            data: bytes = file.read()
    except (FileNotFoundError, ValueError):
        raise UploadGoneError(upload) from None
    return data


def _headers(upload: Upload, choices: Choices, limit: int) -> list[str]:
    """The first line of a table that could not be read, so that its columns can be chosen."""
    try:
        text = decode(file_bytes(upload), name=upload.name, encoding=choices.encoding or None, limit=limit)
    except FormatError:
        return []
    start = Text(text.name, text.content[:PEEKED], text.encoding)
    _, records, _ = tables.records(start, delimiter="\t" if choices.format == "tsv" else None)
    return [cell.strip() for cell in records[0][1] if cell.strip()] if records else []
