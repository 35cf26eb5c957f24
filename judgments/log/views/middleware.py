"""Tells the audit log who acts."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from judgments.log.actions import acting


def acting_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """After the authentication middleware: whatever a request writes was done by its user, who is read only then."""

    def middleware(request: HttpRequest) -> HttpResponse:
        with acting(request.user):
            return get_response(request)

    return middleware
