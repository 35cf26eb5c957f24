"""Who did what and when."""

from datetime import date
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.http import urlencode
from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from judgments.log.forms import LogForm
from judgments.log.reports.log import PAGE, Cursor, Scope, log_page
from judgments.log.reports.log_files import columns_of
from judgments.models import JudgmentList
from judgments.models.access import NO_LIMITS
from judgments.pages.calls import MOST_ROWS, ApiRequest, Key, valid
from judgments.pages.fetching import administered_query_set
from touchstone_core.formats.columns import json_records

router = Router()


class LogQuery(Schema):
    group: str = Field("", description="A kind of entries, as the addresses of the page name it.")
    person: str = Field("", description="Part of a name.")
    text: str = Field("", description="Words that it is about.")
    since: date | None = None
    until: date | None = None
    before: str = Field(
        "",
        pattern=r"^([0-9]{1,19}-[0-9]{1,19})?$",
        description="Entries before this place. `next` of a page has it.",
    )
    limit: int = Field(PAGE, ge=1, le=MOST_ROWS, description="At most so many entries.")


class QuerySetLogQuery(LogQuery):
    list: Key | None = Field(None, description="Only entries of this list, by its ID.")


class LogOut(Schema):
    """The newest first, with the names of the log’s files. `before` and `after` are what differs, by field."""

    items: list[dict[str, Any]]
    next: str | None


@router.get("query-sets/{int:pk}/log", response=LogOut, summary="Read the log of a query set")
def query_set_log(request: ApiRequest, pk: int, query: InQuery[QuerySetLogQuery]) -> dict[str, Any]:
    """For admins."""
    query_set = administered_query_set(request, pk)
    return _page(request, Scope(query_set), query, LogForm(request.GET, lists=query_set.judgment_lists.all()))


@router.get("lists/{int:pk}/log", response=LogOut, summary="Read the log of a list")
def list_log(request: ApiRequest, pk: int, query: InQuery[LogQuery]) -> dict[str, Any]:
    """For admins."""
    mine = JudgmentList.objects.administered_by(request.user).select_related("query_set")
    judgment_list = get_object_or_404(mine, pk=pk)
    return _page(request, Scope(judgment_list.query_set, judgment_list), query, LogForm(request.GET))


@router.get("log", response=LogOut, summary="Read the log of the site")
def site_log(request: ApiRequest, query: InQuery[LogQuery]) -> dict[str, Any]:
    """For site administrators, with a token that may do everything in all query sets. Deleted query sets have entries, too."""
    if not request.user.is_superuser or request.token.limits != NO_LIMITS:
        raise Http404
    return _page(request, Scope(), query, LogForm(request.GET, with_judgments=False))


def _page(request: ApiRequest, scope: Scope, query: LogQuery, form: LogForm) -> dict[str, Any]:
    cursor = Cursor.read(query.before)
    page = log_page(scope, request.user, valid(form).filters, cursor=cursor, most=query.limit)
    later = urlencode({**request.GET.dict(), "before": str(page.older)}) if page.older else ""
    return {
        "items": list(json_records(columns_of(scope), page.entries)),
        "next": f"{request.path}?{later}" if later else None,
    }
