"""Reads uploaded files, in a process with limits unless they are small, and shows what is wrong with them."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast
from zipfile import ZipFile

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from judgments.files.limited_process import call_with_limits
from judgments.files.reports.uploads import progress_of
from judgments.models import Draft, Upload
from judgments.pages.http import MemberRequest, is_already_shown
from touchstone_core.formats.problems import Report

Value = TypeVar("Value")


def as_one_file(request: HttpRequest, field: str) -> UploadedFile[bytes] | None:
    """Several files of a field as an archive of them, which is read as one file; None where there is none."""
    files = request.FILES.getlist(field)
    if len(files) < 2:
        return files[0] if files else None
    one = TemporaryUploadedFile(f"{len(files)} files.zip", "application/zip", 0, None)
    with ZipFile(cast(BinaryIO, one), "w") as archive:
        for position, file in enumerate(files):
            is_repeated = file.name in {other.name for other in files[:position]}
            name = f"{position + 1} {file.name}" if is_repeated else str(file.name)
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
    with Path(source).open("rb") if isinstance(source, Path) else BytesIO(source) as content:
        return call_with_limits(
            function,
            cast(BinaryIO, content),
            file_name=file.name or "file",
            file_size=file.size or 0,
            most_memory=settings.READING_MEMORY,
            arguments=arguments | {"source": source},
        )


def report_parts(report: Report, *, errors: str) -> list[dict[str, Any]]:
    """For parts/report.html: errors (under this title) and warnings, with the number of each kind."""
    return [
        {
            "title": f"{title} ({findings.total:,})",
            "kinds": sorted(findings.counts.items()),
            "lines": [
                {"level": level, "line": problem.line, "text": problem.sentence_without_line}
                for problem in findings.by_line
            ],
            "more": findings.more,
        }
        for level, title, findings in (
            ("error", errors, report.errors),
            ("warning", "Warnings", report.warnings),
        )
        if findings.total
    ]


def waiting_page(
    request: MemberRequest, template: str, waiting: Upload | Draft, trail: Any, **words: str
) -> HttpResponse:
    """`template` with how far the worker is; 204 where the page that asks shows just that."""
    progress = progress_of(waiting)
    if progress is None and is_already_shown(request, "import-waiting"):
        return HttpResponse(status=204)
    context = {"waiting": waiting, "progress": progress, "trail": trail, **words}
    return render(request, template, context)
