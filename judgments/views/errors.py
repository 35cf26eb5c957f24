"""Error pages in the product's own look. They need no database: it may be what has failed."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string


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


def too_large(request: HttpRequest, message: str) -> HttpResponse:
    """`message` says what was too large; the page adds how large a file may be."""
    return _page(413, message=message, limit=settings.UPLOAD_LIMIT)


def server_error(request: HttpRequest) -> HttpResponse:
    return _page(500)
