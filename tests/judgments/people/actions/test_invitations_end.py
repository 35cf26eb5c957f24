"""An invitation ends with the right to invite of whoever made it, whichever way that right ends."""

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.models import Membership, User
from judgments.people.actions import invitations
from judgments.people.actions.members import add_member, change_role, remove_member
from judgments.people.actions.site_administration import delete_account, save_account
from judgments.people.reports.accounts import usable_invitations
from tests import factories as make

pytestmark = pytest.mark.django_db


def membership_of(user):
    return Membership.objects.select_related("user").get(user=user)


def deactivate(user):
    user.is_active = False
    save_account(user=user)


def demote_site_administrator(user):
    user.is_superuser = False
    save_account(user=user)


BY_ACTION = {
    "role removed": lambda user: remove_member(membership=membership_of(user)),
    "role lowered": lambda user: change_role(membership=membership_of(user), role="engineer"),
    "account deactivated": deactivate,
    "account deleted": lambda user: delete_account(user=user),
}
BY_QUERYSET = {
    "role removed": lambda user: Membership.objects.filter(user=user).delete(),
    "role lowered": lambda user: Membership.objects.filter(user=user).update(role="engineer"),
    "account deactivated": lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
    "account deleted": lambda user: User.objects.filter(pk=user.pk).delete(),
}
ENDS = [*BY_ACTION.items(), *((f"{name}, by queryset", end) for name, end in BY_QUERYSET.items())]


@pytest.fixture
def query_set():
    query_set = make.make_query_set()
    make.make_member(query_set, "admin")  # somebody else, so that it has an admin still
    return query_set


def invited_by(user, query_set, **more):
    """From now on, because the page of the link asks for the time of the clock."""
    asked = {"role": "admin", "days": 7, "uses_most": None, "at": timezone.now()}
    return invitations.invite(query_set=query_set, user=user, **asked | more)


@pytest.mark.parametrize("end", [end for _, end in ENDS], ids=[name for name, _ in ENDS])
def test_who_may_not_invite_any_more_has_invited_nobody(end, query_set, client):
    inviter, friend = make.make_member(query_set, "admin"), make.make_user()
    _, token = invited_by(inviter, query_set)
    invitations.usable_invitation(token=token, at=make.NOW)

    end(inviter)

    with pytest.raises(invitations.InvitationOverError):
        invitations.usable_invitation(token=token, at=make.NOW)
    with pytest.raises(invitations.InvitationOverError):
        invitations.join(token=token, user=friend, at=make.NOW)
    with pytest.raises(invitations.InvitationOverError):
        invitations.join_with_new_account(token=token, username="new", password="x", at=make.NOW)
    assert not Membership.objects.filter(user=friend).exists()
    assert not usable_invitations(query_set, at=make.NOW).exists()
    client.force_login(friend)
    page = client.get(reverse("join", args=[token]))
    assert page.status_code == 404 or "ended" in page.content.decode() or "revoked" in page.content.decode()


@pytest.mark.parametrize("end", BY_ACTION.values(), ids=BY_ACTION)
def test_a_link_that_ended_stays_ended_when_the_right_comes_back(end, query_set):
    inviter = make.make_member(query_set, "admin")
    made, _ = invited_by(inviter, query_set)

    end(inviter)
    made.refresh_from_db()

    assert made.revoked_at is not None


def test_a_site_administrator_invites_as_long_as_that_lasts(query_set):
    site = make.make_user(is_superuser=True)
    _, token = invited_by(site, query_set)
    invitations.usable_invitation(token=token, at=make.NOW)

    demote_site_administrator(site)

    with pytest.raises(invitations.InvitationOverError, match=r"ended|revoked"):
        invitations.usable_invitation(token=token, at=make.NOW)


def test_a_site_administrator_who_stays_admin_of_the_query_set_has_invited_all_the_same(query_set):
    site = make.make_user(is_superuser=True)
    add_member(query_set=query_set, user=site, role="admin")
    _, token = invited_by(site, query_set)
    _, elsewhere = invited_by(site, make.make_query_set())

    demote_site_administrator(site)

    assert invitations.usable_invitation(token=token, at=make.NOW)
    with pytest.raises(invitations.InvitationOverError):
        invitations.usable_invitation(token=elsewhere, at=make.NOW)
