"""What the rating screen needs to be opened again without a network: a page without a card, and the worker that gives it."""

from pathlib import Path

from django.contrib.auth.decorators import login_not_required
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from judgments.judging.views import judge_screen as screen
from judgments.pages.http import MemberRequest

WORKER = "js/judging/worker.js"


@login_not_required
@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """The script stands under /lists/, since a worker may answer only for what lies below its own address."""
    found = finders.find(WORKER)
    if not found:
        raise Http404
    response = HttpResponse(Path(found).read_bytes(), content_type="text/javascript; charset=utf-8")
    response["Cache-Control"] = "no-cache"
    return response


@require_safe
def shell(request: MemberRequest, pk: int) -> HttpResponse:
    """The page of the rating screen for the browser to keep: hands out nothing, and takes no message off the next page."""
    context = {"from_device": True, "messages": []}
    return screen.render_screen(request, screen.judged_list(request, pk), context)
