"""The second factor: asked after a password at any door, set up and removed by the person.

Any sign-in marks its session if something is due. The middleware then opens nothing else, wherever the password was given.
"""

from base64 import b64encode
from typing import Any, Final

from allauth.mfa.adapter import get_adapter
from allauth.mfa.totp.internal.auth import generate_totp_secret
from django import forms
from django.contrib import messages
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.timezone import now
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from judgments.models import User
from judgments.pages.http import MemberRequest, client_address
from judgments.people.actions import second_factor as actions
from judgments.people.actions.password_tries import Source, count_try, forgive_try
from judgments.people.forms import CodeForm, SetUpForm
from judgments.people.reports import accounts as reports
from judgments.people.views.passwords import source_of
from judgments.people.views.security_log import log_event

DUE: Final = "second_factor_due"
NEXT: Final = "second_factor_next"
"""Where to go on: in the session, because an invitation's address must not reach another address."""
SECRET: Final = "second_factor_secret"  # noqa: S105
PAGES: Final = {reports.CODE: "second-factor", reports.SET_UP: "second-factor-set-up"}
OPEN: Final = frozenset({*PAGES.values(), "sign-out"})


class SecondFactorMiddleware(MiddlewareMixin):
    """Opens nothing to a session whose second factor is due. It comes after the middleware that asks for a sign-in."""

    def process_view(self, request: HttpRequest, view: Any, *arguments: Any) -> HttpResponse | None:
        match = request.resolver_match
        # Pages for everybody need no session, except for those that act for whoever is signed in.
        public = not getattr(view, "login_required", True) and getattr(match, "url_name", "") != "join"
        if public or not request.user.is_authenticated or getattr(request, "token", None):
            return None
        due = request.session.get(DUE, "")
        if not due or (match and match.url_name in OPEN):
            return None
        if request.headers.get("HX-Request") == "true":
            return HttpResponse("Give your code first. Reload this page.", status=401)
        if request.method == "GET":
            request.session[NEXT] = request.get_full_path()
        return redirect(PAGES[due])


@receiver(user_logged_in, dispatch_uid="judgments.second_factor")
def mark_session(sender: object, request: HttpRequest, user: User, **kwargs: object) -> None:
    if due := reports.what_is_due(user):
        request.session[DUE] = due
    else:
        request.session.pop(DUE, None)


@never_cache
@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: MemberRequest) -> HttpResponse:
    """Takes the code that is due, and goes on to where the person wanted to go."""
    if request.session.get(DUE) != reports.CODE:
        return redirect("home")
    if not reports.has_second_factor(request.user):  # it was removed meanwhile
        return _due_now(request)
    form = CodeForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _accepts(request, form):
        del request.session[DUE]
        log_event("second-factor-passed", request, bad=False, user=request.user.username)
        return redirect(request.session.pop(NEXT, reverse("home")))
    status = 422 if request.method == "POST" else 200
    return render(request, "judgments/people/second_factor.html", {"form": form}, status=status)


@never_cache
@sensitive_post_parameters("code", "password")
@require_http_methods(["GET", "HEAD", "POST"])
def set_up(request: MemberRequest) -> HttpResponse:
    """Shows a secret for the app; with its first code, the second factor is set up, and the recovery codes are shown once."""
    user = request.user
    if request.session.get(DUE) == reports.SET_UP and reports.what_is_due(user) != reports.SET_UP:
        return _due_now(request)
    if reports.has_second_factor(user) or not reports.is_offered(user):
        raise Http404
    has_password = user.has_usable_password()
    if request.method == "POST" and SECRET in request.session:
        form = SetUpForm(request.POST, has_password=has_password)
        if form.is_valid() and _knows_password(request, form) and (codes := _set_up(request, form)):
            return _recovery_codes(request, codes)
        status = 422
    else:
        form, status = SetUpForm(has_password=has_password), 200
        request.session[SECRET] = generate_totp_secret()
    secret = request.session[SECRET]
    picture = get_adapter().build_totp_svg(get_adapter().build_totp_url(user, secret))
    context = {
        "form": form,
        "secret": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
        "picture": f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}",
        "is_due": DUE in request.session,
    }
    return render(request, "judgments/people/second_factor_set_up.html", context, status=status)


def _due_now(request: MemberRequest) -> HttpResponse:
    """Goes on with what is due by now, in a session that was marked for something else."""
    if due := reports.what_is_due(request.user):
        request.session[DUE] = due
        return redirect(PAGES[due])
    del request.session[DUE]
    return redirect(request.session.pop(NEXT, reverse("home")))


def _set_up(request: MemberRequest, form: forms.Form) -> list[str]:
    try:
        codes = actions.set_up_second_factor(
            user=request.user, secret=request.session[SECRET], code=form.cleaned_data["code"]
        )
    except actions.WrongCodeError as error:
        form.add_error("code", str(error))
        return []
    del request.session[SECRET]
    request.session.pop(DUE, None)
    log_event("second-factor-set-up", request, bad=False, user=request.user.username)
    return codes


@never_cache
@sensitive_post_parameters("code")
@require_POST
def change(request: MemberRequest) -> HttpResponse:
    """New recovery codes, or no second factor any more; each needs a code."""
    if not reports.has_second_factor(request.user):
        raise Http404
    form = CodeForm(request.POST)
    if not form.is_valid() or not _accepts(request, form):
        [problem] = form.errors["code"]
        messages.error(request, f"Nothing was changed. {problem}")
    elif "remove" not in request.POST:
        log_event("recovery-codes-created", request, bad=False, user=request.user.username)
        return _recovery_codes(request, actions.make_recovery_codes(user=request.user))
    elif reports.is_required(request.user):
        messages.error(request, "Nothing was changed. Admins need a second factor on this site.")
    else:
        actions.remove_second_factor(user=request.user)
        log_event("second-factor-removed", request, bad=False, user=request.user.username)
        messages.success(request, "Your second factor is removed. Your password alone signs you in.")
    return redirect("account")


def _recovery_codes(request: MemberRequest, codes: list[str]) -> HttpResponse:
    """Shows them in the response and nowhere else."""
    context = {"codes": codes, "next": request.session.pop(NEXT, reverse("account"))}
    return render(request, "judgments/people/recovery_codes.html", context)


def _accepts(request: MemberRequest, form: forms.Form) -> bool:
    """Whether the code is right. Wrong ones slow down, as passwords do.

    A device that is known from its password is no exception: whoever guesses here knows the password.
    """
    user = request.user
    source = Source(user.username, client_address(request), is_code=True)
    count_try(source=source, at=now())
    try:
        actions.check_code(user=user, code=form.cleaned_data["code"])
    except actions.WrongCodeError as error:
        log_event("second-factor-wrong", request, bad=True, user=user.username)
        form.add_error("code", str(error))
        return False
    forgive_try(source=source)
    return True


def _knows_password(request: MemberRequest, form: forms.Form) -> bool:
    if "password" not in form.fields:
        return True
    source = source_of(request, request.user.username)
    count_try(source=source, at=now())
    if not request.user.check_password(form.cleaned_data["password"]):
        log_event("password-wrong", request, bad=True, user=request.user.username)
        form.add_error("password", "This isn’t your password. Type it again.")
        return False
    forgive_try(source=source)
    return True
