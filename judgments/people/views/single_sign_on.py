"""Sign-in at an OpenID Connect provider. allauth speaks the protocol; which account it is, our action decides."""

from typing import Any, Final

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.openid_connect import views as openid_connect
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from requests import RequestException

from judgments.people.actions.single_sign_on import Identity, SignOnRefusedError, account_of
from judgments.people.views.security_log import UNKNOWN, log_event

BACKEND: Final = "judgments.people.views.passwords.ThrottledBackend"
FAILED: Final = "Your provider didn’t confirm who you are. Try again, or sign in with a password."
BEGUN_SECONDS: Final = 30 * 60
"""For so long the session of a stranger is kept who went to the provider. Anybody can make one by opening an address."""
UNREACHABLE: Final = "Your provider doesn’t answer. Try again later, or sign in with a password."


@never_cache
@login_not_required
@require_safe
def begin(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Leads to the provider."""
    if not _provider():
        raise Http404
    _keep_only(request, "next")
    try:
        response = _answer(openid_connect.login(request, provider_id))
    except (RequestException, KeyError, ValueError):
        return _refused(request, UNREACHABLE, 502)
    if not request.user.is_authenticated:
        request.session.set_expiry(BEGUN_SECONDS)
    return response


def _keep_only(request: HttpRequest, name: str) -> None:
    """Takes from the address what allauth would hand on: a link to this site could ask the provider in another's name."""
    query = QueryDict(mutable=True)
    if name in request.GET:
        query[name] = request.GET[name]
    request.GET = query  # type: ignore[assignment]


@never_cache
@login_not_required
@require_safe
def finish(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Where the provider leads back."""
    if not _provider():
        raise Http404
    try:
        return _answer(openid_connect.callback(request, provider_id))
    except (RequestException, KeyError, ValueError):
        return _refused(request, UNREACHABLE, 502)


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Ends allauth's part of the sign-in as soon as the provider has said who it is."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        raise ImmediateHttpResponse(_sign_in(request, sociallogin))

    def on_authentication_error(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        raise ImmediateHttpResponse(_refused(request, FAILED, 403))


def single_sign_on() -> dict[str, str]:
    """The name of the provider and the address that leads there, for the sign-in page; nothing without one."""
    if not (provider := _provider()):
        return {}
    return {
        "name": provider["name"],
        "address": reverse("openid_connect_login", args=[provider["provider_id"]]),
    }


def _provider() -> dict[str, Any] | None:
    apps: list[dict[str, Any]] = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
    return apps[0] if apps else None


def _sign_in(request: HttpRequest, sociallogin: SocialLogin) -> HttpResponse:
    try:
        identity = _identity(sociallogin)
        user = account_of(identity=identity, create=settings.OIDC_CREATES_ACCOUNTS)
    except SignOnRefusedError as error:
        return _refused(request, str(error), 403, account=error.account)
    login(request, user, backend=BACKEND)
    path = sociallogin.state.get("next") or ""
    safe = path.startswith("/") and url_has_allowed_host_and_scheme(path, {request.get_host()})
    return redirect(path if safe else reverse("home"))


def _identity(sociallogin: SocialLogin) -> Identity:
    """What the provider says, if its two answers are about the same person. Only a real `true` verifies an address."""
    told = sociallogin.account.extra_data
    claims, token = told.get("userinfo") or told.get("id_token") or {}, told.get("id_token") or {}
    if not token or token.get("sub") != claims.get("sub"):
        raise SignOnRefusedError(FAILED)
    return Identity(
        provider=str(token["iss"]),  # allauth has compared it with the provider's address
        subject=str(claims["sub"]),
        email=str(claims.get("email") or ""),
        is_verified=claims.get("email_verified") is True,
        username=str(claims.get("preferred_username") or ""),
        first_name=str(claims.get("given_name") or ""),
        last_name=str(claims.get("family_name") or ""),
    )


def _refused(request: HttpRequest, why: str, status: int, *, account: str = "") -> HttpResponse:
    log_event("sign-in-failed", request, bad=True, account=account or UNKNOWN, door="single sign-on")
    return render(request, "judgments/people/sign_on_refused.html", {"why": why}, status=status)


def _answer(response: Any) -> HttpResponse:
    answer: HttpResponse = response
    return answer
