"""Error pages in the product's own look, and the same as problem details for calls of the API.

They need no database, because that may have failed.
"""

import errno
import sys
from typing import Final

from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.defaultfilters import filesizeformat
from django.template.loader import render_to_string

from judgments.base.errors import CrowdedError
from judgments.pages.http import request_id
from judgments.pages.problems import is_api, problem_response

RETRY_SECONDS: Final = 3
AWAY: Final = frozenset({"57P01", "57P02", "57P03", "53300"})
"""SQLSTATE: shut down by an admin, crashed, starting, out of connections."""
BUSY: Final = frozenset({"55P03", "40P01", "57014"})
"""SQLSTATE: lock timeout, deadlock, statement timeout. Nothing was stored, and it passes."""
NO_ROOM: Final = frozenset({"53100"})
"""SQLSTATE: PostgreSQL finds the disk full."""
NO_ROOM_ERRORS: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
PROBLEMS: Final = {
    "away": "Touchstone can’t reach its database right now.",
    "busy": "A longer change is under way right now, such as an import.",
    "crowded": "The site is too busy right now. Nothing was done.",
    "full": "The server’s disk is full, so nothing can be saved until there is room again.",
}


SENTENCES: Final = {
    400: "Part of the address or of the data isn’t in a valid form. Nothing was changed.",
    403: "Your account’s role doesn’t allow it. An admin of the query set can change your role under Members.",
    404: "The address may be mistyped, the page may have been deleted, or you have no access to it.",
    500: (
        "Touchstone couldn’t finish this request. What you saved before is safe. What you sent just now may not have "
        "been stored."
    ),
}
API_SENTENCES: Final = SENTENCES | {
    404: (
        "Nothing was found at this address. It may be mistyped, what it names may have been deleted, or it takes another "
        "role, or a token that may do more."
    ),
}
ROW_DELETED: Final = "Somebody deleted it a moment ago. Nothing else was changed."


def _answer(request: HttpRequest, status: int, **context: object) -> HttpResponse:
    if is_api(request):
        return problem_response(status, API_SENTENCES[status])
    return _page(request, str(status), sentence=SENTENCES[status], **context)


def _page(request: HttpRequest, name: str, **context: object) -> HttpResponse:
    """The page of an error. Its status is the beginning of its name."""
    context |= {"request_id": request_id(request)}
    return HttpResponse(render_to_string(f"{name}.html", context), status=int(name[:3]))


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 400)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 403, reason=str(exception or ""))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Whoever deleted all cookies has no token and no session: the page then offers to sign in, which brings both back."""
    if request.headers.get("HX-Request") == "true" and not request.user.is_authenticated:
        return session_ended()
    return _page(request, "403_csrf")


def session_ended() -> HttpResponse:
    """The answer to a script. A sign-in page would be swapped into the page."""
    return HttpResponse("Your session has ended. Sign in again.", status=401)


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 404)


def no_page(request: HttpRequest) -> HttpResponse:
    """405: somebody opened an address that only takes what a form sends."""
    return _page(request, "405")


def row_deleted(request: HttpRequest) -> HttpResponse:
    return _page(request, "404", sentence=ROW_DELETED, row_deleted=True)


def too_large(request: HttpRequest, message: str) -> HttpResponse:
    """413: `message` says what was too large, and the page adds the limit."""
    if is_api(request):
        limit = filesizeformat(settings.UPLOAD_LIMIT)
        return problem_response(413, f"{message} This site takes files of up to {limit}.")
    return _page(request, "413", message=message, limit=settings.UPLOAD_LIMIT)


def too_many_tries(request: HttpRequest, seconds: int) -> HttpResponse:
    """429: the next password is checked in so many seconds."""
    wait = f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"
    response = _page(request, "429", wait=wait)
    response["Retry-After"] = str(seconds)
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """503 for temporary problems, so that scripts send their data again, else 500."""
    kind = temporary_problem(sys.exc_info()[1])
    return unavailable(request, kind) if kind else _answer(request, 500)


def unavailable(request: HttpRequest, kind: str) -> HttpResponse:
    """503 for one of the reasons in PROBLEMS, as JSON or as a page."""
    if is_api(request):
        return problem_response(503, PROBLEMS[kind], headers={"Retry-After": str(RETRY_SECONDS)})
    if "application/json" in request.headers.get("Accept", ""):
        response: HttpResponse = JsonResponse({"problem": PROBLEMS[kind], "kind": kind}, status=503)
    else:
        response = _page(request, "503", kind=kind)
    response["Retry-After"] = str(RETRY_SECONDS)
    response["Cache-Control"] = "no-store"
    return response


def temporary_problem(error: BaseException | None) -> str:
    """The key in PROBLEMS for this error or its causes: “away” without a connection, “busy” for a lock, “full” for the disk,
    “crowded” where too many files are read at once.

    "" for other errors. For a lost connection psycopg has no SQLSTATE, or one of AWAY.
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
        if isinstance(error, CrowdedError):
            return "crowded"
        if isinstance(error, OSError) and error.errno in NO_ROOM_ERRORS:
            return "full"
        error = error.__cause__ or error.__context__
    return ""
