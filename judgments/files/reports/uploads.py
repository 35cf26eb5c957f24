"""What an upload holds, read with the choices made for it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from io import BytesIO
from pathlib import Path, PurePath
from typing import Any, BinaryIO, cast
from uuid import UUID

from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.files.reports import import_decisions, imports
from judgments.files.reports.import_raters import LONGEST_NAME, FileRater
from judgments.files.reports.imports import Choices, ImportResult
from judgments.files.reports.judgment_imports import NOBODY, Terms, compare_judgments
from judgments.files.sql import progress
from judgments.files.sql.imports import DOCUMENTS, QUERIES
from judgments.files.sql.judgment_imports import RaterWork
from judgments.models import Batch, Draft, JudgmentList, Purpose, QuerySet, Upload, User
from touchstone_core.formats import delimiters
from touchstone_core.formats.judgments.decisions import FILE_OF_DECISIONS
from touchstone_core.formats.preamble import named_in
from touchstone_core.formats.problems import FormatError, Report, shorten
from touchstone_core.formats.text import Text, kept_text
from touchstone_core.words import counted

FIRST_CHARACTERS = 100_000
CANCEL_NOTE = "It was cancelled."
STEPS = {
    progress.FILES: "Reading files",
    progress.READING: "Reading and comparing",
    progress.WRITING: "Writing judgments",
    progress.SETTLING: "Working out grades of pairs",
    progress.CHECKING: "Checking what was written",
    progress.STORING: "Storing runs",
    progress.RANKING: "Storing rankings",
}
FETCH_PROGRESS = "fetch progress"
"""Of the options of a file whose content a worker is asking for: the numbers of its progress."""
SURE_SECONDS = 2
"""Before, a step's speed is not told."""


class UploadGoneError(JudgmentsError):
    """The row of an upload is there, its file is not."""

    def __init__(self, upload: Upload) -> None:
        super().__init__(f"{upload.name} is no longer stored. Upload it again.")


def undecided_uploads(user: User) -> list[Upload]:
    """What somebody has uploaded and neither imported nor discarded, whatever became of their role since."""
    return list(Upload.objects.filter(user=user, applied_at=None))


@dataclass(frozen=True, slots=True)
class Reading:
    """The good records of a file, what importing them would do, and everything that is wrong with the others.

    `records` of judgments are the first ones only, as rows of texts: a file may hold millions. `raters` are the names
    with most judgments, besides which there are `more_raters`. `machines` and `rater_work` are as in `ImportDifference`.
    `emptiness` says that there is nothing to import, unless the report says why.
    """

    records: Sequence[Any]
    report: Report
    result: ImportResult
    format: str
    headers: list[str]
    used: dict[str, str]
    columns: set[str]
    raters: list[FileRater] = field(default_factory=list)
    more_raters: int = 0
    machines: dict[str, bool] = field(default_factory=dict)
    rater_work: RaterWork = field(default_factory=RaterWork)
    emptiness: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """A reading for a page. `failure` says why there is none."""

    reading: Reading | None = None
    failure: str = ""
    headers: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    unused_headers: list[str] = field(default_factory=list)

    @property
    def lacks_columns(self) -> bool:
        """Whether nothing can be read though the file names several columns: their names are others than we know."""
        return bool(self.failure) and len(self.headers) > 1


def list_of(upload: Upload) -> JudgmentList:
    """The list of an upload of judgments, which always has one."""
    if upload.judgment_list is None:
        raise ValueError("an upload of judgments without a list")
    return upload.judgment_list


def query_set_of(upload: Upload) -> QuerySet:
    """The query set of an upload that isn't part of a new evaluation."""
    if upload.query_set is None:
        raise ValueError("an upload without a query set")
    return upload.query_set


def read_upload(upload: Upload, choices: Choices, *, limit: int) -> Reading:
    """Raises FormatError and UploadGoneError."""
    with open_upload(upload) as file:
        return read_data(
            file,
            name=upload.name,
            purpose=upload.purpose,
            target=list_of(upload) if upload.purpose == Purpose.JUDGMENTS else query_set_of(upload),
            choices=choices,
            limit=limit,
            came_at=upload.created_at,
        )


