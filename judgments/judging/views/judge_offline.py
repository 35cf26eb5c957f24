"""How the rating screen opens without a network: its service worker, and the page that the browser keeps."""

from pathlib import Path

from django.contrib.auth.decorators import login_not_required
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from judgments.judging.views.judge_screen import list_to_judge, render_screen
from judgments.pages.http import MemberRequest

WORKER = "js/judging/worker.js"


@login_not_required
@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """The script is under /lists/, since a service worker can only answer for addresses below its own."""
    path = finders.find(WORKER)
    if not path:
        raise Http404
    response = HttpResponse(Path(path).read_bytes(), content_type="text/javascript; charset=utf-8")
    response["Cache-Control"] = "no-cache"
    return response


@require_safe
def shell(request: MemberRequest, pk: int) -> HttpResponse:
    """The page of the rating screen that the browser keeps: without a card, and without messages meant for the next page."""
    context = {"from_device": True, "messages": []}
    return render_screen(request, list_to_judge(request, pk), context)
