"""Reads uploaded files, in a process with limits unless they are small."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile

from judgments.limited_process import call_with_limits
from judgments.models import Upload
from judgments.reports import uploads as reports

Value = TypeVar("Value")


def with_upload(function: Callable[..., Value], upload: Upload, **arguments: Any) -> Value:
    """Calls it with the `upload`. Raises UploadGoneError and TooCostlyError beside what it raises itself."""
    with reports.opened(upload) as file:
        return call_with_limits(
            function,
            file,
            file_name=upload.name,
            file_size=upload.size,
            most_memory=settings.READING_MEMORY,
            arguments=arguments | {"upload": upload},
        )


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
