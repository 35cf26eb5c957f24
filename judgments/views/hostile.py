"""What no browser sends and no view needs to think of."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, QueryDict


class NulMiddleware:
    """Refuses a NUL in an address or a form with 400: PostgreSQL can't store one in a text, nor look for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> None:
        if "\0" in request.path or _has_nul(request.GET) or _has_nul(request.POST):
            raise BadRequest("A NUL character is in the address or the form.")


def _has_nul(data: QueryDict) -> bool:
    return any("\0" in value for _, values in data.lists() for value in values)
