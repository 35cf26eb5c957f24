"""What site administrators do with accounts."""

from django.db import transaction
from django.utils import timezone

from judgments.base.names import NameTakenError
from judgments.lists.actions.held_slots import release_all
from judgments.log.actions import readable_fields, record_act
from judgments.models import User, Verb
from judgments.people.actions.accounts import AccountErasedError
from judgments.people.actions.invitations import revoke_all_by, revoke_unvouched_by
from judgments.people.actions.tokens import revoke_tokens_of
from judgments.people.reports.erasure import name_is_reserved

ACCESS = ("username", "is_active", "is_staff", "is_superuser")


@transaction.atomic
def save_account(*, user: User) -> None:
    """Saves a new or changed account and logs its name and access.

    If the account may not invite people any more, its invitations end, and if it is deactivated, its tokens, and others get
    the pairs that it holds.
    Raises AccountErasedError, and NameTakenError for a name that an erased account had.
    """
    released = {} if user.is_active or user.pk is None else release_all(user=user, at=timezone.now())
    current = User.objects.select_for_update().filter(pk=user.pk).first()
    if current and current.erased_at:
        raise AccountErasedError(current)
    if (current is None or current.username != user.username) and name_is_reserved(user.username):
        raise NameTakenError(user.username)
    before = readable_fields(current, *ACCESS) if current else None
    user.save()
    link_count = revoke_unvouched_by(user=user, at=timezone.now())
    token_count = 0 if user.is_active else revoke_tokens_of(user=user, at=timezone.now())
    counts = {"invitations revoked": link_count, "API tokens revoked": token_count} | released
    record_act(
        Verb.CHANGED if current else Verb.CREATED,
        f"account {user.username}",
        before=before,
        after=readable_fields(user, *ACCESS) | {words: count for words, count in counts.items() if count},
    )


@transaction.atomic
def delete_account(*, user: User) -> None:
    """Deletes an account with its roles, and ends its invitations. Raises ProtectedError if it has judgments.

    Query sets that aren't archived log the removed member. This may be the last admin, so that access can end at once;
    site administrators can reach every query set.
    """
    release_all(user=user, at=timezone.now())
    roles = list(user.memberships.select_related("query_set"))
    revoke_all_by(user=user, at=timezone.now())
    before = readable_fields(user, *ACCESS) | {
        "roles": [f"{one.query_set}: {one.get_role_display()}" for one in roles]
    }
    user.delete()
    for membership in roles:
        if membership.query_set.archived_at is None:
            record_act(
                Verb.MEMBER_REMOVED,
                user.username,
                query_set=membership.query_set,
                before=readable_fields(membership, "role"),
                note="The account was deleted.",
            )
    record_act(Verb.DELETED, f"account {user.username}", before=before)


@transaction.atomic
def save_password(*, user: User) -> None:
    """Saves a password that a site administrator has set or made unusable, and logs that."""
    user.save(update_fields=["password"])
    user.sign_ins.all().delete()  # their sessions have ended
    record_new_password(username=user.username)


def record_new_password(*, username: str) -> None:
    """Logs a new password that Django's own command or form has saved."""
    record_act(Verb.CHANGED, f"the password of account {username}")


def record_new_account(*, user: User) -> None:
    """Logs an account that Django's own command has created. Raises NameTakenError for a name of an erased account."""
    if name_is_reserved(user.username):
        raise NameTakenError(user.username)
    record_act(Verb.CREATED, f"account {user.username}", after=readable_fields(user, *ACCESS))
