"""One file of a new evaluation: what it is, how it is read, and what is wrong with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, Final

from evaluation.start.reports.draft_choices import FORMATS, LEFT_OUT, SCHEMAS, FileChoices
from judgments.files.reports.imports import Choices
from judgments.files.reports.uploads import headers_of
from judgments.models import Upload
from touchstone_core.formats import detection
from touchstone_core.formats.archives import members
from touchstone_core.formats.packing import HEAD, PARQUET, is_packed
from touchstone_core.formats.preamble import named_in
from touchstone_core.formats.problems import Cause, FormatError, Report
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.rankings import TWICE
from touchstone_core.formats.runs.runs import ParsedFile
from touchstone_core.formats.tables import RecordList, header_key
from touchstone_core.formats.text import START, Text, decode, kept_text
from touchstone_core.offline.run_files import read_run_file
from touchstone_core.words import counted

SHOWN_EXAMPLES: Final = 3
MOSTLY_NEEDED: Final = frozenset({"grade"})


def column_words(target: str) -> str:
    """The name of a column in a sentence: “document ID” for `document_id`."""
    return " ".join(word.upper() if word in {"id", "url"} else word for word in target.split("_"))


@dataclass(slots=True)
class FileReading:
    """What a file holds. `failure` says why it can't be read at all; `kind` is empty where nobody can tell what it is.

    `doubt` is a question about all of it, or about all of one of its runs. `run_names` are what its runs will be called,
    `runs_without_query` the places of those that name no query of a file of queries, which it `loses_runs` by if no others are made.
    """

    key: str
    name: str
    size: int
    kind: str = ""
    format: str = ""
    facts: str = ""
    failure: str = ""
    missing_column: str = ""
    problems: list[Cause] = field(default_factory=list)
    warnings: list[Cause] = field(default_factory=list)
    doubt: str = ""
    notes: list[str] = field(default_factory=list)
    run_names: list[str] = field(default_factory=list)
    runs_without_query: list[int] = field(default_factory=list)
    loses_runs: bool = False
    headers: list[str] = field(default_factory=list)
    used: dict[str, str] = field(default_factory=dict)
    decision_count: int = 0

    @property
    def is_left_out(self) -> bool:
        return self.kind == LEFT_OUT

    @property
    def is_unclear(self) -> bool:
        """Whether a person has to say what it is, or how it's read."""
        return bool(self.failure) or not self.kind

    @property
    def needs_columns(self) -> str:
        """The first column that the file lacks and that one of its headers may be, for a person to choose; else empty."""
        if not (self.failure and self.headers and FORMATS.get(self.kind)):
            return ""
        return column_words(self.missing_column)

    @property
    def problem_count(self) -> int:
        return sum(group.count for group in self.problems)

    @property
    def can_leave_out_lines(self) -> bool:
        """Whether the rest makes sense without the lines that have problems. A run would have holes that nobody sees."""
        return self.kind != detection.RUN or all(group.kind == TWICE for group in self.problems)

    @property
    def is_stubborn(self) -> bool:
        return bool(self.problems) and not self.can_leave_out_lines

    @property
    def needs_decision(self) -> bool:
        return self.is_unclear or self.is_stubborn

    @property
    def is_fine(self) -> bool:
        """Whether nobody has to look at it before all is made: what is left out of it, they have to see."""
        return not (self.needs_decision or self.problems or self.doubt or self.loses_runs)

    @property
    def label(self) -> str:
        """The name of the format."""
        formats = FORMATS.get(self.kind, {})
        return formats[self.format].label if self.format in formats else ""

    def describe_table(self, table: RecordList[Any], facts: str) -> None:
        self.format, self.headers, self.used, self.facts = table.format, table.headers, table.columns, facts
        self.add_report(table.report)

    def describe_runs(self, file: ParsedFile) -> None:
        queries, rows = sum(len(run.rankings) for run in file.runs), sum(run.rows for run in file.runs)
        runs = counted(len(file.runs), "run") if len(file.runs) > 1 else "a run"
        self.facts = f"{runs}: {counted(queries, 'query', 'queries')}, {counted(rows, 'result')}"

    def tell_runs_without_query(self) -> None:
        """Once, also of a reading that was stored with it."""
        if self.loses_runs:
            return
        names = (self.run_names[place] for place in self.runs_without_query)
        self.notes += [f"{name} isn’t created: all of its queries are left out." for name in names]
        self.loses_runs = bool(self.runs_without_query)

    def add_doubt(self, finding: str, ids: str) -> None:
        self.doubt = f"{self.doubt} {finding} Do the files use the same {ids} IDs?".lstrip()

    def tell_judgments(self, *, judgments: int, pairs: int, decisions: int, of_grades: str) -> None:
        """Says how many there are of each; `of_grades` is the range of grades in words."""
        one = f"1 judgment, grade {of_grades}" if of_grades else "1 judgment"
        words = (
            (one if judgments == 1 else f"{judgments:,} grades {of_grades}".rstrip()) if judgments else "",
            counted(pairs, "pair") + " to judge" if pairs else "",
            counted(decisions, "decision") if decisions else "",
        )
        facts = ", ".join(filter(None, words)) or "none"
        self.facts = facts if judgments == 1 else f"judgments: {facts}"

    def add_report(self, report: Report) -> None:
        self.problems = report.errors.causes(SHOWN_EXAMPLES)
        self.warnings = report.warnings.causes(SHOWN_EXAMPLES)


