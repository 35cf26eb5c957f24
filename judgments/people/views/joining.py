"""Pages that join a query set by an invitation link, with or without an account.

The token is in the address of these pages only, never in the sign-in page's address, the Referer or the log.
"""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from judgments.base.errors import ArchivedError, JudgmentsError
from judgments.base.names import NameTakenError
from judgments.models import STAFF_ROLES, Membership, Role, User
from judgments.pages.archive_guard import in_archive_too
from judgments.pages.http import form_page
from judgments.people.actions import invitations as actions
from judgments.people.actions.password_tries import TooManyTriesError
from judgments.people.forms import SignUpForm
from judgments.people.views.second_factor import DUE

SEES = {
    Role.RATER: "You judge how well documents answer queries.",
    Role.ENGINEER: "You see queries, documents, lists and grades, and upload runs.",
    Role.ADMIN: "You manage everything: queries, documents, lists, raters and members.",
}


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@in_archive_too  # the action refuses archived query sets, with a message for this page
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Shows the role; a POST joins. People who are signed out first sign in or create an account here."""
    try:
        response = _join(request, token)
    except TooManyTriesError:
        raise  # the middleware answers it, as for every password
    except JudgmentsError as error:
        context = {"problem": str(error)}
        response = render(request, "judgments/people/join.html", context, status=_status(error))
    response["Referrer-Policy"] = (
        "strict-origin"  # with “no-referrer” browsers send no Origin, which the check of forms needs
    )
    add_never_cache_headers(response)
    return response


def _join(request: HttpRequest, token: str) -> HttpResponse:
    user = request.user
    if isinstance(user, User) and (membership := actions.membership_by(token=token, user=user)):
        return render(request, "judgments/people/join.html", {"membership": membership})
    invitation = actions.usable_invitation(token=token, at=timezone.now())
    role = Role(invitation.role)
    context = {"invitation": invitation, "role": role.label.lower(), "sees": SEES[role]}
    if isinstance(user, User):
        if request.method == "POST":
            return _join_and_continue(request, token, user)
        return render(request, "judgments/people/join.html", context)
    return _as_stranger(request, token, context)


def _as_stranger(request: HttpRequest, token: str, context: dict[str, Any]) -> HttpResponse:
    action = request.POST.get("action") if request.method == "POST" else None
    sign_in_form = AuthenticationForm(request, request.POST if action == "sign-in" else None, prefix="in")
    sign_up_form = SignUpForm(request.POST if action == "sign-up" else None, prefix="up")
    if action == "sign-in" and sign_in_form.is_valid():
        login(request, sign_in_form.get_user())
        if DUE in request.session:  # the middleware asks for it, and comes back
            return redirect("join", token)
        return _join_and_continue(request, token, sign_in_form.get_user())
    if action == "sign-up" and sign_up_form.is_valid() and (account := _sign_up(token, sign_up_form)):
        user, membership = account
        login(request, user)
        return _continue(request, membership, new=True)
    context |= {"sign_in_form": sign_in_form, "sign_up_form": sign_up_form, "action": action}
    return form_page(request, "judgments/people/join.html", context, action)


def _sign_up(token: str, form: SignUpForm) -> tuple[User, Membership] | None:
    try:
        return actions.join_with_new_account(
            token=token,
            username=form.cleaned_data["username"],
            password=form.cleaned_data["password1"],
            at=timezone.now(),
        )
    except NameTakenError as error:
        form.add_error("username", str(error))
        return None


def _join_and_continue(request: HttpRequest, token: str, user: User) -> HttpResponse:
    membership, new = actions.join(token=token, user=user, at=timezone.now())
    return _continue(request, membership, new=new)


def _continue(request: HttpRequest, membership: Membership, *, new: bool) -> HttpResponse:
    role = membership.get_role_display().lower()
    messages.success(request, f"You are {'now' if new else 'already'} {role} of {membership.query_set}.")
    return (
        redirect("query-set", membership.query_set_id) if membership.role in STAFF_ROLES else redirect("home")
    )


def _status(error: JudgmentsError) -> int:
    if isinstance(error, actions.InvitationOverError):
        return HTTPStatus.GONE
    return HTTPStatus.CONFLICT if isinstance(error, ArchivedError) else HTTPStatus.NOT_FOUND
