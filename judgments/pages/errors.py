"""Error pages in the product's own look. They need no database: it may be what has failed."""

import errno
import sys
from typing import Final

from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

RETRY_SECONDS: Final = 3
AWAY: Final = frozenset({"57P01", "57P02", "57P03", "53300"})
"""SQLSTATE: ends by an admin, ended by a crash, is starting, has no connection left."""
BUSY: Final = frozenset({"55P03", "40P01", "57014"})
"""SQLSTATE: waited for a lock as long as it may, gave way to another transaction, took longer than a statement may.

Nothing was stored, and it passes.
"""
NO_ROOM: Final = frozenset({"53100"})
"""SQLSTATE: PostgreSQL finds the disk full."""
NO_ROOM_ERRORS: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
PROBLEMS: Final = {
    "away": "The database cannot be reached just now.",
    "busy": "A longer change is under way just now, an import for instance.",
    "crowded": "More is asked of the site just now than it can answer. Nothing was done.",
    "full": "The server's disk is full, so nothing can be saved until there is room again.",
}


def _page(status: int, **context: object) -> HttpResponse:
    return HttpResponse(render_to_string(f"{status}.html", context), status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(400)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(403, reason=str(exception or ""))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return HttpResponse(render_to_string("403_csrf.html"), status=403)


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(404)


def gone(request: HttpRequest) -> HttpResponse:
    return _page(404, gone=True)


def too_large(request: HttpRequest, message: str) -> HttpResponse:
    """`message` says what was too large; the page adds how large a file may be."""
    return _page(413, message=message, limit=settings.UPLOAD_LIMIT)


def too_many_tries(seconds: int) -> HttpResponse:
    """429: the next password is looked at in so many seconds."""
    response = _page(429, wait=f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes")
    response["Retry-After"] = str(seconds)
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """503 where the database was out of reach or busy, or the disk full, which passes: a script keeps what it sent and sends it again."""
    kind = passing(sys.exc_info()[1])
    return unavailable(request, kind) if kind else _page(500)


def unavailable(request: HttpRequest, kind: str) -> HttpResponse:
    """503, for one of the reasons in PROBLEMS, as the client wants to read it."""
    if "application/json" in request.headers.get("Accept", ""):
        response: HttpResponse = JsonResponse({"problem": PROBLEMS[kind], "kind": kind}, status=503)
    else:
        response = _page(503, kind=kind)
    response["Retry-After"] = str(RETRY_SECONDS)
    response["Cache-Control"] = "no-store"
    return response


def passing(error: BaseException | None) -> str:
    """“away” where on the way to this error a connection to PostgreSQL was lost or refused, “busy” for a lock, “full” for a
    full disk, or nothing.

    Of a connection that is lost psycopg knows no SQLSTATE, or one that says that the server is about to end, to begin, or full.
    """
    while error is not None:
        if isinstance(error, OperationalError):
            state = getattr(error.__cause__, "sqlstate", None)
            if state is None or state.startswith("08") or state in AWAY:
                return "away"
            if state in BUSY:
                return "busy"
            if state in NO_ROOM:
                return "full"
        if isinstance(error, OSError) and error.errno in NO_ROOM_ERRORS:
            return "full"
        error = error.__cause__ or error.__context__
    return ""
