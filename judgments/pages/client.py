"""Where a request comes from."""

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address of the client. Behind proxies it's the one that our outermost proxy saw.

    Each proxy appends an address to X-Forwarded-For. Clients can forge the addresses before those of our own proxies.
    """
    addresses = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    if settings.PROXIES and len(addresses) >= settings.PROXIES and addresses[-settings.PROXIES]:
        return addresses[-settings.PROXIES]
    return str(request.META.get("REMOTE_ADDR", ""))