def read_source(
    *, source: bytes | Path, file_name: str, purpose: str, target: Any, choices: Choices, limit: int
) -> Reading:
    """As `read_data`, of a file that isn't kept. Without its records, which may be many. Raises FormatError."""
    with source.open("rb") if isinstance(source, Path) else BytesIO(source) as file:
        reading = read_data(
            file, name=file_name, purpose=purpose, target=target, choices=choices, limit=limit
        )
    return replace(reading, records=())


@transaction.atomic
def read_data(
    file: BinaryIO,
    *,
    name: str,
    purpose: str,
    target: Any,
    choices: Choices,
    limit: int,
    came_at: datetime | None = None,
) -> Reading:
    """Reads and compares with what is stored; `target` is a judgment list for judgments, else a query set."""
    if purpose == Purpose.JUDGMENTS:
        terms = terms_of(name, choices, came_at)
        reading = _read_judgments(file, name, target, choices, terms, limit=limit)
    else:
        reading = _read_content(file, name, purpose, target, choices, limit=limit)
    return (
        replace(reading, emptiness=reading.result.emptiness(name, purpose)) if reading.report.ok else reading
    )


def _read_content(
    file: BinaryIO, name: str, purpose: str, target: Any, choices: Choices, *, limit: int
) -> Reading:
    table = imports.read_file(file, name=name, purpose=purpose, choices=choices, limit=limit)
    columns = imports.file_columns(table)
    records: Any = table.records
    kind = QUERIES if purpose == Purpose.QUERIES else DOCUMENTS
    result = imports.compare(kind, target, records, columns)
    if purpose == Purpose.QUERIES and "query_id" not in columns:
        records = imports.with_stored_ids(records)
    return Reading(records, table.report, result, table.format, table.headers, table.columns, columns)


def _read_judgments(
    file: BinaryIO, name: str, judgment_list: JudgmentList, choices: Choices, terms: Terms, *, limit: int
) -> Reading:
    with imports.open_judgment_file(file, name=name, choices=choices, limit=limit) as judgments:
        documents = ImportResult(0, 0, 0)
        if choices.documents:
            query_set = judgment_list.query_set
            documents = imports.compare(DOCUMENTS, query_set, judgments.documents, DOCUMENTS.optional)
        comparison = compare_judgments(judgment_list, judgments, terms)
    result = replace(comparison.result, documents=documents.new + documents.changed)
    used, headers = judgments.columns, judgments.headers
    return Reading(
        comparison.rows,
        judgments.report,
        result,
        judgments.format,
        headers,
        used,
        set(),
        comparison.raters,
        comparison.more_raters,
        comparison.machines,
        comparison.rater_work,
    )


def preview(upload: Upload, choices: Choices, *, limit: int) -> Preview:
    """Never raises for what is wrong with the file; raises UploadGoneError."""
    try:
        reading = read_upload(upload, choices, limit=limit)
    except FormatError as error:
        return Preview(failure=error.message, headers=headers_of(upload, choices, limit))
    headings, rows = imports.sample(upload.purpose, reading.records)
    if reading.format == FILE_OF_DECISIONS:
        headings = list(import_decisions.HEADINGS)
    reading = replace(reading, records=())  # a page shows the first of them only, as rows
    return Preview(reading, "", reading.headers, headings, rows, _unused_headers(upload, reading))


@dataclass(frozen=True, slots=True)
class Progress:
    """A step of an import, and how much of it is `done` of `total` in so many `seconds`. A total below that was a wrong guess."""

    words: str
    done: int = 0
    total: int = 0
    seconds: float = 0

    @property
    def share(self) -> float | None:
        """From 0 to 1."""
        return self.done / self.total if self.total >= max(self.done, 1) else None

    @property
    def rate(self) -> int:
        """What is done in a second, 0 where it is too early to say."""
        return round(self.done / self.seconds) if self.seconds >= SURE_SECONDS else 0

    @property
    def figures(self) -> str:
        """“125,000 of 500,000, 1,250 a second, about 5 minutes left in this step”, as far as it is known."""
        done = f"{self.done:,}" if self.share is None else f"{self.done:,} of {self.total:,}"
        rate, time_left = f"{self.rate:,} a second", f"{self._time_left} left in this step"
        parts = ((self.done, done), (self.rate, rate), (self._time_left, time_left))
        return ", ".join(words for value, words in parts if value)

    @property
    def _time_left(self) -> str:
        if not self.rate or self.done >= self.total:
            return ""
        seconds = (self.total - self.done) / self.rate
        return (
            f"about {counted(max(round(seconds), 1), 'second')}"
            if seconds < 90
            else f"about {round(seconds / 60)} minutes"
        )


