"""Gives each request an ID, and writes one line about it where logs are JSON."""

import logging
import re
import time
import uuid
from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from judgments.models import User
from judgments.pages.http import META_KEY, client_address

HEADER: Final = "X-Request-ID"
LOGGER: Final = logging.getLogger("touchstone.request")
_ACCEPTED: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")


class RequestLogMiddleware:
    """Comes first, so that every answer has the ID in its header and every line its real duration."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        start = time.perf_counter()
        request.META[META_KEY] = _id_of(request)
        response = self.get_response(request)
        response[HEADER] = request.META[META_KEY]
        if LOGGER.isEnabledFor(logging.INFO):
            facts = _facts(request, response, seconds=time.perf_counter() - start)
            text = f"{request.method} {request.path} {response.status_code}"
            LOGGER.info("%s", text, extra={"request": request, "facts": facts})
        return response


def _id_of(request: HttpRequest) -> str:
    """The ID that our own proxy sent, else a new one. Strangers can't choose what stands in the log."""
    sent = request.headers.get(HEADER, "")
    return sent if settings.PROXIES and _ACCEPTED.fullmatch(sent) else uuid.uuid4().hex


def _facts(request: HttpRequest, response: HttpResponseBase, *, seconds: float) -> dict[str, object]:
    """For a file that is sent while it is written, the time is the time until its first byte."""
    match = request.resolver_match
    # A call of the API has its account here. For pages, asking for `request.user` would read the session of requests that
    # didn't need it.
    given = vars(request).get("user")
    user = given if type(given) is User else getattr(request, "_cached_user", None)
    return {
        "view": match.view_name if match else "",
        "status": response.status_code,
        "milliseconds": round(seconds * 1000, 1),
        "user_id": user.pk if user else None,
        "address": client_address(request),
    }
