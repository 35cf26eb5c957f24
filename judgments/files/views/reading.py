"""Reads uploaded files, in a process with limits unless they are small."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast
from zipfile import ZipFile

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.http import HttpRequest

from judgments.files.limited_process import call_with_limits

Value = TypeVar("Value")


def as_one_file(request: HttpRequest, field: str) -> UploadedFile[bytes] | None:
    """Several files of a field as an archive of them, which is read as one file; None where there is none."""
    files = request.FILES.getlist(field)
    if len(files) < 2:
        return files[0] if files else None
    one = TemporaryUploadedFile(f"{len(files)} files.zip", "application/zip", 0, None)
    with ZipFile(cast(BinaryIO, one), "w") as archive:
        for place, file in enumerate(files):
            taken = file.name in {other.name for other in files[:place]}
            name = f"{place + 1} {file.name}" if taken else str(file.name)
            with archive.open(name, "w") as entry:
                for piece in file.chunks():
                    entry.write(piece)
    one.flush()
    one.size = one.tell()
    one.seek(0)
    request.FILES.appendlist(f"{field} as one", one)  # to be closed with the others
    return one


def with_file(function: Callable[..., Value], file: UploadedFile[bytes], **arguments: Any) -> Value:
    """Calls it with the `source`: the path of a file that was just sent, or the bytes of a small one."""
    large = isinstance(file, TemporaryUploadedFile)
    source = (
        Path(cast(TemporaryUploadedFile, file).temporary_file_path()) if large else b"".join(file.chunks())
    )
    with Path(source).open("rb") if isinstance(source, Path) else BytesIO(source) as opened:
        return call_with_limits(
            function,
            cast(BinaryIO, opened),
            file_name=file.name or "file",
            file_size=file.size or 0,
            most_memory=settings.READING_MEMORY,
            arguments=arguments | {"source": source},
        )
