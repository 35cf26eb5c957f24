"""What a view receives once the middleware has run."""

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django_htmx.middleware import HtmxDetails

from judgments.models import QuerySet, User


class MemberRequest(HttpRequest):
    """A request of a signed-in account: the middleware lets nobody else through to a view that takes this."""

    user: User
    htmx: HtmxDetails


def images_allowed(request: HttpRequest, query_set: QuerySet, response: HttpResponse) -> HttpResponse:
    """The page may load documents' images from their addresses where the query set says so, and nowhere else."""
    if query_set.show_images:
        csp_update({"img-src": ["https:", "http:"]})(lambda _: response)(request)
    return response
