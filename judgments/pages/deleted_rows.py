"""What is changed may have been deleted a moment before: by somebody else, or by the first of two clicks."""

import logging
from collections.abc import Callable
from typing import Final

from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest, HttpResponse

from judgments.pages.archive_guard import SAFE_METHODS
from judgments.pages.errors import gone

LOGGER: Final = logging.getLogger("django.request")


class GoneMiddleware:
    """A view finds what it is asked for or answers 404 itself. Where an action, which looks again under a lock, does
    not find it any more, that is no fault of the server: nothing was changed, and the page says so."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if request.method in SAFE_METHODS or not isinstance(exception, ObjectDoesNotExist):
            return None
        LOGGER.warning("Gone before it was changed: %s", request.path, exc_info=exception)
        return gone(request)
