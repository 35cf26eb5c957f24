"""Joining a query set by the link of an invitation, with an account or without one yet.

The token stands in the address of these pages only: it is not handed on to the sign-in page, the Referer or the log.
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
from judgments.people.actions import invitations as actions
from judgments.people.actions.password_tries import TooManyTriesError
from judgments.people.forms.members import SignUpForm

SEES = {
    Role.RATER: "You judge how well documents answer queries.",
    Role.ENGINEER: "You see queries, documents, lists and grades, and upload runs.",
    Role.ADMIN: "You change all of it: queries, documents, lists, raters and members.",
}


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@in_archive_too  # the action says so, in the words of this page
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Says what one would become; a POST joins. Signed out, one signs in or makes an account with the same button."""
    try:
        response = _join(request, token)
    except TooManyTriesError:
        raise  # the middleware answers it, as for every password
    except JudgmentsError as error:
        context = {"problem": str(error)}
        response = render(request, "judgments/people/join.html", context, status=_status(error))
    response["Referrer-Policy"] = (
        "strict-origin"  # “no-referrer” would make browsers hide where a form comes from
    )
    add_never_cache_headers(response)
    return response


def _join(request: HttpRequest, token: str) -> HttpResponse:
    user = request.user
    if isinstance(user, User) and (known := actions.membership_by(token=token, user=user)):
        return render(request, "judgments/people/join.html", {"known": known})
    invitation = actions.standing(token=token, at=timezone.now())
    role = Role(invitation.role)
    context = {"invitation": invitation, "role": role.label.lower(), "sees": SEES[role]}
    if isinstance(user, User):
        if request.method == "POST":
            return _joined(request, token, user)
        return render(request, "judgments/people/join.html", context)
    return _as_stranger(request, token, context)


def _as_stranger(request: HttpRequest, token: str, context: dict[str, Any]) -> HttpResponse:
    asked = request.POST.get("action") if request.method == "POST" else None
    signing_in = AuthenticationForm(request, request.POST if asked == "sign-in" else None, prefix="in")
    signing_in.fields["username"].label = "User name"
    signing_up = SignUpForm(request.POST if asked == "sign-up" else None, prefix="up")
    if asked == "sign-in" and signing_in.is_valid():
        login(request, signing_in.get_user())
        return _joined(request, token, signing_in.get_user())
    if asked == "sign-up" and signing_up.is_valid() and (made := _signed_up(token, signing_up)):
        user, membership = made
        login(request, user)
        return _onward(request, membership, new=True)
    context |= {"signing_in": signing_in, "signing_up": signing_up, "asked": asked}
    return render(request, "judgments/people/join.html", context, status=422 if asked else 200)


def _signed_up(token: str, form: SignUpForm) -> tuple[User, Membership] | None:
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


def _joined(request: HttpRequest, token: str, user: User) -> HttpResponse:
    membership, new = actions.join(token=token, user=user, at=timezone.now())
    return _onward(request, membership, new=new)


def _onward(request: HttpRequest, membership: Membership, *, new: bool) -> HttpResponse:
    role = membership.get_role_display().lower()
    said = f"You are now {role} of" if new else f"You were {role} already of"
    messages.success(request, f"{said} {membership.query_set}.")
    return (
        redirect("query-set", membership.query_set_id) if membership.role in STAFF_ROLES else redirect("home")
    )


def _status(error: JudgmentsError) -> int:
    if isinstance(error, actions.InvitationOverError):
        return HTTPStatus.GONE
    return HTTPStatus.CONFLICT if isinstance(error, ArchivedError) else HTTPStatus.NOT_FOUND
