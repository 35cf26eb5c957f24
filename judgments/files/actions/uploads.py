"""Files between their upload and the decision to import them."""

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path, PurePath
from typing import Any, Final, TypeVar

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.db import transaction
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.files.actions import imports
from judgments.files.limited_process import call_with_limits
from judgments.files.reports import uploads as reports
from judgments.files.reports.imports import Choices, ImportResult, open_judgment_file
from judgments.files.sql import blocks, progress
from judgments.models import Draft, JudgmentList, Purpose, QuerySet, Upload, User
from judgments.models.access import check_may_change
from judgments.models.upload import UploadQuerySet
from touchstone_core.words import counted

Value = TypeVar("Value")

KEPT_DAYS = 7
PRUNED_AT_ONCE: Final = 100
LONGEST_NAME = 255
NOT_ALLOWED: Final = "Nothing was imported, because you’re no longer an admin of the query set or it was archived before the import ended."


class AppliedAlreadyError(JudgmentsError):
    """An upload is imported once, however often it is confirmed."""

    def __init__(self, upload: Upload) -> None:
        super().__init__(f"{upload.name} was already imported. Nothing was imported again.")


class UploadQuotaError(JudgmentsError):
    """One person's files that wait for a decision are too many or too large."""

    def __init__(self) -> None:
        files, size = counted(settings.UNDECIDED_UPLOADS, "file"), filesizeformat(settings.UNDECIDED_BYTES)
        super().__init__(
            f"Nothing was stored, because at most {files} of yours may wait for a decision, {size} together. "
            "Import or discard some on your account page, then upload again."
        )


@transaction.atomic
def keep_upload(
    *,
    query_set: QuerySet | None = None,
    draft: Draft | None = None,
    user: User,
    purpose: str,
    file: File[bytes],
    sha256: str | None = None,
    judgment_list: JudgmentList | None = None,
) -> Upload:
    """Stores a file under a name of its own. What lay undecided for a week is thrown away on this occasion.

    Raises UploadQuotaError. The account is locked, so that several uploads at once keep to the quota, too.
    """
    _discard_expired(timezone.now() - timedelta(days=KEPT_DAYS))
    _check_quota(User.objects.select_for_update(no_key=True).get(pk=user.pk), file.size)
    key = uuid.uuid4()
    file.seek(0)
    upload = Upload(
        id=key,
        query_set=query_set,
        draft=draft,
        judgment_list=judgment_list,
        user=user,
        purpose=purpose,
        name=PurePath(file.name or "file").name[-LONGEST_NAME:],
        size=file.size,
        sha256=sha256 or hashlib.file_digest(file, "sha256").hexdigest(),
    )
    file.seek(0)
    upload.file.save(f"{key}.upload", file, save=False)
    upload.save(force_insert=True)
    return upload


def take_over_files(folder: Path) -> int:
    """Moves files that an earlier version kept in a folder of its host to where all hosts find them; how many."""
    count = 0
    for upload in Upload.objects.filter(applied_at=None):
        name, storage = str(upload.file.name), upload.file.storage
        if (folder / name).is_file() and not storage.exists(name):
            with (folder / name).open("rb") as file:
                storage.save(name, File(file))
            (folder / name).unlink()
            count += 1
    return count


@transaction.atomic
def discard_undecided(*, user: User) -> int:
    """Throws away what this account has uploaded and not decided on; how many files."""
    return _discard(Upload.objects.filter(user=user, applied_at=None))


@transaction.atomic
def discard_from_draft(*, draft: Draft, key: str = "") -> int:
    """Throws away the file of a draft with this key, or all of them; how many."""
    uploads = Upload.objects.filter(draft=draft, applied_at=None)
    return _discard(uploads.filter(pk=key) if key else uploads)


@transaction.atomic
def keep_choices(*, upload: Upload, choices: Choices) -> None:
    """What went wrong with earlier choices is forgotten."""
    upload.options, upload.failure = choices.to_json(), ""
    upload.save(update_fields=["options", "failure"])


@transaction.atomic
def keep_content(*, upload: Upload, content: bytes) -> None:
    """Gives a file that was kept empty what it was kept for."""
    storage, before = upload.file.storage, str(upload.file.name)
    upload.file.save(f"{upload.pk}.upload", ContentFile(content), save=False)
    upload.size, upload.sha256 = len(content), hashlib.sha256(content).hexdigest()
    upload.options.pop(reports.FETCH_PROGRESS, None)
    upload.save(update_fields=["file", "size", "sha256", "options"])
    transaction.on_commit(partial(storage.delete, before))