def progress_of(work: Upload | Draft) -> Progress | None:
    """None where nobody imports the file, or makes something of the files. Costs one query."""
    return progress_of_all([work]).get(work.pk)


def progress_of_undo(batch: Batch) -> Progress | None:
    """None where nobody undoes it. Costs one query."""
    step = progress.current_steps([batch.key]).get(batch.key)
    return _progress(step) if step else None


def progress_of_all(works: Iterable[Upload | Draft]) -> dict[UUID, Progress]:
    """By key, where somebody is at it. Costs one query."""
    works = list(works)
    asking = {
        one.pk: Progress("Asking queries", *one.options[FETCH_PROGRESS])
        for one in works
        if isinstance(one, Upload) and one.requested_at and FETCH_PROGRESS in one.options
    }
    steps = progress.current_steps(work.pk for work in works)
    return asking | {key: _progress(step) for key, step in steps.items()}


def _progress(step: progress.Step) -> Progress:
    if step.name == progress.READING and step.row_count is not None:
        return Progress("Reading lines", step.row_count, step.numbers[0], step.seconds)
    if step.name == progress.RANKING:
        before, total, seconds = step.numbers
        own_seconds = step.seconds if step.row_count is not None else 0
        return Progress(STEPS[step.name], before + (step.row_count or 0), total, seconds + own_seconds)
    if step.name in (progress.FILES, progress.SETTLING, progress.STORING):
        return Progress(STEPS[step.name], *step.numbers)
    return Progress(STEPS[step.name])


def _unused_headers(upload: Upload, reading: Reading) -> list[str]:
    """Headers of columns that are left out. Documents keep theirs as fields; in some formats there are none to choose."""
    if upload.purpose == Purpose.DOCUMENTS or not imports.READABLE[upload.purpose][reading.format].columns:
        return []
    raters = re.split(", ", reading.used.get("raters", ""))
    in_use = {*reading.used.values(), *raters, ""}
    return [shorten(header) for header in reading.headers if header not in in_use]


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


def terms_of(name: str, choices: Choices, came_at: datetime | None = None) -> Terms:
    """What the choices say about a file of judgments of this name. The file's name names the rater if nothing else does."""
    return Terms(
        rater_name=choices.rater.strip() or PurePath(name).name.split(".")[0][:LONGEST_NAME] or NOBODY,
        create_missing=choices.create_missing,
        create_documents=choices.documents,
        policy=choices.policy,
        raters=choices.raters,
        origin=choices.origin.strip(),
        came_at=came_at,
        good_lines=choices.good_lines,
        priority=choices.priority,
    )


def open_ahead(uploads: Sequence[Upload]) -> None:
    """Opens several files with one statement where the database keeps them. Opening one of them then takes none."""
    open_together = getattr(Upload._meta.get_field("file").storage, "open_together", None)
    if open_together and uploads:
        opened = open_together([str(upload.file.name) for upload in uploads])
        for upload in uploads:
            upload.opened = opened.get(str(upload.file.name))


@contextmanager
def open_upload(upload: Upload) -> Iterator[BinaryIO]:
    """The file. Raises UploadGoneError."""
    storage: Any = upload.file.storage
    name = str(upload.file.name)
    try:
        with storage.open_ahead(name, upload.opened) if upload.opened else storage.open(name) as file:
            yield cast(BinaryIO, file)
    except FileNotFoundError:  # also if it's deleted while it is read
        raise UploadGoneError(upload) from None


def headers_of(upload: Upload, choices: Choices, limit: int) -> list[str]:
    """The names of columns of a table that could not be read, so that they can be chosen."""
    encoding = choices.encoding or None
    try:
        with (
            open_upload(upload) as file,
            kept_text(file, name=upload.name, encoding=encoding, limit=limit) as text,
        ):
            table = named_in(text, choices.header_line)
            start = Text(text.name, table.start[:FIRST_CHARACTERS], text.encoding)
    except FormatError:
        return []
    _, records = delimiters.records(start, Report(), delimiter="\t" if choices.format == "tsv" else None)
    _, first = next(records, (0, []))
    if len(first) > delimiters.MOST_COLUMNS or start.start.lstrip().startswith("{"):
        return []  # choosing among them would not make it a table that can be read
    return [cell.strip() for cell in first if cell.strip()]
