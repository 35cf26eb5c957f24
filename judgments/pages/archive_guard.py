"""Keeps every form from changing archived query sets, whatever its view checks."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar, cast

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from judgments.base.errors import ArchivedError
from judgments.models import QuerySet, User, changing

_View = TypeVar("_View", bound=Callable[..., Any])  # of pages, and of the API, whose views return rows

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
API_ROUTE: Final = "api/v1/"
OWNERS: Final = {
    "query-sets": "pk",
    "lists": "judgment_lists",
    "queries": "queries",
    "documents": "documents",
    "scales": "scales",
    "uploads": "uploads",
    "invitations": "invitations",
    "runs": "runs",
    "run-views": "saved_views",
    "saved-formulas": "formulas",
    "comparisons": "comparisons",
    "intents": "intents",
}
"""By the first part of an address: the lookup from a query set to the row whose key is in the address."""


class ArchiveMiddleware:
    """Hides archived query sets from requests that change something.

    Where a view finds nothing to change for that reason, it answers 409 with a sentence instead of 404.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with changing(request.method not in SAFE_METHODS):
            return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if request.method in SAFE_METHODS or not isinstance(exception, (Http404, ArchivedError)):
            return None
        query_set = archived_set_of(request)
        if query_set is None and isinstance(exception, Http404):
            return None
        return _conflict(request, query_set)


def in_archive_too(view: _View) -> _View:
    """For forms that may use archived query sets: restore, copy, delete; and views with their own check."""

    @wraps(view)
    def view_in_archive(*args: Any, **kwargs: Any) -> Any:
        with changing(False):
            return view(*args, **kwargs)

    return cast(_View, view_in_archive)


def to_change(view: _View) -> _View:
    """For pages with nothing but a form: they don't open for archived query sets, which would refuse it."""

    @wraps(view)
    def view_to_change(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        try:
            with changing(True):
                return view(request, *args, **kwargs)
        except Http404:
            query_set = archived_set_of(request)
            if query_set is None:
                raise
            return _conflict(request, query_set)

    return cast(_View, view_to_change)


def archived_set_of(request: HttpRequest) -> QuerySet | None:
    """The archived query set that the address belongs to, if the user may see it."""
    match = request.resolver_match
    owner = OWNERS.get(match.route.removeprefix(API_ROUTE).split("/")[0]) if match else None
    if match is None or owner is None or not isinstance(request.user, User):
        return None
    key = match.kwargs.get("list_pk", match.kwargs.get("pk"))
    with changing(False):
        return QuerySet.objects.archived().visible_to(request.user).filter(**{owner: key}).first()


def _conflict(request: HttpRequest, query_set: QuerySet | None) -> HttpResponse:
    problem = str(ArchivedError())
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"problem": problem, "kind": "archived"}, status=422)
    if request.headers.get("HX-Request") == "true":
        return HttpResponse(problem, status=409)
    context = {"query_set": query_set, "problem": problem}
    return render(request, "judgments/pages/archived.html", context, status=409)
