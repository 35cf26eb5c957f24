"""Throttles every check of a password before it is hashed, which takes a third of a second."""

import secrets
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.deprecation import MiddlewareMixin
from django.utils.timezone import now

from judgments.models import User
from judgments.pages.errors import too_many_tries
from judgments.pages.http import client_address
from judgments.people.actions.password_tries import Source, TooManyTriesError, count_try, forgive_try
from judgments.people.views.security_log import known_account, log_event

DEVICE_COOKIE: Final = "known_device"
DEVICE_SALT: Final = "judgments.known_device"
DEVICE_SECONDS: Final = 60 * 60 * 24 * 180
NEW_DEVICE: Final = "touchstone.new_device"


class ThrottledBackend(ModelBackend):
    """Django's backend behind the throttle. Calls without a request come from code and aren't throttled."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> Any:
        if request is None or username is None or password is None:
            return super().authenticate(request, username, password, **kwargs)
        source = source_of(request, username)
        count_try(source=source, at=now())
        user = super().authenticate(request, username, password, **kwargs)
        if user is not None:
            forgive_try(source=source)
        return user


class PasswordMiddleware(MiddlewareMixin):
    """Answers 429 to a password that has to wait, and remembers devices that people signed in on."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if device := request.META.get(NEW_DEVICE):
            response.set_signed_cookie(
                DEVICE_COOKIE,
                device,
                salt=DEVICE_SALT,
                max_age=DEVICE_SECONDS,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, TooManyTriesError):
            return None
        account = known_account(exception.username)
        log_event("throttled", request, bad=True, account=account, wait=exception.seconds)
        return too_many_tries(request, exception.seconds)


def source_of(request: HttpRequest, username: str) -> Source:
    """The source of this try, for the throttle."""
    return Source(username, client_address(request), _known_device(request, username))


@receiver(user_logged_in, dispatch_uid="judgments.known_device")
def remember_device(sender: object, request: HttpRequest, user: User, **kwargs: object) -> None:
    """Remembers the device, so that guesses of strangers never lock the account's owner out on it."""
    if not _known_device(request, user.username):
        request.META[NEW_DEVICE] = f"{secrets.token_urlsafe(16)}.{_digest(user.username)}"


def _known_device(request: HttpRequest, username: str) -> str:
    """The name of this browser if `username` has signed in with it before, else ""."""
    value = request.get_signed_cookie(DEVICE_COOKIE, "", salt=DEVICE_SALT, max_age=DEVICE_SECONDS) or ""
    device, _, digest = value.partition(".")
    return device if constant_time_compare(digest, _digest(username)) else ""


def _digest(username: str) -> str:
    return salted_hmac(DEVICE_SALT, username, algorithm="sha256").hexdigest()
