"""Requests after the middleware, and responses of several rooms."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from csp.decorators import csp_update
from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header, url_has_allowed_host_and_scheme
from django.utils.text import slugify
from django_htmx.middleware import HtmxDetails

from judgments.base.streaming import Export
from judgments.models import QuerySet, User
from touchstone_core.formats.spreadsheet import Cell, csv_lines


class MemberRequest(HttpRequest):
    """A request of a signed-in account. The middleware lets nobody else through to views that take this."""

    user: User
    htmx: HtmxDetails
    is_staff_member: bool


def form_page(
    request: HttpRequest, template: str, context: dict[str, Any], *refusals: object
) -> HttpResponse:
    """The page of a form: 422 if one of the `refusals`, such as `form.errors` or a conflict, says that nothing was saved."""
    return render(request, template, context, status=422 if any(refusals) else 200)


def images_allowed(request: HttpRequest, query_set: QuerySet, response: HttpResponse) -> HttpResponse:
    """Lets the page load images of documents from other sites if the query set allows it."""
    if query_set.show_images:
        csp_update({"img-src": ["https:", "http:"]})(lambda _: response)(request)
    return response


def is_already_shown(request: MemberRequest, notice: str) -> bool:
    """Whether the page that asks already shows the `notice` with this ID. Then nothing is sent, and what somebody types stays."""
    return bool(request.htmx) and request.htmx.trigger == notice


def parameters_without(request: HttpRequest, *names: str) -> dict[str, str]:
    """What the address says beside these."""
    return {name: str(text) for name, text in request.GET.items() if name not in names}


def next_path(request: HttpRequest, otherwise: str) -> str:
    """The form's `next`, or that of the address, if it's a path of this site, else `otherwise`."""
    path = request.POST.get("next") or request.GET.get("next", "")
    safe = path.startswith("/") and url_has_allowed_host_and_scheme(
        path, {request.get_host()}, require_https=request.is_secure()
    )
    return path if safe else otherwise


def redirect_to_next(request: HttpRequest, otherwise: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(next_path(request, otherwise))


def file_response(
    content: Iterable[bytes] | Iterable[str], name: str, media_type: str
) -> StreamingHttpResponse:
    """A download that is sent while it's made. An error breaks the connection, so that clients see an incomplete file.

    Clients of HTTP/1.0 wouldn't see it: see config.middleware.WholeFileMiddleware.
    """
    return StreamingHttpResponse(
        content,
        content_type=f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type,
        headers={"Content-Disposition": content_disposition_header(True, name)},
    )


def export_response(request: HttpRequest, file: Export, record: Callable[[], None]) -> StreamingHttpResponse:
    """The file, which the log tells of by `record`. Who asks for its headers only (HEAD) takes nothing out, and nothing is read."""
    if request.method == "HEAD":
        return file_response((), file.name, file.media_type)
    record()
    return file_response(file.content, file.name, file.media_type)


def csv_response(rows: Iterable[Sequence[Cell]], *names: object) -> StreamingHttpResponse:
    """The rows, streamed, as a file named by its content."""
    name = "_".join(slugify(str(name)) or "unnamed" for name in names)
    return file_response(csv_lines(rows), f"{name}.csv", "text/csv")


def json_response(content: dict[str, Any]) -> JsonResponse:
    """Indented, and in letters as they are: people read it too."""
    return JsonResponse(content, json_dumps_params={"indent": 1, "ensure_ascii": False})


def client_address(request: HttpRequest) -> str:
    """The address of the client. Behind proxies it's the one that our outermost proxy saw.

    Each proxy appends an address to X-Forwarded-For. Clients can forge the addresses before those of our own proxies.
    """
    addresses = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    if settings.PROXIES and len(addresses) >= settings.PROXIES and addresses[-settings.PROXIES]:
        return addresses[-settings.PROXIES]
    return str(request.META.get("REMOTE_ADDR", ""))


META_KEY: Final = "touchstone.request_id"


def request_id(request: HttpRequest) -> str:
    """The ID that config.request_log gave this request; "" outside a web server."""
    return str(request.META.get(META_KEY, ""))


def what_is_wrong(form: BaseForm) -> str:
    """The first problem of an invalid form, with the name of its field if it has one: for pages that don't show it beside the field."""
    name, errors = next(iter(form.errors.items()))
    return str(errors[0]) if name == NON_FIELD_ERRORS else f"{form[name].label}: {errors[0]}"