def reading_of(upload: Upload, file: BinaryIO, choices: FileChoices, *, limit: int) -> FileReading:
    """What the file is, before it is read: the kind that a person chose, or what its content says."""
    reading = FileReading(str(upload.pk), upload.name, upload.size, kind=choices.kind)
    if not reading.kind:
        try:
            reading.kind = detected_kind(
                file,
                name=upload.name,
                encoding=choices.encoding,
                limit=limit,
                header_line=choices.header_line,
            )
        except FormatError as error:
            reading.failure = error.message
        else:
            if not reading.kind:
                own = Choices(encoding=choices.encoding, header_line=choices.header_line)
                reading.headers = headers_of(upload, own, limit)
    return reading


def detected_kind(file: BinaryIO, *, name: str, encoding: str, limit: int, header_line: int = 0) -> str:
    """Raises FormatError for a file that is empty or isn't text, and for an archive with files of several kinds."""
    start = file.read(START)
    file.seek(0)
    if start.startswith(PARQUET):
        return detection.RUN
    try:
        with kept_text(file, name=name, encoding=encoding or None, limit=limit) as text:
            if not text.is_blank:
                return detection.kind_of(named_in(text, header_line))
    except FormatError:
        file.seek(0)
        if (
            not is_packed(start[:HEAD]) and b"\0" not in start
        ):  # in an encoding that the reader asks for later
            return detection.kind_of(Text(name, start.decode(errors="replace"), "utf-8"))
        data = file.read()
        file.seek(0)
        kinds = _kinds_within(data, name=name, encoding=encoding, limit=limit)
        if kinds is None:
            raise
    else:
        raise FormatError(f"{name} is empty.")
    if len(kinds) == 1:
        return kinds.pop()
    raise FormatError(
        f"{name} holds files of several kinds. Unpack it, and drop up to 40 of its files. Runs can stay together in an archive."
    )


def _kinds_within(data: bytes, *, name: str, encoding: str, limit: int) -> set[str] | None:
    """The kinds of the files of an archive; None for a file that is none."""
    files = members(data, name=name, limit=limit)
    if files is None:
        return None
    texts = (decode(content, name=inner, encoding=encoding or None, limit=limit) for inner, content in files)
    kinds = {detection.kind_of(text) for text in texts}
    if kinds == {detection.RUN}:
        return kinds
    return kinds | {detection.UNKNOWN}  # readers of other kinds take one file each


def missing_column(kind: str, headers: Sequence[str], chosen: Mapping[str, str]) -> str:
    """The first column that a table of this kind needs and that none of its headers names; empty where all are there."""
    schema = SCHEMAS.get(kind, ())
    names = {header_key(header) for header in headers}
    needed = [column for column in schema if column.required or column.target in MOSTLY_NEEDED]
    for column in needed if headers else ():
        if not chosen.get(column.target) and names.isdisjoint(map(header_key, column.aliases)):
            return column.target
    return ""


def parse_run(
    file: BinaryIO, *, name: str, choices: FileChoices, first_of_twice: bool, limit: int
) -> tuple[ParsedFile, str]:
    """All runs of a file, and what orders them: `score`, or `rank` where a file has nothing else."""
    options = Options(
        format=choices.format,
        duplicates="first" if first_of_twice else "refuse",
        several="split",
        columns=choices.columns or None,
        header_line=choices.header_line,
    )
    data, encoding = file.read(), choices.encoding or None
    try:
        return read_run_file(data, name=name, limit=limit, options=options, encoding=encoding), "score"
    except FormatError as error:
        try:
            by_rank = replace(options, order="rank")
            return read_run_file(data, name=name, limit=limit, options=by_rank, encoding=encoding), "rank"
        except FormatError:
            raise error from None
