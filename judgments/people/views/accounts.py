"""Sign-in, demo accounts, and the page of one's own account."""

from secrets import token_urlsafe
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from judgments.base.tokens import digest
from judgments.files.actions.uploads import KEPT_DAYS, discard_undecided
from judgments.files.reports.uploads import undecided_uploads
from judgments.models import STAFF_ROLES, ApiToken, Membership, User
from judgments.pages.http import MemberRequest, redirect_to_next
from judgments.people.actions import accounts as actions
from judgments.people.demo import DEMO_ACCOUNTS
from judgments.people.forms import OwnPasswordForm, PaceForm, SignInForm, TokenForm
from judgments.people.reports.accounts import has_second_factor, is_offered, sign_ins, unused_recovery_codes
from judgments.people.views.passwords import source_of
from judgments.people.views.security_log import log_event
from judgments.people.views.sessions import keep_this_session
from judgments.people.views.single_sign_on import single_sign_on
from touchstone_core.words import counted


@method_decorator(require_http_methods(["GET", "HEAD", "POST"]), name="dispatch")
class SignIn(auth_views.LoginView):
    """Django's sign-in, with buttons for demo accounts in demo mode."""

    template_name = "judgments/people/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {
            "demo_accounts": _demo_accounts(),
            "single_sign_on": single_sign_on(),
        }


class SignOut(auth_views.LogoutView):
    """Django's sign-out, after which the browser keeps no page: not in its cache, and not for Back.

    Only "cache", because "storage" would delete offline judgments that haven't been sent yet (ADR 18).
    """

    http_method_names = ["post"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        response = super().post(request, *args, **kwargs)
        response["Clear-Site-Data"] = '"cache"'
        return response


class ChangePassword(auth_views.PasswordChangeView):
    http_method_names = ["get", "head", "post"]
    form_class = OwnPasswordForm
    template_name = "judgments/people/password_change.html"
    success_url = reverse_lazy("account")

    def get_form_kwargs(self) -> dict[str, Any]:
        username = self.request.user.get_username()
        return super().get_form_kwargs() | {"source": source_of(self.request, username)}

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, "Your password is changed." + _about_tokens(self.request.user))
        log_event("password-changed", self.request, bad=False, user=self.request.user.get_username())
        old_key = self.request.session.session_key or ""
        response = super().form_valid(form)
        keep_this_session(self.request, old_key)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        if "old_password" in form.errors:
            log_event("password-wrong", self.request, bad=True, user=self.request.user.get_username())
        return super().form_invalid(form)


def _about_tokens(user: Any) -> str:
    """What a new password doesn't end, if the account has any."""
    count = ApiToken.objects.filter(user=user).usable(timezone.now()).count()
    return (
        f" It doesn’t end your {counted(count, 'API token')}: revoke what others may know." if count else ""
    )


def _demo_accounts() -> list[Any]:
    if not settings.DEMO:
        return []
    names = [demo.username for demo in DEMO_ACCOUNTS]
    active = User.objects.filter(username__in=names, is_active=True).values_list("username", flat=True)
    return [demo for demo in DEMO_ACCOUNTS if demo.username in set(active)]


@login_not_required
@sensitive_post_parameters()
@require_POST
def demo_sign_in(request: HttpRequest) -> HttpResponse:
    """Signs in as a demo account; 404 outside demo mode."""
    username = request.POST.get("username", "")
    if not settings.DEMO or username not in {demo.username for demo in DEMO_ACCOUNTS}:
        raise Http404
    user = get_object_or_404(User, username=username, is_active=True)
    login(request, user)
    return redirect_to_next(request, reverse("home"))


@require_http_methods(["GET", "HEAD", "POST"])
def account(request: MemberRequest) -> HttpResponse:
    """One's own account: roles, tokens, undecided files, sessions, single-key shortcuts, goal and breaks."""
    if request.method == "POST" and "discard" in request.POST:
        count = discard_undecided(user=request.user)
        messages.success(request, f"Discarded {counted(count, 'file')}.")
        return redirect("account")
    if request.method == "POST" and "daily_goal" in request.POST:
        pace = PaceForm(request.POST)
        if pace.is_valid():
            actions.set_pace(user=request.user, **pace.cleaned_data)
            messages.success(request, "Your goal and breaks are saved.")
            return redirect("account")
        return account_page(request, status=422, pace=pace)
    if request.method == "POST":
        on = request.POST.get("single_key_shortcuts") == "on"
        actions.set_single_key_shortcuts(user=request.user, on=on)
        messages.success(request, f"Single-key shortcuts are {'on' if on else 'off'}.")
        return redirect("account")
    return account_page(request)


def account_page(request: MemberRequest, *, status: int = 200, **context: object) -> HttpResponse:
    """The page, with forms of the `context` that were filled in wrong, or with a new token."""
    user = request.user
    memberships = list(Membership.objects.filter(user=user).select_related("query_set"))
    files = undecided_uploads(user)
    has_tokens = user.is_superuser or any(membership.role in STAFF_ROLES for membership in memberships)
    tokens = ApiToken.objects.filter(user=user).usable(timezone.now()).select_related("query_set")
    second_factor = has_second_factor(user)
    context = {
        "offers_second_factor": is_offered(user),
        "has_second_factor": second_factor,
        "recovery_codes": unused_recovery_codes(user) if second_factor else 0,
        "single_sign_on": single_sign_on().get("name"),
        "memberships": memberships,
        "undecided": files,
        "discardable": any(upload.requested_at is None for upload in files),
        "kept_days": KEPT_DAYS,
        "sign_ins": sign_ins(request.user),
        "this_session": digest(request.session.session_key or ""),
        "pace": PaceForm({"daily_goal": user.daily_goal, "break_minutes": user.break_minutes}),
        "has_tokens": has_tokens,
        "tokens": tokens,
        "token_form": TokenForm(user=user, initial={"once": token_urlsafe(16)}) if has_tokens else None,
    } | context
    return render(request, "judgments/people/account.html", context, status=status)
