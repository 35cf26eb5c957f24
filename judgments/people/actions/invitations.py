"""Invitations by link. A link is shown once; only the SHA-256 of its token is kept."""

import secrets
from base64 import urlsafe_b64encode
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from django.db import transaction
from django.utils.crypto import salted_hmac

from judgments.base.errors import ArchivedError, JudgmentsError
from judgments.log.actions import acting, record_act
from judgments.models import Invitation, Membership, QuerySet, Role, User, Verb
from judgments.people.actions.accounts import create_account

TOKEN_BYTES: Final = 32
MOST_DAYS: Final = 90


class NoInvitationError(JudgmentsError):
    """No invitation has this token."""

    def __init__(self) -> None:
        super().__init__("There is no such invitation. Ask whoever sent you the link for a new one.")


class InvitationOverError(JudgmentsError):
    """An invitation that was there and cannot be used any more."""

    def __init__(self, why: str) -> None:
        super().__init__(f"This invitation {why}. Ask whoever sent you the link for a new one.")


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
    """The invitation and its token, which nobody can find out later. `uses_most` is None for any number of people.

    With the same `once` the same invitation is made once, and given again while it can be used.
    """
    asked = (query_set.pk, user.pk, role, days, uses_most, note, once)
    token = _token_of(*asked) if once else secrets.token_urlsafe(TOKEN_BYTES)
    facts = {
        "query_set": query_set,
        "role": role,
        "note": note,
        "uses_most": uses_most,
        "created_by": user,
        "created_at": at,
        "expires_at": at + timedelta(days=days),
    }
    made, new = Invitation.objects.get_or_create(token_sha256=digest(token), defaults=facts)
    if not new:
        try:
            return _usable(made, at), token
        except InvitationOverError:
            token = secrets.token_urlsafe(TOKEN_BYTES)
            made = Invitation.objects.create(token_sha256=digest(token), **facts)
    record_act(
        Verb.INVITED,
        _subject(made),
        query_set=query_set,
        after={"role": Role(role).label, "days": days, "people at most": uses_most},
    )
    return made, token


@transaction.atomic
def revoke(*, invitation: Invitation, at: datetime) -> None:
    """Whoever has joined by it stays a member. Nothing happens the second time."""
    found = Invitation.objects.filter(pk=invitation.pk, revoked_at=None)
    if found.update(revoked_at=at):
        record_act(Verb.INVITATION_REVOKED, _subject(invitation), query_set=invitation.query_set_id)


def revoke_all_by(*, query_set_id: int, user: User, at: datetime) -> int:
    """Takes back the links of somebody who may not invite any more; how many. The caller's act says so."""
    found = Invitation.objects.filter(query_set=query_set_id, created_by=user, revoked_at=None)
    return found.update(revoked_at=at)


def revoke_unvouched_by(*, user: User, at: datetime) -> int:
    """Takes back the links that `user` made and could not make any more; how many. The caller's act says so.

    They are worth nothing already. Revoked, they stay so when the account gets its role back.
    """
    mine = Invitation.objects.filter(created_by=user, revoked_at=None)
    return mine.exclude(pk__in=mine.vouched_for().values("pk")).update(revoked_at=at)


def standing(*, token: str, at: datetime) -> Invitation:
    """The invitation of this token, while it can be used.

    Raises NoInvitationError, InvitationOverError, and ArchivedError while its query set is archived.
    """
    return _usable(_found(token), at)


def membership_by(*, token: str, user: User) -> Membership | None:
    """What `user` is already where the invitation leads to, used up or not. Raises NoInvitationError."""
    return _found(token).query_set.memberships.filter(user=user).select_related("query_set").first()


@transaction.atomic
def join(*, token: str, user: User, at: datetime) -> tuple[Membership, bool]:
    """The membership, and whether it is new: who is a member already keeps the role, and takes nobody's place.

    The invitation is locked, so that of two people at once only one gets its last place. Raises as `standing`.
    """
    invitation = _found(token, lock=True)
    membership = Membership.objects.filter(query_set=invitation.query_set, user=user).first()
    if membership is not None:
        return membership, False
    _usable(invitation, at)
    membership = Membership.objects.create(query_set=invitation.query_set, user=user, role=invitation.role)
    invitation.uses += 1
    invitation.save(update_fields=["uses"])
    with acting(user):  # who signs in or up with the link was nobody when the request came
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
    """Makes the account only where the invitation still holds. Raises as `join`, and NameTakenError."""
    _usable(_found(token, lock=True), at)
    user = create_account(username=username, password=password)
    membership, _ = join(token=token, user=user, at=at)
    return user, membership


def _found(token: str, *, lock: bool = False) -> Invitation:
    invitations = Invitation.objects.select_related("query_set", "created_by")
    if lock:
        invitations = invitations.select_for_update(of=("self",))
    found = invitations.filter(token_sha256=digest(token)).first()
    if found is None:
        raise NoInvitationError
    return found


def _usable(invitation: Invitation, at: datetime) -> Invitation:
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


def _token_of(*asked: object) -> str:
    """Known to nobody without the site's secret key, and always the same for the same."""
    made = salted_hmac("judgments.invitations", repr(asked), algorithm="sha256").digest()
    return urlsafe_b64encode(made).decode().rstrip("=")


def digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _subject(invitation: Invitation) -> str:
    whom = invitation.note or "whoever has the link"
    return f"{whom}, as {Role(invitation.role).label.lower()}"
