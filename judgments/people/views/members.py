"""Pages of members and invitations."""

from secrets import token_urlsafe

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from judgments.base.errors import JudgmentsError
from judgments.base.keys import key_in
from judgments.content.reports import query_sets as reports
from judgments.models import Invitation, Membership, QuerySet, Role
from judgments.pages.fetching import administered_query_set, staffed_query_set
from judgments.pages.http import MemberRequest
from judgments.pages.trails import query_set_page
from judgments.people.actions import invitations
from judgments.people.actions import members as actions
from judgments.people.forms import InvitationForm, MemberForm, RoleForm
from judgments.people.reports import accounts as members_report

REMOVED = "removed_member"
"""Names the entry of the session that offers to undo a removal, once."""


@require_http_methods(["GET", "HEAD", "POST"])
def members(request: MemberRequest, pk: int) -> HttpResponse:
    """The members. Admins add, change and remove them here (`action` says which)."""
    query_set = staffed_query_set(request, pk)
    form = MemberForm()
    if request.method == "POST":
        administered_query_set(request, pk)
        form = MemberForm(request.POST) if request.POST.get("action") == "add" else form
        if _change_members(request, query_set, form):
            may_see = QuerySet.objects.staffed_by(request.user).filter(pk=pk).exists()
            return redirect("query-set-members", pk) if may_see else redirect("home")
    return _page(request, query_set, form=form, status=422 if request.method == "POST" else 200)


@never_cache
@require_POST
def invite(request: MemberRequest, pk: int) -> HttpResponse:
    """Shows the link in the response and nowhere else, because a redirect would have to store it.

    The same form sent again shows the same link, with a note.
    """
    query_set = administered_query_set(request, pk)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, query_set, invitation_form=form, status=422)
    at = timezone.now()
    invitation, token = invitations.invite(query_set=query_set, user=request.user, at=at, **form.cleaned_data)
    link = request.build_absolute_uri(reverse("join", args=[token]))
    return _page(request, query_set, invitation=invitation, link=link, sent_twice=invitation.created_at < at)


@require_POST
def revoke(request: MemberRequest, pk: int) -> HttpResponse:
    invitation = get_object_or_404(Invitation.objects.visible_to(request.user), pk=pk)
    invitations.revoke(invitation=invitation, at=timezone.now())
    messages.success(request, "The invitation is revoked. Nobody can join by its link any more.")
    return redirect("query-set-members", invitation.query_set_id)


def _page(
    request: MemberRequest,
    query_set: QuerySet,
    *,
    form: MemberForm | None = None,
    invitation_form: InvitationForm | None = None,
    invitation: Invitation | None = None,
    link: str = "",
    sent_twice: bool = False,
    status: int = 200,
) -> HttpResponse:
    role = reports.role_in(query_set, request.user)
    removed = request.session.pop(REMOVED, None) if request.method != "HEAD" else None
    context = query_set_page(query_set, role, "members", "Members") | {
        "memberships": query_set.memberships.select_related("user").order_by("user__username"),
        "invitations": members_report.usable_invitations(query_set, at=timezone.now())
        if role == Role.ADMIN
        else [],
        "roles": Role.choices,
        "removed": removed if removed and removed["query_set"] == query_set.pk else None,
        "form": form or MemberForm(),
        "invitation_form": invitation_form or InvitationForm(),
        "once": token_urlsafe(16),
        "new_invitation": invitation,
        "link": link,
        "sent_twice": sent_twice,
    }
    return render(request, "judgments/people/query_set_members.html", context, status=status)


def _change_members(request: MemberRequest, query_set: QuerySet, form: MemberForm) -> bool:
    """Whether the change succeeded; if not, the form or a message says why."""
    try:
        if request.POST.get("action") == "add":
            return _add_member(request, query_set, form)
        memberships = query_set.memberships.select_related("user", "query_set")
        membership = memberships.filter(pk=key_in(request.POST.get("membership")) or 0).first()
        if membership is None:
            messages.error(request, "Nothing was changed: this person isn’t a member any more.")
            return False
        return _change_member(request, membership)
    except JudgmentsError as error:
        messages.error(request, str(error))
        return False


def _add_member(request: MemberRequest, query_set: QuerySet, form: MemberForm) -> bool:
    if not form.is_valid():
        return False
    member, role = form.cleaned_data["user"], form.cleaned_data["role"]
    actions.add_member(query_set=query_set, user=member, role=role)
    messages.success(request, f"{member.username} is now {Role(role).label.lower()} of this query set.")
    return True


def _change_member(request: MemberRequest, membership: Membership) -> bool:
    username = membership.user.username
    if request.POST.get("action") == "remove":
        actions.remove_member(membership=membership)
        if membership.user == request.user:
            messages.success(request, f"You left {membership.query_set}.")
        else:
            request.session[REMOVED] = {
                "query_set": membership.query_set_id,
                "username": username,
                "role": membership.role,
            }
        return True
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose a role from the list.")
        return False
    actions.change_role(membership=membership, role=form.cleaned_data["role"], seen=request.POST.get("seen"))
    messages.success(request, f"{username} is now {Role(membership.role).label.lower()}.")
    return True
