"""What a view receives once the middleware has run."""

from collections.abc import Iterable

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.utils.http import content_disposition_header, url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails

from judgments.models import QuerySet, User


class MemberRequest(HttpRequest):
    """A request of a signed-in account: the middleware lets nobody else through to a view that takes this."""

    user: User
    htmx: HtmxDetails
    is_staff_member: bool


def images_allowed(request: HttpRequest, query_set: QuerySet, response: HttpResponse) -> HttpResponse:
    """The page may load documents' images from their addresses where the query set says so, and nowhere else."""
    if query_set.show_images:
        csp_update({"img-src": ["https:", "http:"]})(lambda _: response)(request)
    return response


def stands_already(request: MemberRequest, notice: str) -> bool:
    """Whether a page asks anew on which the `notice` of this id stands, and says what it would say again: so nothing is sent, and
    whatever somebody types, opens or reads there stays as it is."""
    return bool(request.htmx) and request.htmx.trigger == notice


def redirect_to_next(request: HttpRequest, otherwise: str) -> HttpResponseRedirect:
    """Leads to the path that the form names in `next`, as far as it is one of this site's, else to the address `otherwise`."""
    path = request.POST.get("next", "")
    safe = path.startswith("/") and url_has_allowed_host_and_scheme(
        path, {request.get_host()}, require_https=request.is_secure()
    )
    return HttpResponseRedirect(path if safe else otherwise)


def file_response(content: Iterable[bytes], name: str, media_type: str) -> StreamingHttpResponse:
    """A file to keep, sent while it is made. Where that fails the connection breaks off, and the client knows that it lacks the end.

    A client of HTTP/1.0 would not: see config.middleware.WholeFileMiddleware.
    """
    return StreamingHttpResponse(
        content,
        content_type=f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type,
        headers={"Content-Disposition": content_disposition_header(True, name)},
    )
