"""Makes a new evaluation of its files: query set, queries, documents, list, judgments and runs, or nothing."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from django.conf import settings
from django.db import transaction

from evaluation.models import Run
from evaluation.runs.actions.runs import store_runs
from evaluation.runs.reports.incoming import NamedRun
from evaluation.start.reports.draft_choices import DraftChoices
from evaluation.start.reports.draft_readings import DraftReading
from evaluation.start.reports.drafts import DraftReader, mark_of_files, uploads_of
from judgments.base.digits import written
from judgments.base.errors import JudgmentsError, NotAllowedError
from judgments.base.sql import locks
from judgments.content.actions.query_sets import create_query_set
from judgments.content.reports.query_sets import may_create_query_set
from judgments.files.actions.imports import Source, import_documents, import_judgments, import_queries
from judgments.files.reports.imports import open_judgment_file
from judgments.files.reports.uploads import open_upload, terms_of
from judgments.files.sql import progress
from judgments.lists.actions.lists import create_list
from judgments.lists.actions.scales import GradeSpec, create_scale
from judgments.models import Draft, JudgmentList, Level, QuerySet, Scale, Upload, User
from touchstone_core.formats import detection
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord
from touchstone_core.formats.runs.runs import check_file

LIST_NAME = "Judgments"
NOT_ALLOWED = "You may no longer create query sets. Ask an admin for a role that allows it."


class FilesChangedError(JudgmentsError):
    """Files came or went since the preview that was confirmed, as in another tab."""

    sentence = (
        "The files changed after you opened this preview, perhaps in another tab. "
        "Below you see what would be created now. If that’s what you want, press the button again."
    )


class NotReadyError(JudgmentsError):
    """Something about the files has to be decided first; the text says what."""


class DraftGoneError(JudgmentsError):
    """The draft was discarded meanwhile, or somebody cancelled what was asked for."""

    sentence = "The files were discarded, perhaps in another tab. Nothing was created. Add them again."


@transaction.atomic
def make_evaluation(
    *,
    draft: Draft,
    name: str,
    choices: DraftChoices,
    seen: str,
    user: User,
    at: datetime,
    requested_at: datetime | None = None,
) -> Draft:
    """The draft with what was made of it. All is one transaction, so that a killed process leaves nothing behind.

    A draft of which something was made already is returned as it is: of two clicks the second waits, and finds it done.
    `seen` is `mark_of_files` of the preview, and `requested_at` is when a worker was asked for it: if that has changed by the
    end, somebody has cancelled it. Raises FilesChangedError, NotReadyError, DraftGoneError, NameTakenError, NotAllowedError when
    a worker makes it for somebody who may no longer create query sets, and what the imports raise.
    """
    progress.tell(draft.pk, progress.READING, 0)
    locks.lock_upload(draft.pk)
    found = Draft.objects.filter(pk=draft.pk).first()
    if found is None:
        raise DraftGoneError
    draft = found
    if draft.query_set_id:
        return draft
    uploads = uploads_of(draft)
    if seen != mark_of_files(uploads):
        raise FilesChangedError
    reader = DraftReader(uploads, choices)
    reading = reader.read()
    if reading.obstacle:
        raise NotReadyError(reading.obstacle)
    names = ", ".join(one.name for one in reading.files if not one.is_left_out)
    query_set = create_query_set(name=name, description=f"From {names}."[:2000], show_images=False, user=user)
    by_kind: dict[str, list[Upload]] = {one.kind: [] for one in reading.files}
    for one in reading.files:
        by_kind[one.kind].append(reader.uploads[one.key])
    _import_content(query_set, reader, reading, by_kind)
    judgment_list = None
    if by_kind.get(detection.JUDGMENTS) or by_kind.get(detection.RUN):
        judgment_list = _make_list(query_set, reader, reading, user)
        decided = {one.key for one in reading.files if one.format == "decisions"}
        uploads_of_judgments = by_kind.get(detection.JUDGMENTS, [])
        # Decisions need pairs that other files bring.
        for upload in sorted(uploads_of_judgments, key=lambda one: str(one.pk) in decided):
            _import_judgments(judgment_list, reader, reading, upload, at, draft)
    runs: list[Run] = []
    began = time.monotonic()
    for upload in by_kind.get(detection.RUN, []):
        seconds = int(time.monotonic() - began)
        progress.tell(draft.pk, progress.STORING, len(runs), reading.run_count, seconds)
        runs += _store_runs(query_set, reader, reading, upload, user)
    if requested_at:
        check_right(draft, name)
    _finish(draft, uploads, reading, query_set, judgment_list, runs, at, requested_at)
    return draft


def check_right(draft: Draft, name: str) -> None:
    """Raises NotAllowedError unless who began the draft may create query sets now, whatever they are in the one of this name."""
    if not may_create_query_set(User.objects.get(pk=draft.user_id), but=name):
        raise NotAllowedError(NOT_ALLOWED)


def _import_content(
    query_set: QuerySet, reader: DraftReader, reading: DraftReading, by_kind: dict[str, list[Upload]]
) -> None:
    missing = reading.missing.texts if reading.missing.create else {}
    names = {kind: Source(", ".join(one.name for one in uploads)) for kind, uploads in by_kind.items()}
    queries: dict[str, QueryRecord] = {}
    for upload in by_kind.get(detection.QUERIES, []):
        for record in reader.records_of(upload).records:
            queries.setdefault(record.query_id, record)
    for query_id, text in missing.items():
        queries.setdefault(query_id, QueryRecord(0, query_id, text))
    import_queries(query_set=query_set, records=queries.values(), source=names.get(detection.QUERIES))
    if by_kind.get(detection.DOCUMENTS):
        # All files are read before anything is copied: a connection that copies can't read a stored file.
        records = list(_documents(reader, by_kind[detection.DOCUMENTS]))
        import_documents(query_set=query_set, records=records, source=names[detection.DOCUMENTS])


def _documents(reader: DraftReader, uploads: list[Upload]) -> Iterator[DocumentRecord]:
    seen: set[str] = set()
    for upload in uploads:
        for record in reader.records_of(upload).records:
            if record.document_id not in seen:
                seen.add(record.document_id)
                yield record


def _make_list(query_set: QuerySet, reader: DraftReader, reading: DraftReading, user: User) -> JudgmentList:
    choice = reading.scale
    if choice.levels:
        scale = _own_scale(query_set, choice.levels)
    else:
        scale = Scale.objects.get(pk=choice.key, query_set=None)
    return create_list(
        query_set=query_set,
        user=user,
        name=LIST_NAME,
        description="",
        scale=scale,
        overlap=reader.judged_pairs.overlap,
    )


def _own_scale(query_set: QuerySet, levels: list[float]) -> Scale:
    """A scale of the grades of the files. Those in its upper half count as relevant."""
    middle = (levels[0] + levels[-1]) / 2
    return create_scale(
        query_set=query_set,
        name=f"Grades {', '.join(map(written, levels))}"[:80],
        description="Made of the grades of the files that this query set began with.",
        level=Level.ORDINAL,
        threshold=next(level for level in levels if level > middle),
        grades=[
            GradeSpec(value=level, label=written(level), key=key)
            for level, key in zip(levels, "0123456789", strict=False)
        ],
    )


def _import_judgments(
    judgment_list: JudgmentList,
    reader: DraftReader,
    reading: DraftReading,
    upload: Upload,
    at: datetime,
    draft: Draft,
) -> None:
    choices = replace(reader.judgment_choices(upload), raters=reading.rater_decisions)
    limit = settings.UNPACKED_LIMIT
    with (
        open_upload(upload) as file,
        open_judgment_file(file, name=upload.name, choices=choices, limit=limit) as opened,
    ):
        records = opened.records
        if not reading.missing.create:
            records = (one for one in opened.records if reader.query_of_judgment(one) is not None)
        import_judgments(
            judgment_list=judgment_list,
            file=replace(opened, records=records),
            at=at,
            terms=terms_of(upload.name, choices),
            source=Source(upload.name, upload.sha256),
            progress_key=draft.pk,
        )


def _store_runs(
    query_set: QuerySet, reader: DraftReader, reading: DraftReading, upload: Upload, user: User
) -> list[Run]:
    parsed, order = reader.parsed_run(upload)
    texts = reading.queries | (reading.missing.texts if reading.missing.create else {})
    ids_by_text: dict[str, set[str]] = {}
    for query_id, text in texts.items():
        ids_by_text.setdefault(text.strip(), set()).add(query_id)
    file = check_file(parsed, texts.keys(), texts=ids_by_text, unknown="skip")
    names = reading.run_names[str(upload.pk)]
    return store_runs(
        query_set=query_set,
        runs=[NamedRun(name, run) for name, run in zip(names, file.runs, strict=True) if run.rankings],
        order=order,
        file_name=upload.name,
        sha256=upload.sha256,
        user=user,
    )


def _finish(
    draft: Draft,
    uploads: list[Upload],
    reading: DraftReading,
    query_set: QuerySet,
    judgment_list: JudgmentList | None,
    runs: list[Run],
    at: datetime,
    requested_at: datetime | None,
) -> None:
    """Remembers what was made, and throws the files away once that is certain."""
    draft.query_set, draft.name, draft.requested_at, draft.failure = query_set, query_set.name, None, ""
    draft.result = {"list": judgment_list and judgment_list.pk, "runs": [run.pk for run in runs]}
    draft.result["judged"] = reading.judgment_count > 0
    still_wanted = Draft.objects.filter(pk=draft.pk, requested_at=requested_at)
    fields = ("query_set", "name", "result", "requested_at", "failure")
    if not still_wanted.update(**{field: getattr(draft, field) for field in fields}):
        raise DraftGoneError
    # After the draft: whoever cancels changes them in this order, too.
    kinds = {one.key: one.kind for one in reading.files if not one.is_left_out}
    for upload in uploads:
        upload.query_set, upload.applied_at, upload.requested_at = query_set, at, None
        upload.purpose = kinds.get(str(upload.pk), upload.purpose)
        upload.judgment_list = judgment_list if upload.purpose == detection.JUDGMENTS else None
    Upload.objects.bulk_update(
        uploads, ["query_set", "applied_at", "requested_at", "purpose", "judgment_list"]
    )

    def discard_files() -> None:
        for upload in uploads:
            upload.file.storage.delete(str(upload.file.name))

    transaction.on_commit(discard_files)
