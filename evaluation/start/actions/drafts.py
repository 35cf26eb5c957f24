"""New evaluations while their files wait: begun, added to, read, discarded."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import UUID

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.db import transaction

from evaluation.start.reports.draft_choices import LEFT_OUT, DraftChoices, FileChoices
from evaluation.start.reports.draft_readings import DraftReading
from evaluation.start.reports.drafts import read_draft, uploads_of
from evaluation.start.reports.file_readings import detected_kind
from judgments.files import limited_process
from judgments.files.actions.uploads import UploadQuotaError, discard_from_draft, keep_upload
from judgments.files.limited_process import SourceFile, TooCostlyError, call_in_limited_process
from judgments.files.reports.uploads import UploadGoneError, open_upload
from judgments.models import Draft, Purpose, Upload, User
from touchstone_core.formats import detection
from touchstone_core.formats.archives import members
from touchstone_core.formats.packing import HEAD, is_packed, most_unpacked
from touchstone_core.formats.problems import FormatError
from touchstone_core.words import counted

Value = TypeVar("Value")

EXAMPLE: Final = ("queries.csv", "products.csv", "judgments.csv", "runs/*.trec")
"""The files of the example shop, in the order in which its page shows them."""
MOST_FILES: Final = 40
"""Of a draft. The form of its preview has a dozen fields for each."""


@transaction.atomic
def begin_draft(*, user: User, name: str, files: Sequence[File[bytes]]) -> Draft:
    """Keeps the files of a new evaluation. Raises UploadQuotaError, and keeps none then."""
    draft = Draft.objects.create(user=user, name=name)
    add_files(draft=draft, files=files)
    return draft


def begin_example(*, user: User, name: str, folder: Path) -> Draft:
    """As `begin_draft`, with the files of the example in `folder`."""
    paths = [path for pattern in EXAMPLE for path in sorted(folder.glob(pattern))]
    return begin_draft(
        user=user, name=name, files=[ContentFile(path.read_bytes(), name=path.name) for path in paths]
    )


@transaction.atomic
def add_files(*, draft: Draft, files: Sequence[File[bytes]]) -> list[Upload]:
    """All or none. Raises UploadQuotaError."""
    return [
        keep_upload(draft=draft, user=draft.user, purpose=Purpose.EVALUATION, file=file) for file in files
    ]


def unpack_archives(*, draft: Draft, uploads: Sequence[Upload]) -> None:
    """Each of these archives that holds more than runs becomes its files. One that can't be unpacked stays, and the preview says why."""
    for upload in uploads:
        if is_packed(_head(upload)):
            with suppress(FormatError, UploadQuotaError):
                with_draft(unpack_archive, draft, only=upload, key=str(upload.pk))


@transaction.atomic
def unpack_archive(*, draft: Draft, key: str) -> None:
    """Puts the files of an archive in its place. What nobody can tell the kind of is left out unless a person says otherwise.

    A single packed file and an archive of runs stay as they are: they're read as one file. So does one with too many files.
    Raises FormatError and UploadQuotaError.
    """
    upload = Upload.objects.get(pk=key, draft=draft)
    with open_upload(upload) as file:
        files = members(file.read(), name=upload.name, limit=settings.UNPACKED_LIMIT) or []
    kinds = [_kind_within(name, content) for name, content in files]
    only_runs = set(kinds) <= {detection.RUN} or set(kinds) <= {detection.UNKNOWN}
    if only_runs or draft.uploads.count() - 1 + len(files) > MOST_FILES:
        return
    discard_from_draft(draft=draft, key=key)
    for (name, content), kind in zip(files, kinds, strict=True):
        [kept] = add_files(draft=draft, files=[ContentFile(content, name=name)])
        if not kind:
            kept.options = FileChoices(kind=LEFT_OUT).to_json()
            kept.save(update_fields=["options"])


def _kind_within(name: str, content: bytes) -> str:
    try:
        return detected_kind(BytesIO(content), name=name, encoding="", limit=settings.UNPACKED_LIMIT)
    except FormatError:
        return detection.UNKNOWN


@transaction.atomic
def keep_draft_choices(
    *, draft: Draft, name: str, choices: DraftChoices, file_choices: dict[str, FileChoices]
) -> None:
    """Keeps what was chosen for the draft and, by their keys, for its files. What went wrong with earlier choices is forgotten."""
    draft.name, draft.options, draft.failure = name or draft.name, choices.to_json(), ""
    draft.save(update_fields=["name", "options", "failure"])
    uploads = list(Upload.objects.filter(draft=draft, pk__in=file_choices))
    for upload in uploads:
        upload.options = file_choices[str(upload.pk)].to_json()
    Upload.objects.bulk_update(uploads, ["options"])


@transaction.atomic
def discard_draft(*, draft: Draft) -> None:
    """Throws away a draft with its files, unless something was made of it."""
    discard_from_draft(draft=draft)
    Draft.objects.filter(pk=draft.pk, query_set=None).delete()


def read_within_limits(
    *, draft: Draft, choices: DraftChoices, progress_key: UUID | None = None
) -> DraftReading:
    """What would be made of the draft. A file that takes too much to be read is named, and the others are read without it."""
    try:
        return with_draft(read_draft, draft, choices=choices, progress_key=progress_key)
    except TooCostlyError:
        failures = {}
        for upload in uploads_of(draft):
            try:
                others = {str(one.pk): "Not read." for one in uploads_of(draft) if one.pk != upload.pk}
                with_draft(read_draft, draft, only=upload, choices=choices, failures=others)
            except TooCostlyError as error:
                failures[str(upload.pk)] = error.message
        return with_draft(read_draft, draft, choices=choices, failures=failures)


def with_draft(
    function: Callable[..., Value], draft: Draft, *, only: Upload | None = None, **arguments: Any
) -> Value:
    """Calls it with the `draft`, in a process with limits unless its files are small together (ADR 28).

    The limits are those of all its files, or of the `only` one that is read. Raises TooCostlyError.
    """
    uploads = [only] if only else uploads_of(draft)
    packed_keys = _packed(uploads)
    sizes = [most_unpacked(one.size) if one.pk in packed_keys else one.size for one in uploads]
    if sum(sizes) <= limited_process.SMALL:
        with limited_process.place_for(sum(sizes)):
            return function(draft=draft, **arguments)
    name = uploads[0].name if len(uploads) == 1 else counted(len(uploads), "file")
    packed = bool(packed_keys)
    source = SourceFile(name, sum(one.size for one in uploads), packed, settings.READING_MEMORY)
    return call_in_limited_process(function, source, draft=draft, **arguments)


def is_large(draft: Draft) -> bool:
    """Whether a worker makes it (ADR 57): if its files, unpacked, have more bytes than are read in the web process."""
    uploads = uploads_of(draft)
    packed = _packed(uploads)
    sizes = [one.size * (limited_process.USUAL_PACKING if one.pk in packed else 1) for one in uploads]
    return sum(sizes) > limited_process.SMALL


def _packed(uploads: Sequence[Upload]) -> set[UUID]:
    """The keys of those that are packed."""
    return {upload.pk for upload in uploads if is_packed(_head(upload))}


def _head(upload: Upload) -> bytes:
    """The first bytes of a file; nothing where it's gone, which its reader says."""
    try:
        with open_upload(upload) as file:
            return file.read(HEAD)
    except UploadGoneError:
        return b""
