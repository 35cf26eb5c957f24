"""Where a request comes from."""

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address of the client. Behind proxies it's the one that the outermost of our own saw.

    Each proxy adds an address at the end of X-Forwarded-For. What stands before those of our own anybody may have written.
    """
    forwarded = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    if settings.PROXIES and len(forwarded) >= settings.PROXIES and forwarded[-settings.PROXIES]:
        return forwarded[-settings.PROXIES]
    return str(request.META.get("REMOTE_ADDR", ""))
