"""The ID of a request: in the response header, on error pages and in the log."""

from typing import Final

from django.http import HttpRequest

META_KEY: Final = "touchstone.request_id"


def request_id(request: HttpRequest) -> str:
    """The ID that config.request_log gave this request; "" outside a web server."""
    return str(request.META.get(META_KEY, ""))
