"""Who did what and when: the log of a list, of a query set, of the site. For admins."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from judgments.base.replica import from_replica, reads_replica
from judgments.log.actions import acting
from judgments.log.forms import LogForm
from judgments.log.reports.log import Cursor, Scope, log_page, whole_log
from judgments.log.reports.log_files import FORMATS, log_lines
from judgments.models import JudgmentList
from judgments.pages.fetching import administered_query_set
from judgments.pages.http import MemberRequest, form_page
from judgments.pages.trails import list_trail, query_set_trail
from judgments.pages.trails import trail as trail_of

Trail = list[dict[str, str]]


@require_safe
@reads_replica
def list_log(request: MemberRequest, pk: int) -> HttpResponseBase:
    mine = JudgmentList.objects.administered_by(request.user).select_related("query_set")
    judgment_list = get_object_or_404(mine, pk=pk)
    scope = Scope(judgment_list.query_set, judgment_list)
    return _log(request, scope, LogForm(request.GET), list_trail(judgment_list, "Log"))


@require_safe
@reads_replica
def query_set_log(request: MemberRequest, pk: int) -> HttpResponseBase:
    query_set = administered_query_set(request, pk)
    form = LogForm(request.GET, lists=query_set.judgment_lists.all())
    return _log(request, Scope(query_set), form, query_set_trail(query_set, "Log"))


@require_safe
@reads_replica
def site_log(request: MemberRequest) -> HttpResponseBase:
    """The log of all query sets, even deleted ones. For site administrators."""
    if not request.user.is_superuser:
        raise Http404
    return _log(request, Scope(), LogForm(request.GET, with_judgments=False), trail_of(("Home", "/"), "Log"))


def _log(request: MemberRequest, scope: Scope, form: LogForm, trail: Trail) -> HttpResponseBase:
    """`?before=` opens an older page; `?format=` downloads all entries that match the filters."""
    filters = form.filters
    format = request.GET.get("format", "")
    if format in FORMATS:
        lines = from_replica(log_lines(scope, whole_log(scope, request.user, filters), format))
        headers = {"Content-Disposition": f'attachment; filename="{_file_name(scope)}.{format}"'}
        return StreamingHttpResponse(lines, content_type=FORMATS[format], headers=headers)
    page = log_page(scope, request.user, filters, cursor=Cursor.read(request.GET.get("before", "")))
    search = {name: value for name in form.fields if (value := request.GET.get(name))}
    context = {
        "judgment_list": scope.judgment_list,
        "query_set": scope.query_set,
        "form": form,
        "page": page,
        "later": "before" in request.GET,
        "filtered": bool(search),
        "search": urlencode(search),
        "role": "admin",
        "tab": "log",
        "trail": trail,
    }
    return form_page(request, "judgments/log/log.html", context, form.errors)


def _file_name(scope: Scope) -> str:
    name = scope.judgment_list or scope.query_set
    return slugify(f"log {name or ''}")


def acting_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Must come after the middlewares of sessions and tokens. The user is read from the database only if the request writes."""

    def middleware(request: HttpRequest) -> HttpResponse:
        token = getattr(request, "token", None)
        with acting(request.user, token and token.pk):
            return get_response(request)

    return middleware
