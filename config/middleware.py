"""Middleware of our own."""

from collections.abc import Callable
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlsplit
from wsgiref.util import FileWrapper

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from config.front import REFUSED, SMALL_BODY
from judgments.pages.errors import no_page, session_ended, too_large, unavailable
from judgments.pages.problems import is_api


class HtmxVaryMiddleware(MiddlewareMixin):
    """Says in every answer that it depends on HX-Request, so that no cache gives a part where a page is due."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        patch_vary_headers(response, ["HX-Request"])
        return response


class NoStoreMiddleware(MiddlewareMixin):
    """Says of every page that no browser and no proxy may keep it: after somebody signs out, Back shows nothing.

    Static files never come here; whitenoise answers them before. A view that knows better sets the header itself.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response.headers.setdefault("Cache-Control", "no-store")
        return response


class CookieMiddleware(MiddlewareMixin):
    """Drops cookies with a character that RFC 6265 allows in none. Quotes let them through, and PostgreSQL takes no NUL."""

    def process_request(self, request: HttpRequest) -> None:
        for name, value in list(request.COOKIES.items()):
            if not (value.isascii() and value.isprintable()):
                del request.COOKIES[name]


NOTHING_SAVED = "Your session has ended, so your changes weren’t saved. Sign in to go on where you were."


class SignInMiddleware(LoginRequiredMiddleware):
    """Lets only accounts through.

    A page leads to the sign-in page and back. A part of a page (htmx) answers 401, so that a sign-in page is never
    swapped into a card. A form that met an ended session isn't saved: the sign-in page says so and leads back to the form,
    where `unsent-form.js` fills in what was entered.
    """

    def process_request(self, request: HttpRequest) -> HttpResponseBase | None:
        """Refuses a large body without a session. Otherwise the check of the form's token would read it to disk."""
        if body_length(request) > SMALL_BODY and not request.user.is_authenticated:
            return self.handle_no_permission(request, self.process_view)
        return None

    def handle_no_permission(self, request: HttpRequest, view_func: Callable[..., Any]) -> HttpResponseBase:  # type: ignore[override]
        if request.headers.get("HX-Request") == "true":
            return session_ended()
        if request.method in ("GET", "HEAD"):
            return redirect_to_login(request.get_full_path(), reverse("sign-in"))
        messages.warning(request, NOTHING_SAVED, fail_silently=True)  # not there yet for a large body
        return redirect_to_login(_page_of_the_form(request), reverse("sign-in"))


def _page_of_the_form(request: HttpRequest) -> str:
    """The path of the page that sent this form, as far as it is ours; else the home page."""
    referrer = urlsplit(request.headers.get("Referer", ""))
    if referrer.netloc != request.get_host():
        return reverse("home")
    return referrer.path + (f"?{referrer.query}" if referrer.query else "")


class WholeFileMiddleware(MiddlewareMixin):
    """Makes a file whole before it is sent to a client of HTTP/1.0.

    There, where a connection ends the file does: one that broke off would look whole. Its length is known beforehand.
    """

    BLOCK = 1 << 16

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        old = request.META.get("SERVER_PROTOCOL") == "HTTP/1.0" and request.method != "HEAD"
        if old and isinstance(response, StreamingHttpResponse) and not response.has_header("Content-Length"):
            self._make_whole(response)
        return response

    def _make_whole(self, response: StreamingHttpResponse) -> None:
        with ExitStack() as unless_whole:
            file = unless_whole.enter_context(TemporaryFile())
            file.writelines(response)
            unless_whole.pop_all()
        response["Content-Length"] = str(file.tell())
        file.seek(0)
        response.streaming_content = FileWrapper(file, self.BLOCK)


class RefusalMiddleware(MiddlewareMixin):
    """Answers 503 when config.front found that nobody can work on a request just now."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if kind := request.META.get(REFUSED):
            return unavailable(request, kind)
        return None


class NoPageMiddleware(MiddlewareMixin):
    """Shows a page to people who open an address that only takes what a form sends, instead of nothing at all."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if response.status_code != 405 or request.method != "GET" or is_api(request):
            return response
        page = no_page(request)
        page["Allow"] = response["Allow"]
        return page


def body_length(request: HttpRequest) -> int:
    """The Content-Length; 0 without one, because then Django reads nothing."""
    length = request.headers.get("Content-Length", "")
    return int(length) if length.isdecimal() and length.isascii() else 0


class UploadLimitMiddleware(MiddlewareMixin):
    """Answers 413 before a body is read that is longer than any upload may be."""

    SLACK = 1 << 20  # the form's other fields and the multipart borders

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if body_length(request) > settings.UPLOAD_LIMIT + self.SLACK:
            return too_large(request, "Nothing was stored.")
        return None
