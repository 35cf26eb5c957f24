"""The account behind a token, and the members of query sets."""

from datetime import datetime
from typing import Any

from django.shortcuts import get_object_or_404
from ninja import Query as InQuery
from ninja import Router, Schema, Status

from judgments.models import ApiToken, Membership, QuerySet, Role
from judgments.pages.calls import ApiRequest, Page, PageQuery, page_of
from judgments.people.actions import members as actions

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


class MemberIn(Schema):
    username: str
    role: Role


class MemberOut(Schema):
    id: int
    username: str
    name: str
    role: Role


@router.get("query-sets/{int:pk}/members", response=Page[MemberOut], summary="List members")
def members(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    query_set = get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    shown, following = page_of(request, query_set.memberships.select_related("user"), page)
    return {"items": [_member(one) for one in shown], "next": following}


@router.put("query-sets/{int:pk}/members", response=MemberOut, summary="Add a member, or change the role")
def put_member(request: ApiRequest, pk: int, body: MemberIn) -> dict[str, Any]:
    """For admins. The person needs an account."""
    query_set = get_object_or_404(QuerySet.objects.administered_by(request.user), pk=pk)
    user = actions.give_role(query_set=query_set, username=body.username.replace("\x00", ""), role=body.role)
    return _member(Membership.objects.select_related("user").get(query_set=query_set, user=user))


@router.delete("query-sets/{int:pk}/members/{int:member}", response={204: None}, summary="Remove a member")
def remove_member(request: ApiRequest, pk: int, member: int) -> Status[None]:
    """For admins. All judgments stay."""
    query_set = get_object_or_404(QuerySet.objects.administered_by(request.user), pk=pk)
    membership = get_object_or_404(query_set.memberships.select_related("user", "query_set"), pk=member)
    actions.remove_member(membership=membership)
    return Status(204, None)


def _member(membership: Membership) -> dict[str, Any]:
    user = membership.user
    return {
        "id": membership.pk,
        "username": user.username,
        "name": user.display_name,
        "role": membership.role,
    }
