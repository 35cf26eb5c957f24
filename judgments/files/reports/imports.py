"""What a file would do to a query set, before anything is written."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, BinaryIO, Self, TypeVar

from django.db import transaction

from judgments.base.digits import written
from judgments.files.reports.import_grades import GradePolicy
from judgments.files.sql import imports
from judgments.models import Act, Purpose, QuerySet, Verb
from touchstone_core.formats import detection
from touchstone_core.formats.cells import LONGEST_TAG, MOST_TAGS
from touchstone_core.formats.content import document_files, documents, queries, query_files
from touchstone_core.formats.content.book_documents import read_book_documents
from touchstone_core.formats.content.document_files import read_document_text
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord
from touchstone_core.formats.content.query_files import read_query_text
from touchstone_core.formats.file_format import Format
from touchstone_core.formats.judgments import judgment_files, judgments
from touchstone_core.formats.judgments.judgment_files import open_judgment_text
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.preamble import named_in
from touchstone_core.formats.problems import CutOffError, FormatError
from touchstone_core.formats.tables import Column, RecordList, RecordStream
from touchstone_core.formats.text import Text, kept_text, tell_encoding
from touchstone_core.words import counted

SHOWN_RECORDS = 10
COLUMNS: Mapping[str, tuple[Column, ...]] = {
    Purpose.QUERIES: queries.COLUMNS,
    Purpose.DOCUMENTS: documents.COLUMNS,
    Purpose.JUDGMENTS: judgments.COLUMNS,
}
READABLE: Mapping[str, Mapping[str, Format]] = {
    Purpose.QUERIES: query_files.FORMATS,
    Purpose.DOCUMENTS: document_files.FORMATS,
    Purpose.JUDGMENTS: judgment_files.READABLE,
}
"""The formats that a file may have."""
ELSEWHERE: Mapping[str, str] = {
    detection.QUERIES: "It looks like queries: import it as queries.",
    detection.DOCUMENTS: "It looks like documents: import it as documents.",
    detection.JUDGMENTS: "It looks like judgments: import it into a judgment list.",
    detection.RUN: "If it is a run, upload it as a run.",
}
Record = TypeVar("Record", QueryRecord, DocumentRecord, JudgmentRecord)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """How many rows a file adds, changes and leaves as they are.

    A file of judgments may also name pairs to be judged: `pairs` new ones, and `known_pairs` that the list has already;
    and hold `documents` that are new or changed. `kept_fields` are the queries, documents and pairs of which it changes
    what is kept for exports in its format. `left_out` are problems whose lines were not imported; a preview has them in
    its report. `machines_left_out` are the machines of the file whose grades don't count. `decisions` are new, or replace
    others; `known_decisions` stand already.
    """

    new: int
    changed: int
    unchanged: int
    pairs: int = 0
    known_pairs: int = 0
    documents: int = 0
    kept_fields: int = 0
    left_out: int = 0
    machines_left_out: int = 0
    decisions: int = 0
    known_decisions: int = 0

    @property
    def total(self) -> int:
        return self.new + self.changed + self.unchanged

    @property
    def all_pairs(self) -> int:
        return self.pairs + self.known_pairs

    @property
    def all_decisions(self) -> int:
        return self.decisions + self.known_decisions

    @property
    def judges_nothing(self) -> bool:
        """Only pairs to be judged or decisions, no judgment."""
        return not self.total and (self.all_pairs > 0 or self.all_decisions > 0)

    @property
    def everything(self) -> int:
        return self.total + self.all_pairs + self.all_decisions

    def emptiness(self, name: str, purpose: str) -> str:
        """A sentence about a file without anything to import, not even what is here already: an export that broke."""
        return "" if self.everything else f"{name} holds no {purpose} that can be imported."

    def check_something(self, name: str, purpose: str) -> None:
        """Raises FormatError for such a file."""
        if emptiness := self.emptiness(name, purpose):
            raise FormatError(emptiness)


@dataclass(frozen=True, slots=True)
class OpenedFile(RecordStream[JudgmentRecord]):
    """Judgments, and documents that stand beside them where they are wanted: to be read before."""

    documents: Iterable[DocumentRecord] = ()


@dataclass(frozen=True, slots=True)
class KeptChoices:
    """Choices that are kept as JSON, in which fields of another version may be missing or left over."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{one.name: data[one.name] for one in fields(cls) if one.name in data})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Choices(KeptChoices):
    """How a person wants a file to be read. The empty text and the `header_line` 0 stand for “find out yourself”."""

    encoding: str = ""
    format: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    good_lines: bool = False
    rater: str = ""
    create_missing: bool = False
    negative: str = ""
    between: str = ""
    documents: bool = False
    raters: dict[str, str] = field(default_factory=dict)
    origin: str = ""
    priority: int = 0
    header_line: int = 0

    @property
    def policy(self) -> GradePolicy:
        return GradePolicy(self.negative, self.between)


def read_file(
    file: BinaryIO, *, name: str, purpose: str, choices: Choices, limit: int
) -> RecordList[QueryRecord] | RecordList[DocumentRecord] | RecordList[JudgmentRecord]:
    """All records of a file. Raises FormatError for a file that is not readable as a whole."""
    with _open_text(file, name, choices, limit, purpose) as text:
        if purpose == Purpose.JUDGMENTS:
            return _open_judgments(text, choices).read()
        if purpose == Purpose.QUERIES:
            return read_query_file(text, choices)
        table = read_document_text(text, columns=choices.columns, format=choices.format or None)
        tell_encoding(text, table.report)
        return table


