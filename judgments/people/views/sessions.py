"""Where somebody is signed in: noted while they use the site, and ended everywhere else."""

import time
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.deprecation import MiddlewareMixin
from django.utils.timezone import now
from django.views.decorators.http import require_POST

from judgments.models import User
from judgments.pages.http import MemberRequest, client_address
from judgments.people.actions import sessions as actions
from judgments.people.devices import device_in_words
from judgments.people.reports.accounts import is_everybodys
from judgments.people.views.security_log import log_event

SEEN_SECONDS: Final = 300.0
MOST_KEPT: Final = 10_000
_noted: dict[str, float] = {}
"""When this process noted each session: otherwise every request would write a row."""


class SignInsMiddleware(MiddlewareMixin):
    """Notes every few minutes that a session is in use. It comes after the middleware that asks for a sign-in."""

    def process_view(self, request: HttpRequest, *view: Any) -> None:
        # Asking for `request.user` would read the session of requests that didn't need it.
        user = getattr(request, "_cached_user", None)
        if isinstance(user, User):
            _note(request, user)


def _note(request: HttpRequest, user: User) -> None:
    session_key, moment = request.session.session_key, time.monotonic()
    if not session_key or moment - _noted.get(session_key, -SEEN_SECONDS) < SEEN_SECONDS:
        return
    if is_everybodys(user):
        return
    actions.note_sign_in(
        user=user,
        session_key=session_key,
        device=device_in_words(request.headers.get("User-Agent", "")),
        address=client_address(request),
        at=now(),
    )
    if len(_noted) >= MOST_KEPT:
        _noted.clear()
    _noted[session_key] = moment


@receiver(user_logged_in, dispatch_uid="judgments.sessions.sign_in")
def note_new_session(sender: object, request: HttpRequest, user: User, **kwargs: object) -> None:
    request.session.set_expiry(None)  # one that a stranger began ends sooner
    _note(request, user)


@receiver(user_logged_out, dispatch_uid="judgments.sessions.sign_out")
def forget_ended_session(sender: object, request: HttpRequest, **kwargs: object) -> None:
    if request.session.session_key:
        actions.forget_session(session_key=request.session.session_key)


@require_POST
def sign_out_elsewhere(request: MemberRequest) -> HttpResponse:
    """Ends all sessions of this account but this one."""
    session_key = request.session.session_key or ""
    actions.end_other_sessions(user=request.user)
    update_session_auth_hash(request, request.user)
    keep_this_session(request, session_key)
    log_event("signed-out-elsewhere", request, bad=False, user=request.user.get_username())
    messages.success(request, "You are signed out everywhere else.")
    return redirect("account")


def keep_this_session(request: HttpRequest, old_key: str) -> None:
    """Takes all other sessions off the list, after this one has got a new key."""
    new_key = request.session.session_key or ""
    actions.keep_one_session(user=request.user, session_key=old_key, new_key=new_key)  # type: ignore[arg-type]
    _noted[new_key] = time.monotonic()
