"""Sets the user whose actions the audit log records."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from judgments.log.actions import acting


def acting_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Must come after the middlewares of sessions and tokens. The user is read from the database only if the request writes."""

    def middleware(request: HttpRequest) -> HttpResponse:
        token = getattr(request, "token", None)
        with acting(request.user, token and token.pk):
            return get_response(request)

    return middleware
