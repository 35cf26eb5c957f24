"""Invitations by link. A link is shown once; the database has only the SHA-256 of its token."""

import secrets
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from judgments.base.errors import ArchivedError, JudgmentsError
from judgments.base.tokens import derived_token, digest
from judgments.log.actions import acting, record_act
from judgments.models import Invitation, Membership, QuerySet, Role, User, Verb
from judgments.people.actions.accounts import create_account

TOKEN_BYTES: Final = 32
MOST_DAYS: Final = 90


class NoInvitationError(JudgmentsError):
    """No invitation has this token."""

    def __init__(self) -> None:
        super().__init__("This invitation doesn’t exist. Ask the person who sent you the link for a new one.")


class InvitationOverError(JudgmentsError):
    """The invitation can't be used any more."""

    def __init__(self, why: str) -> None:
        super().__init__(f"This invitation {why}. Ask the person who sent you the link for a new one.")


@transaction.atomic
def invite(
    *,
    query_set: QuerySet,
    role: str,
    days: int,
    uses_most: int | None,
    at: datetime,
    user: User,
    note: str = "",
    once: str = "",
) -> tuple[Invitation, str]:
    """Creates an invitation; returns it with its token, which nobody can look up later. `uses_most` None: no limit.

    The same form sent twice (`once`) creates one invitation and returns it again while it can be used.
    """
    form = (query_set.pk, user.pk, role, days, uses_most, note, once)
    token = derived_token("judgments.invitations", *form) if once else secrets.token_urlsafe(TOKEN_BYTES)
    facts = {
        "query_set": query_set,
        "role": role,
        "note": note,
        "uses_most": uses_most,
        "created_by": user,
        "created_at": at,
        "expires_at": at + timedelta(days=days),
    }
    invitation, is_new = Invitation.objects.get_or_create(token_sha256=digest(token), defaults=facts)
    if not is_new:
        try:
            return _check_usable(invitation, at), token
        except InvitationOverError:
            token = secrets.token_urlsafe(TOKEN_BYTES)
            invitation = Invitation.objects.create(token_sha256=digest(token), **facts)
    record_act(
        Verb.INVITED,
        _subject(invitation),
        query_set=query_set,
        after={"role": Role(role).label, "days": days, "people at most": uses_most},
    )
    return invitation, token


@transaction.atomic
def revoke(*, invitation: Invitation, at: datetime) -> None:
    """Revokes an invitation; people who joined by it stay members. A second time nothing happens."""
    if Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=at):
        record_act(Verb.INVITATION_REVOKED, _subject(invitation), query_set=invitation.query_set_id)


def revoke_all_by(*, user: User, at: datetime, query_set_id: int | None = None) -> int:
    """Revokes all links of somebody who may not invite any more, or those to one query set; returns how many. The caller logs it."""
    links = Invitation.objects.filter(created_by=user, revoked_at=None)
    if query_set_id is not None:
        links = links.filter(query_set=query_set_id)
    return links.update(revoked_at=at)


def revoke_unvouched_by(*, user: User, at: datetime) -> int:
    """Revokes links that `user` couldn't create any more; returns how many. The caller logs it.

    Nobody can use them anyway. Once revoked, they stay so if the account gets its role back.
    """
    mine = Invitation.objects.filter(created_by=user, revoked_at=None)
    return mine.exclude(pk__in=mine.vouched_for().values("pk")).update(revoked_at=at)


def usable_invitation(*, token: str, at: datetime) -> Invitation:
    """The invitation of this token. Raises NoInvitationError, InvitationOverError, and ArchivedError in the archive."""
    return _check_usable(_invitation(token), at)


def membership_by(*, token: str, user: User) -> Membership | None:
    """The membership that `user` already has in the invitation's query set. Raises NoInvitationError."""
    return _invitation(token).query_set.memberships.filter(user=user).select_related("query_set").first()


@transaction.atomic
def join(*, token: str, user: User, at: datetime) -> tuple[Membership, bool]:
    """The membership and whether it's new. Members keep their role, which doesn't count as a use.

    Locks the invitation, so that of two people only one can use it a last time. Raises what `usable_invitation` raises.
    """
    invitation = _invitation(token, lock=True)
    membership = Membership.objects.filter(query_set=invitation.query_set, user=user).first()
    if membership is not None:
        return membership, False
    _check_usable(invitation, at)
    membership = Membership.objects.create(query_set=invitation.query_set, user=user, role=invitation.role)
    invitation.uses += 1
    invitation.save(update_fields=["uses"])
    with acting(user):  # because the request began before this person signed in
        record_act(
            Verb.JOINED,
            user.username,
            query_set=invitation.query_set,
            after={"role": Role(invitation.role).label},
            note=invitation.note,
        )
    return membership, True


@transaction.atomic
def join_with_new_account(
    *, token: str, username: str, password: str, at: datetime
) -> tuple[User, Membership]:
    """Creates an account if the invitation is usable, and joins. Raises what `join` raises, and NameTakenError."""
    _check_usable(_invitation(token, lock=True), at)
    user = create_account(username=username, password=password)
    membership, _ = join(token=token, user=user, at=at)
    return user, membership


def _invitation(token: str, *, lock: bool = False) -> Invitation:
    invitations = Invitation.objects.select_related("query_set", "created_by")
    if lock:
        invitations = invitations.select_for_update(of=("self",))
    invitation = invitations.filter(token_sha256=digest(token)).first()
    if invitation is None:
        raise NoInvitationError
    return invitation


def _check_usable(invitation: Invitation, at: datetime) -> Invitation:
    if invitation.revoked_at:
        raise InvitationOverError("was revoked")
    if invitation.expires_at <= at:
        raise InvitationOverError("has expired")
    if invitation.uses_most is not None and invitation.uses >= invitation.uses_most:
        raise InvitationOverError("has been used up")
    if not Invitation.objects.vouched_for().filter(pk=invitation.pk).exists():
        raise InvitationOverError("ended when the person who made it could no longer invite people")
    if invitation.query_set.archived_at:
        raise ArchivedError
    return invitation


def _subject(invitation: Invitation) -> str:
    whom = invitation.note or "anyone with the link"
    return f"{whom}, as {Role(invitation.role).label.lower()}"
