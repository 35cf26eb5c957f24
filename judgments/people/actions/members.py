"""Adds, changes and removes members of query sets."""

from django.db import transaction
from django.utils import timezone

from judgments.base.errors import JudgmentsError
from judgments.lists.actions.held_slots import release_all
from judgments.log.actions import readable_fields, record_act
from judgments.models import Membership, QuerySet, Role, User, Verb
from judgments.people.actions.invitations import revoke_all_by
from judgments.people.actions.tokens import revoke_tokens_of


class LastAdminError(JudgmentsError):
    """A query set would lose its last admin."""

    def __init__(self, user: User, query_set: QuerySet) -> None:
        super().__init__(
            f"{user.username} is the last admin of query set {query_set}. Make somebody else admin first."
        )


class RoleChangedError(JudgmentsError):
    """Somebody else changed the role after a page showed it."""

    def __init__(self, user: User, *, seen: str, now: str, wanted: str) -> None:
        seen, now, wanted = (Role(one).label.lower() for one in (seen, now, wanted))
        super().__init__(
            f"Nothing was changed: {user.username} was {seen} when you opened this page, and somebody made this person {now} since. "
            f"To make this person {wanted}, choose it again."
        )


class MemberAlreadyError(JudgmentsError):
    """The account already has a role in the query set."""

    def __init__(self, user: User) -> None:
        super().__init__(f"{user.username} is already a member. Change the role in the table.")


@transaction.atomic
def add_member(*, query_set: QuerySet, user: User, role: str) -> Membership:
    """Adds a member. Raises MemberAlreadyError."""
    membership, is_new = Membership.objects.get_or_create(
        query_set=query_set, user=user, defaults={"role": role}
    )
    if not is_new:
        raise MemberAlreadyError(user)
    record_act(
        Verb.MEMBER_ADDED, user.username, query_set=query_set, after=readable_fields(membership, "role")
    )
    return membership


@transaction.atomic
def change_role(*, membership: Membership, role: str, seen: str | None = None) -> None:
    """Changes a role; the invitations of a former admin end. `seen` is the role that a page showed before.

    Raises RoleChangedError if it is another one by now, and LastAdminError for the last admin.
    """
    effects = {}
    query_set = _lock(membership)
    if seen in Role.values and membership.role not in (seen, role):
        raise RoleChangedError(membership.user, seen=seen, now=membership.role, wanted=role)
    if membership.role == role:
        return
    if role != Role.ADMIN:
        _keep_an_admin(membership, query_set)
        effects = _revoke_links(membership)
    before = readable_fields(membership, "role")
    membership.role = role
    membership.save(update_fields=["role"])
    record_act(
        Verb.ROLE_CHANGED,
        membership.user.username,
        query_set=membership.query_set_id,
        before=before,
        after=readable_fields(membership, "role") | effects,
    )


class NoAccountError(JudgmentsError):
    """No active account has this name."""

    def __init__(self, username: str) -> None:
        super().__init__(f"There is no active account named “{username}”.")


@transaction.atomic
def give_role(*, query_set: QuerySet, username: str, role: str) -> User:
    """Adds the account of this name as a member, or changes its role. Raises NoAccountError and LastAdminError."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise NoAccountError(username)
    membership = Membership.objects.filter(query_set=query_set, user=user).first()
    if membership is None:
        add_member(query_set=query_set, user=user, role=role)
    elif membership.role != role:
        change_role(membership=membership, role=role)
    return user


@transaction.atomic
def remove_member(*, membership: Membership) -> None:
    """Removes a member and ends this person's invitations and tokens for the query set; judgments stay.

    Others get the pairs that a rater holds at once. Raises LastAdminError for the last admin.
    """
    released = release_all(user=membership.user, query_set=membership.query_set, at=timezone.now())
    _keep_an_admin(membership, _lock(membership))
    effects = _revoke_links(membership) | _revoke_tokens(membership) | released
    before = readable_fields(membership, "role")
    membership.delete()
    record_act(
        Verb.MEMBER_REMOVED,
        membership.user.username,
        query_set=membership.query_set_id,
        before=before,
        after=effects,
    )


def _revoke_links(membership: Membership) -> dict[str, int]:
    """Ends this person's invitations; returns their number for the log if there were any."""
    count = revoke_all_by(query_set_id=membership.query_set_id, user=membership.user, at=timezone.now())
    return {"invitations revoked": count} if count else {}


def _revoke_tokens(membership: Membership) -> dict[str, int]:
    """Likewise this person's tokens for the query set. Others reach what their owner reaches, which is less now."""
    count = revoke_tokens_of(user=membership.user, query_set_id=membership.query_set_id, at=timezone.now())
    return {"API tokens revoked": count} if count else {}


def _lock(membership: Membership) -> QuerySet:
    """Locks the query set, so that two admins can't remove each other at once, and reads the role again."""
    query_set = QuerySet.objects.select_for_update().get(pk=membership.query_set_id)
    membership.refresh_from_db(fields=["role"])
    return query_set


def _keep_an_admin(membership: Membership, query_set: QuerySet) -> None:
    admins = Membership.objects.filter(query_set=membership.query_set_id, role=Role.ADMIN)
    if membership.role == Role.ADMIN and not admins.exclude(pk=membership.pk).exists():
        raise LastAdminError(membership.user, query_set)
