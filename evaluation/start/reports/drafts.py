"""Reads all files of a new evaluation and compares them with each other, before anything is made."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from evaluation.runs.reports.incoming import suggested_name
from evaluation.start.reports.draft_choices import (
    CREATE,
    FORMATS,
    LEAVE,
    LEFT_OUT,
    DraftChoices,
    DraftRaters,
    FileChoices,
    Given,
    import_choices,
)
from evaluation.start.reports.draft_decisions import DraftDecisions
from evaluation.start.reports.draft_readings import DraftReading, Missing, first_examples
from evaluation.start.reports.file_readings import FileReading, missing_column, parse_run, reading_of
from evaluation.start.reports.judged_pairs import JudgedPairs
from evaluation.start.reports.scale_choice import GradeCounts, choose_scale
from judgments.files.reports.import_raters import LONGEST_NAME as LONGEST_RATER
from judgments.files.reports.imports import Choices, open_judgment_file, read_file
from judgments.files.reports.uploads import UploadGoneError, headers_of, open_ahead, open_upload, terms_of
from judgments.files.sql import progress
from judgments.models import Draft, QuerySet, Scale, Upload
from touchstone_core.formats import detection
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord, id_of_text
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.packing import stem
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.runs import ParsedFile, name_by_text
from touchstone_core.formats.tables import RecordList
from touchstone_core.words import counted, tidied_name

ORDER: Final = (detection.QUERIES, detection.DOCUMENTS, detection.JUDGMENTS, detection.RUN)
"""Files are read in this order, whatever the order in which they came: later kinds name what earlier ones hold."""
LOOKED_AT: Final = 10  # results of each query whose judgments are counted
LONGEST_NAME: Final = 120


class DraftReader:
    """Reads the files of a draft one after another, and keeps what later ones are compared with.

    `failures` are of files that aren't even opened, by key.
    """

    def __init__(
        self,
        uploads: Sequence[Upload],
        choices: DraftChoices,
        failures: Mapping[str, str] | None = None,
        progress_key: UUID | None = None,
    ) -> None:
        self.choices, self.progress_key = choices, progress_key
        self.failures = failures or {}
        self.uploads = {str(upload.pk): upload for upload in uploads}
        self.file_choices = {key: FileChoices.from_json(one.options) for key, one in self.uploads.items()}
        self.queries: dict[str, str] = {}
        self.ids_by_text: dict[str, set[str]] = {}
        self.documents: dict[str, str] = {}
        self.judged_pairs = JudgedPairs()
        self.to_judge: dict[str, set[str]] = {}
        self.decisions = DraftDecisions()
        self.missing = Missing()
        self.missing_by_text: dict[str, str] = {}
        self.grades = GradeCounts()
        self.raters = DraftRaters(uploads[0].user.username if uploads else "", choices.raters)
        self.run_names: dict[str, list[str]] = {}
        self.judgment_count = 0
        self.has_query_file = False

    def read(self) -> DraftReading:
        """Never raises for what is wrong with a file."""
        readings = [self._recognized(upload) for upload in self.uploads.values()]
        self._leave_out_repeats(readings)
        self.has_query_file = any(one.kind == detection.QUERIES for one in readings)
        steps: dict[str, Callable[[Upload, FileReading], None]] = {
            detection.QUERIES: self._read_queries,
            detection.DOCUMENTS: self._read_documents,
            detection.JUDGMENTS: self._read_judgments,
            detection.RUN: self._read_run,
        }
        ordered = [one for kind in ORDER for one in readings if one.kind == kind and not one.failure]
        for place, reading in enumerate(ordered):
            progress.tell(self.progress_key, progress.FILES, place, len(ordered))
            self._read(steps[reading.kind], reading)
        return self._together(readings)

    def id_of(self, name: str, *texts: str) -> str | None:
        """The ID of a query of the files, by the name that another file has for it, or else by its text; None for none."""
        if name in self.queries:
            return name
        for words in texts:
            if words and len(ids := self.ids_by_text.get(words.strip(), set())) == 1:
                return next(iter(ids))
        return None

    def query_of_judgment(self, record: JudgmentRecord) -> str | None:
        """As the import has it: an ID, or else the text of exactly one query."""
        return self.id_of(record.query, record.query, record.query_text)

    def _recognized(self, upload: Upload) -> FileReading:
        key = str(upload.pk)
        try:
            if key in self.failures:
                raise FormatError(self.failures[key])
            with open_upload(upload) as file:
                return reading_of(upload, file, self.file_choices[key], limit=settings.UNPACKED_LIMIT)
        except (FormatError, UploadGoneError) as error:
            kind = self.file_choices[key].kind
            failure = "" if kind == LEFT_OUT else str(error)
            return FileReading(key, upload.name, upload.size, kind=kind, failure=failure)

    def _leave_out_repeats(self, readings: Iterable[FileReading]) -> None:
        first: dict[str, str] = {}
        for reading in readings:
            digest = self.uploads[reading.key].sha256
            if digest in first and not self.file_choices[reading.key].kind:
                reading.kind, reading.failure = LEFT_OUT, ""
                reading.notes.append(f"The same file as {first[digest]}. It’s left out.")
            first.setdefault(digest, reading.name)

    def _read(self, step: Callable[[Upload, FileReading], None], reading: FileReading) -> None:
        upload = self.uploads[reading.key]
        choices = self.file_choices[reading.key] = self.file_choices[reading.key].of_kind(reading.kind)
        try:
            step(upload, reading)
        except FormatError as error:
            reading.failure = error.message
            own = Choices(encoding=choices.encoding, format=choices.format, header_line=choices.header_line)
            reading.headers = headers_of(upload, own, settings.UNPACKED_LIMIT)
            reading.missing_column = missing_column(reading.kind, reading.headers, choices.columns)

    def records_of(self, upload: Upload) -> RecordList[Any]:
        """The queries or documents of a file, without those that an earlier file has."""
        choices = self.file_choices[str(upload.pk)]
        with open_upload(upload) as file:
            return read_file(
                file,
                name=upload.name,
                purpose=choices.kind,
                choices=import_choices(choices, self.choices),
                limit=settings.UNPACKED_LIMIT,
            )

    def _read_queries(self, upload: Upload, reading: FileReading) -> None:
        table: RecordList[QueryRecord] = self.records_of(upload)
        reading.describe_table(table, counted(len(table.records), "query", "queries"))
        different = []
        for record in table.records:
            text = self.queries.setdefault(record.query_id, record.query)
            if text != record.query:
                different.append(f"{record.query_id}: “{text}” and “{record.query}”")
            self.ids_by_text.setdefault(text.strip(), set()).add(record.query_id)
        if different:
            reading.notes.append(
                f"Other texts than an earlier file for {counted(len(different), 'query', 'queries')} "
                f"({first_examples(different)}). The earlier texts are kept."
            )

    def _read_documents(self, upload: Upload, reading: FileReading) -> None:
        table: RecordList[DocumentRecord] = self.records_of(upload)
        reading.describe_table(table, counted(len(table.records), "document"))
        repeated = [
            record.document_id
            for record in table.records
            if self.documents.setdefault(record.document_id, reading.key) != reading.key
        ]
        if repeated:
            count = counted(len(repeated), "document")
            reading.notes.append(f"{count} came in an earlier file too. The earlier texts are kept.")

    def judgment_choices(self, upload: Upload) -> Choices:
        """Names the file itself as rater where two files have names alike: else they were one rater, who changed her mind."""
        choices = import_choices(self.file_choices[str(upload.pk)], self.choices)
        stems = [stem(one.name).casefold() for one in self.uploads.values()]
        alike = stems.count(stem(upload.name).casefold()) > 1
        return replace(choices, rater=upload.name[:LONGEST_RATER]) if alike else choices

    def _read_judgments(self, upload: Upload, reading: FileReading) -> None:
        choices = self.judgment_choices(upload)
        rater_name = terms_of(upload.name, choices).rater_name
        counts = {"judgments": 0, "pairs": 0, "decisions": 0}
        own, given = GradeCounts(), Given()
        with (
            open_upload(upload) as file,
            open_judgment_file(
                file, name=upload.name, choices=choices, limit=settings.UNPACKED_LIMIT
            ) as opened,
        ):
            for document in opened.documents:
                self.documents.setdefault(document.document_id, reading.key)
            for record in opened.records:
                if record.cause:
                    counts["decisions"] += 1
                    own.add(record)
                    self.decisions.add(reading.key, self.query_of_judgment(record) or record.query, record)
                    continue
                query_id = self._query_even_if_missing(record)
                if record.query_alone:
                    continue
                if record.unjudged:
                    counts["pairs"] += 1
                    self.to_judge.setdefault(query_id, set()).add(record.document)
                elif self.raters.is_new(query_id, record.rater or rater_name, record, given, opened.report):
                    counts["judgments"] += 1
                    self.missing.judgments += query_id in self.missing.judged
                    own.add(record)
                    self.judged_pairs.add(query_id, record, reading.key)
        reading.format, reading.used = opened.format, dict(opened.columns)
        reading.headers = opened.headers if FORMATS[reading.kind][reading.format].columns else []
        reading.add_report(opened.report)
        reading.tell_judgments(**counts, of_grades=own.range_in_words)
        reading.notes += self.judged_pairs.notes(reading.key)
        self.grades.add_all(own)
        self.judgment_count += counts["judgments"]

    def _query_even_if_missing(self, record: JudgmentRecord) -> str:
        """One that the files lack is remembered, so that it can be made."""
        if (query_id := self.query_of_judgment(record)) is not None:
            return query_id
        query_id = id_of_text(record.query) if record.by_text else record.query
        text = self.missing.judged.setdefault(query_id, record.query_text or record.query)
        self.missing_by_text.setdefault(text.strip(), query_id)
        return query_id

    def parsed_run(self, upload: Upload) -> tuple[ParsedFile, str]:
        with open_upload(upload) as file:
            parsed, order = parse_run(
                file,
                name=upload.name,
                choices=self.file_choices[str(upload.pk)],
                first_of_twice=self.choices.good_lines,
                limit=settings.UNPACKED_LIMIT,
            )
        return name_by_text(parsed, self.queries, self.ids_by_text), order

    def _read_run(self, upload: Upload, reading: FileReading) -> None:
        parsed, order = self.parsed_run(upload)
        reading.format = parsed.format
        reading.add_report(parsed.report)
        reading.describe_runs(parsed)
        chosen = self.file_choices[reading.key]
        self.run_names[reading.key] = reading.run_names = [
            chosen.run_name(at) or suggested_name(run, upload.name) for at, run in enumerate(parsed.runs)
        ]
        if order == "rank":
            reading.notes.append("It has no scores, so its ranks order the results.")
        for place, run in enumerate(parsed.runs):
            ids = {one.query: self._query_of_ranking(one.query, by_text=run.by_text) for one in run.rankings}
            looked_at = [(ids[one.query], name) for one in run.rankings for name in one.documents[:LOOKED_AT]]
            if self.queries.keys().isdisjoint(ids.values()):
                reading.runs_without_query.append(place)
            of_run = f"{run.name}: " if run.name and len(parsed.runs) > 1 else ""
            self._compare_with_judgments(reading, set(ids.values()), looked_at, of_run)

    def _query_of_ranking(self, name: str, *, by_text: bool) -> str:
        if (query_id := self.id_of(name, name if by_text else "")) is not None:
            return query_id
        query_id = self.missing_by_text.get(name, id_of_text(name)) if by_text else name
        if query_id not in self.missing.judged:
            self.missing.only_retrieved.setdefault(query_id, name)
        return query_id

    def _compare_with_judgments(
        self, reading: FileReading, answered: set[str], results: Sequence[tuple[str, str]], of_run: str
    ) -> None:
        documents = self.judged_pairs.by_query
        if not documents:
            return
        on_judged_queries = [(query, document) for query, document in results if query in documents]
        known = sum(document in documents[query] for query, document in on_judged_queries)
        if not on_judged_queries:
            reading.add_doubt(f"{of_run}None of its queries is judged.", "query")
        elif not known:
            reading.add_doubt(f"{of_run}None of its first results is judged.", "document")
        elif known < len(on_judged_queries):
            reading.notes.append(
                f"{of_run}{100 * known / len(on_judged_queries):.0f} % of its first {LOOKED_AT} results are judged."
            )
        if unanswered := len(documents.keys() - answered):
            verb = "it counts" if unanswered == 1 else "they count"
            reading.notes.append(
                f"{of_run}{counted(unanswered, 'judged query', 'judged queries')} without results: {verb} as 0."
            )

    def _together(self, readings: list[FileReading]) -> DraftReading:
        missing = self.missing
        default = CREATE if missing.judged or not self.has_query_file else LEAVE
        missing.create = (self.choices.missing or default) == CREATE
        self._name_runs_apart()
        scales = list(Scale.objects.filter(query_set=None).with_grades())
        scale = choose_scale(self.grades, self.choices, scales)
        left_out = 0 if missing.create else missing.judgments
        left_out += scale.off_scale_count if self.choices.good_lines else 0
        pairs = self._pairs
        self.decisions.tell(readings, pairs)
        return DraftReading(
            files=readings,
            choices=self.choices,
            scale=scale,
            queries=self.queries,
            missing=missing,
            run_names=self.run_names,
            raters=self.raters.alike(),
            judgment_count=self.judgment_count - left_out,
            document_count=len(set(self.documents).union(*pairs.values())),
        )

    @property
    def _pairs(self) -> dict[str, set[str]]:
        """Documents that are judged or to be judged, by the queries that are made."""
        named = self.judged_pairs.by_query.keys() | self.to_judge.keys()
        made = named if self.missing.create else named & self.queries.keys()
        return {one: {*self.judged_pairs.by_query.get(one, ()), *self.to_judge.get(one, ())} for one in made}

    def _name_runs_apart(self) -> None:
        """Runs whose files give them the same name are called by their files, or numbered."""
        names = [name.casefold() for own in self.run_names.values() for name in own]
        taken: set[str] = set()
        for key, own in self.run_names.items():
            by_file = (tidied_name(stem(self.uploads[key].name)) or "run")[:LONGEST_NAME]
            for place, name in enumerate(own):
                is_chosen = self.file_choices[key].run_name(place)
                repeated = names.count(name.casefold()) > 1
                base = by_file if repeated and len(own) == 1 and not is_chosen else name
                own[place] = _free(base, taken)
                taken.add(own[place].casefold())


def free_name(wanted: str) -> str:
    """The name, with a number behind it if a query set has it."""
    names = QuerySet.objects.filter(name__istartswith=wanted).values_list("name", flat=True)
    return _free(wanted, {name.casefold() for name in names})


def uploads_of(draft: Draft) -> list[Upload]:
    """In the order in which they came, with their files open."""
    uploads = list(draft.uploads.select_related("user").order_by("created_at", "pk"))
    open_ahead(uploads)
    return uploads


def mark_of_files(uploads: Iterable[Upload]) -> str:
    """Stands for these files in a form, which is refused when others have come or some have gone."""
    keys = "".join(sorted(str(upload.pk) for upload in uploads))
    return sha256(keys.encode()).hexdigest()[:16]


@transaction.atomic
def read_draft(
    *,
    draft: Draft,
    choices: DraftChoices,
    failures: Mapping[str, str] | None = None,
    progress_key: UUID | None = None,
) -> DraftReading:
    """Reads all files of a draft, but those with `failures` already."""
    return DraftReader(uploads_of(draft), choices, failures, progress_key).read()


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number behind it if it's taken."""
    number, free = 1, name
    while free.casefold() in taken:
        number += 1
        free = f"{name[: LONGEST_NAME - 5]} {number}"
    return free
