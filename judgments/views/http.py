"""What a view receives once the middleware has run."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from judgments.models import User


class MemberRequest(HttpRequest):
    """A request of a signed-in account: the middleware lets nobody else through to a view that takes this."""

    user: User
    htmx: HtmxDetails