@contextmanager
def open_judgment_file(file: BinaryIO, *, name: str, choices: Choices, limit: int) -> Iterator[OpenedFile]:
    """Records that are read one by one, and kept nowhere. Raises FormatError, also while they are read."""
    with _open_text(file, name, choices, limit, Purpose.JUDGMENTS) as text:
        file_records = _open_judgments(text, choices)
        tell_encoding(text, file_records.report)
        with_documents = choices.documents and judgment_files.READABLE[file_records.format].documents
        documents = read_book_documents(text, file_records.report) if with_documents else ()
        parts = (
            file_records.records,
            file_records.report,
            file_records.format,
            file_records.headers,
            file_records.columns,
            file_records.head,
        )
        yield OpenedFile(*parts, documents)


@contextmanager
def _open_text(file: BinaryIO, name: str, choices: Choices, limit: int, purpose: str) -> Iterator[Text]:
    """The text of a file. A FormatError while it is read also says where a file of another kind belongs."""
    with kept_text(file, name=name, encoding=choices.encoding or None, limit=limit) as text:
        try:
            yield named_in(text, choices.header_line)
        except CutOffError:
            raise
        except FormatError as error:
            kind = detection.kind_of(text)
            hint = "" if choices.format or kind == purpose else ELSEWHERE.get(kind, "")
            error.add_hint(hint)
            raise


def _open_judgments(text: Text, choices: Choices) -> RecordStream[JudgmentRecord]:
    stream = open_judgment_text(text, format=choices.format or None, columns=choices.columns)
    if stream.format == "json" and not choices.format and detection.kind_of(text) == detection.QUERIES:
        raise FormatError(f"{text.name} holds no judgments.")  # else each of its values would be refused
    return stream


def read_query_file(text: Text, choices: Choices) -> RecordList[QueryRecord]:
    table = read_query_text(text, columns=choices.columns, format=choices.format or None)
    tell_encoding(text, table.report)
    records = [record for record in table.records if _tags_fit(record, table)]
    return RecordList(records, table.report, table.format, table.headers, table.columns)


def file_columns(table: RecordList[Any]) -> set[str]:
    """Which of our columns the file has; `fields` where it has columns beyond ours."""
    extra = set(table.headers) - set(table.columns.values()) - {""}
    return set(table.columns) | ({"fields"} if extra else set())


@transaction.atomic
def compare(
    kind: imports.Kind, query_set: QuerySet, records: Iterable[Any], columns: Iterable[str]
) -> ImportResult:
    """What importing them would do."""
    imports.stage(kind, records)
    return ImportResult(*imports.compare(kind, query_set.pk, set(columns)))


def with_stored_ids(records: Sequence[QueryRecord]) -> list[QueryRecord]:
    """Of records that were compared in this transaction: the first, which are shown, have the IDs of the queries that they change."""
    ids = imports.staged_query_ids(SHOWN_RECORDS)
    first = [replace(one, query_id=id) for one, id in zip(records, ids, strict=False)]
    return [*first, *records[len(first) :]]


def last_import(query_set_id: int) -> str:
    """Stands for the latest import into the query set, by page or by command, on which what a preview says depends."""
    acts = Act.objects.filter(query_set=query_set_id, verb=Verb.IMPORTED)
    return str(acts.order_by("-pk").values_list("pk", flat=True).first() or 0)


def sample(purpose: str, records: Sequence[Any]) -> tuple[list[str], list[list[str]]]:
    """Headings and the first records as rows of short texts."""
    headings, cells = SAMPLES[purpose]
    return list(headings), [list(cells(record)) for record in records[:SHOWN_RECORDS]]


def _query_cells(record: QueryRecord) -> Iterator[str]:
    yield from (record.query_id, record.query, record.information_need, written(record.weight))
    yield ", ".join(record.tags)


def _document_cells(record: DocumentRecord) -> Iterator[str]:
    yield from (record.document_id, record.title, record.body, record.url, ", ".join(record.fields))


SAMPLES: Mapping[str, tuple[tuple[str, ...], Callable[[Any], Iterable[str]]]] = {
    Purpose.QUERIES: (("Query ID", "Query", "Information need", "Weight", "Tags"), _query_cells),
    Purpose.DOCUMENTS: (("Document ID", "Title", "Body", "URL", "Further fields"), _document_cells),
    Purpose.JUDGMENTS: (("Query", "Document", "Grade", "Rater", "Comment"), list),
}


def _tags_fit(record: QueryRecord, table: RecordList[QueryRecord]) -> bool:
    long = [tag for tag in record.tags if len(tag) > LONGEST_TAG]
    for tag in long:
        expected = f"tags of at most {LONGEST_TAG} characters"
        table.report.error(record.line, "tags", tag, expected, kind="tag too long")
    if len(record.tags) > MOST_TAGS:
        found, expected = counted(len(record.tags), "tag"), f"{MOST_TAGS} tags at most"
        table.report.error(record.line, "tags", found, expected, kind="too many tags")
        return False
    return not long
