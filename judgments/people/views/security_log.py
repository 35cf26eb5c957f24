"""One line for every sign-in, sign-out, failure and denial, by the logger `touchstone.security` to the console.

A line is `time=… event=… user=… address=… path=…`. It never has a password, a token or a query string, and no unknown user
name, because people type passwords there, too.
"""

import json
import logging
from collections.abc import Callable
from typing import Any, Final

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils.timezone import now

from judgments.models import User
from judgments.pages.http import client_address

LOGGER: Final = logging.getLogger("touchstone.security")
UNKNOWN: Final = "unknown"


def log_event(event: str, request: HttpRequest, *, bad: bool, **facts: object) -> None:
    """Writes a line, as a warning if it could be part of an attack (`bad`)."""
    where = {
        "address": client_address(request),
        "method": request.method,
        "path": _path_without_token(request),
    }
    line = {"time": now().isoformat(timespec="seconds"), "event": event} | facts | where
    text = " ".join(f"{name}={json.dumps(value)}" for name, value in line.items())
    LOGGER.log(
        logging.WARNING if bad else logging.INFO, "%s", text, extra={"request": request, "facts": line}
    )


def _path_without_token(request: HttpRequest) -> str:
    match = request.resolver_match
    token = match.kwargs.get("token") if match else None
    return request.path.replace(str(token), "…") if token else request.path


def known_account(username: object) -> str:
    """The username if an account has it, else UNKNOWN."""
    name = str(username or "")
    exists = "\0" not in name and User.objects.filter(username=name).exists()
    return name if exists else UNKNOWN


def security_log_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Logs denials; it needs the authentication middleware before it.

    Pages of other query sets are “not found”, so that nobody learns what exists. So a 404 at one of our addresses counts, too.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        denied = response.status_code == 403 or (response.status_code == 404 and request.resolver_match)
        if denied and (response.status_code == 403 or request.user.is_authenticated):
            log_event(
                "denied", request, bad=True, status=response.status_code, user=request.user.get_username()
            )
        return response

    return middleware


@receiver(user_logged_in, dispatch_uid="judgments.security_log.sign_in")
def log_sign_in(sender: object, request: HttpRequest, user: User, **kwargs: object) -> None:
    log_event("sign-in", request, bad=False, user=user.username, id=user.pk)


@receiver(user_logged_out, dispatch_uid="judgments.security_log.sign_out")
def log_sign_out(sender: object, request: HttpRequest, user: User | None, **kwargs: object) -> None:
    if user is not None:
        log_event("sign-out", request, bad=False, user=user.username, id=user.pk)


@receiver(user_login_failed, dispatch_uid="judgments.security_log.failure")
def log_failure(
    sender: object, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: object
) -> None:
    if request is not None:
        log_event("sign-in-failed", request, bad=True, account=known_account(credentials.get("username")))