@transaction.atomic
def apply_upload(
    *,
    upload: Upload,
    choices: Choices,
    at: datetime,
    latest_import: str = "",
    requested_at: datetime | None = None,
    rows: int = 0,
) -> ImportResult:
    """Imports the file, once. Of two confirmations at once the second waits, and finds it done.

    `latest_import` is the one before the preview (see `last_import`), which counted so many `rows`.
    `requested_at` is when a worker was asked for it: if that has changed by the end, somebody has cancelled the import.
    Raises AppliedAlreadyError, ImportedMeanwhileError, FormatError, UploadGoneError, ImportRefusedError with the report by line,
    NotAllowedError when a worker imports for somebody who may no longer do so, and Upload.DoesNotExist for an import that was
    cancelled or whose upload was deleted.
    """
    progress.tell(upload.pk, progress.READING, rows)
    locks.lock_upload(upload.pk)
    same = Upload.objects.filter(pk=upload.pk, requested_at=requested_at)
    upload = same.select_related("query_set", "judgment_list").get()
    if upload.applied_at:
        raise AppliedAlreadyError(upload)
    result = _import(upload, choices, at, latest_import)
    result.check_something(upload.name, upload.purpose)
    if requested_at:
        check_right(upload)
    if not same.update(
        applied_at=at, requested_at=None, failure="", options=choices.to_json(), result=asdict(result)
    ):
        raise Upload.DoesNotExist
    storage, name = upload.file.storage, str(upload.file.name)
    transaction.on_commit(lambda: storage.delete(name))
    return result


def check_right(upload: Upload) -> None:
    """Raises NotAllowedError unless who uploaded the file may import it now."""
    user = User.objects.get(pk=upload.user_id)
    check_may_change(user, Upload.objects.filter(pk=upload.pk).importable_by, NOT_ALLOWED)


def with_upload(function: Callable[..., Value], upload: Upload, **arguments: Any) -> Value:
    """Calls it with the `upload`, in a process with limits unless the file is small.

    Raises UploadGoneError and TooCostlyError beside what it raises itself.
    """
    with reports.open_upload(upload) as file:
        return call_with_limits(
            function,
            file,
            file_name=upload.name,
            file_size=upload.size,
            most_memory=settings.READING_MEMORY,
            arguments=arguments | {"upload": upload},
        )


def _import(upload: Upload, choices: Choices, at: datetime, latest_import: str) -> ImportResult:
    if upload.purpose == Purpose.JUDGMENTS:
        return _import_judgments(upload, choices, at, latest_import)
    reading = reports.read_upload(upload, choices, limit=settings.UNPACKED_LIMIT)
    if not reading.report.ok and not choices.good_lines:
        raise imports.ImportRefusedError(reading.report)
    import_records: Callable[..., ImportResult] = (
        imports.import_queries if upload.purpose == Purpose.QUERIES else imports.import_documents
    )
    return import_records(
        query_set=reports.query_set_of(upload),
        records=reading.records,
        columns=reading.columns,
        source=_source(upload),
        latest_import=latest_import,
        report=reading.report,
    )


def _import_judgments(upload: Upload, choices: Choices, at: datetime, latest_import: str) -> ImportResult:
    limit = settings.UNPACKED_LIMIT
    with (
        reports.open_upload(upload) as file,
        open_judgment_file(file, name=upload.name, choices=choices, limit=limit) as judgments,
    ):
        return imports.import_judgments(
            judgment_list=reports.list_of(upload),
            file=judgments,
            at=at,
            terms=reports.terms_of(upload.name, choices, upload.created_at),
            source=_source(upload),
            progress_key=upload.pk,
            latest_import=latest_import,
        )


def _source(upload: Upload) -> imports.Source:
    return imports.Source(upload.name, upload.sha256)


def _check_quota(user: User, size: int) -> None:
    waiting = reports.undecided_uploads(user)
    count, bytes_kept = len(waiting), sum(upload.size for upload in waiting)
    if count >= settings.UNDECIDED_UPLOADS or bytes_kept + size > settings.UNDECIDED_BYTES:
        raise UploadQuotaError


def _discard_expired(before: datetime) -> None:
    """Of everybody: who never comes back leaves no files behind."""
    _discard(Upload.objects.filter(applied_at=None, created_at__lt=before))
    Draft.objects.filter(query_set=None, uploads=None, created_at__lt=before).delete()
    for name in blocks.left_behind(before):
        blocks.delete_file(name)


def _discard(uploads: UploadQuerySet) -> int:
    """Leaves out what a worker is to import. The files go once it is certain that the rows are gone."""
    batch = list(uploads.filter(requested_at=None).select_for_update(skip_locked=True)[:PRUNED_AT_ONCE])
    Upload.objects.filter(pk__in=[upload.pk for upload in batch]).delete()
    for upload in batch:
        transaction.on_commit(partial(upload.file.storage.delete, str(upload.file.name)))
    return len(batch)
