"""The page of a file that a worker is busy with."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from judgments.files.reports.uploads import progress_of
from judgments.models import Draft, Upload
from judgments.pages.http import MemberRequest, stands_already


def waiting_page(
    request: MemberRequest, template: str, waiting: Upload | Draft, trail: Any, **words: str
) -> HttpResponse:
    """`template` with how far the worker is; 204 where the page that asks shows just that."""
    progress = progress_of(waiting)
    if progress is None and stands_already(request, "import-waiting"):
        return HttpResponse(status=204)
    context = {"waiting": waiting, "progress": progress, "trail": trail, **words}
    return render(request, template, context)
