"""The account behind a token, and the members of query sets and their invitations."""

from datetime import datetime
from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.base.tokens import digest
from judgments.models import ApiToken, Invitation, Membership, Role
from judgments.pages.calls import (
    IDEMPOTENCY_KEY,
    ApiRequest,
    Body,
    Page,
    PageQuery,
    form_data,
    page_answer,
    page_of,
    valid,
)
from judgments.pages.fetching import administered_query_set, staffed_query_set
from judgments.people.actions import invitations
from judgments.people.actions import members as actions
from judgments.people.forms import InvitationForm
from judgments.people.reports.accounts import usable_invitations

router = Router()


class TokenOut(Schema):
    name: str
    scope: ApiToken.Scope
    query_set_id: int | None
    expires_at: datetime


class AccountOut(Schema):
    username: str
    name: str
    token: TokenOut


@router.get("account", response=AccountOut, summary="Who calls, and what the token may do")
def account(request: ApiRequest) -> dict[str, object]:
    user = request.user
    return {"username": user.username, "name": user.display_name, "token": request.token}


class MemberIn(Body):
    username: str
    role: Role


class MemberOut(Schema):
    id: int
    username: str = Field(validation_alias="user.username")
    name: str = Field(validation_alias="user.display_name")
    role: Role


@router.get("query-sets/{int:pk}/members", response=Page[MemberOut], summary="List members")
def members(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    query_set = staffed_query_set(request, pk)
    return page_answer(request, query_set.memberships.select_related("user"), page)


@router.put("query-sets/{int:pk}/members", response=MemberOut, summary="Add a member, or change the role")
def put_member(request: ApiRequest, pk: int, body: MemberIn) -> Membership:
    """For admins. The person needs an account."""
    query_set = administered_query_set(request, pk)
    user = actions.give_role(query_set=query_set, username=body.username.replace("\x00", ""), role=body.role)
    return Membership.objects.select_related("user").get(query_set=query_set, user=user)


@router.delete("query-sets/{int:pk}/members/{int:member}", response={204: None}, summary="Remove a member")
def remove_member(request: ApiRequest, pk: int, member: int) -> Status[None]:
    """For admins. All judgments stay."""
    query_set = administered_query_set(request, pk)
    membership = get_object_or_404(query_set.memberships.select_related("user", "query_set"), pk=member)
    actions.remove_member(membership=membership)
    return Status(204, None)


class InvitationIn(Body):
    role: Role
    days: int = Field(7, description="So many days until it expires, at most 90.")
    uses_most: int | None = Field(1, description="At most so many people. Null: any number.")
    note: str = Field("", description="For whom. Only admins see it.")


class InvitationOut(Schema):
    id: int
    role: Role
    note: str
    uses: int
    uses_most: int | None
    expires_at: datetime
    created_by: str | None


class NewInvitationOut(InvitationOut):
    link: str = Field(description="The address that people open. Nobody can look it up later.")


@router.get("query-sets/{int:pk}/invitations", response=Page[InvitationOut], summary="List invitations")
def list_invitations(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    """For admins. Those that people can use now."""
    query_set = administered_query_set(request, pk)
    shown, following = page_of(request, usable_invitations(query_set, at=timezone.now()), page)
    return {"items": [_invitation(one) for one in shown], "next": following}


@router.post("query-sets/{int:pk}/invitations", response={201: NewInvitationOut}, summary="Invite people")
def invite(request: ApiRequest, pk: int, body: InvitationIn) -> Status[dict[str, Any]]:
    """For admins. Makes a link by which people join."""
    query_set = administered_query_set(request, pk)
    request.has_secret_answer = True
    key = request.headers.get(IDEMPOTENCY_KEY, "")
    form = valid(InvitationForm(form_data(body.dict() | {"once": digest(key)[:40] if key else ""})))
    invitation, token = invitations.invite(
        query_set=query_set, user=request.user, at=timezone.now(), **form.cleaned_data
    )
    link = request.build_absolute_uri(reverse("join", args=[token]))
    return Status(201, _invitation(invitation) | {"link": link})


@router.delete("invitations/{int:pk}", response={204: None}, summary="Revoke an invitation")
def revoke_invitation(request: ApiRequest, pk: int) -> Status[None]:
    """For admins. People who joined by it stay members."""
    row = get_object_or_404(Invitation.objects.visible_to(request.user), pk=pk)
    invitations.revoke(invitation=row, at=timezone.now())
    return Status(204, None)


def _invitation(row: Invitation) -> dict[str, Any]:
    named = {name: getattr(row, name) for name in ("role", "note", "uses", "uses_most", "expires_at")}
    return named | {"id": row.pk, "created_by": row.created_by.display_name if row.created_by else None}
