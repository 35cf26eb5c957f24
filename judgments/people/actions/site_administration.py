"""What site administrators write about accounts: who there is, and what they may do on the whole site."""

from django.db import transaction
from django.utils import timezone

from judgments.log.actions import readable_fields, record_act
from judgments.models import Invitation, User, Verb
from judgments.people.actions.invitations import revoke_unvouched_by

ACCESS = ("username", "is_active", "is_staff", "is_superuser")


@transaction.atomic
def save_account(*, user: User) -> None:
    """Saves an account, new or changed, as a site administrator left it. What it is called and may do is logged.

    An account that may not invite any more loses the links that it made.
    """
    stored = User.objects.select_for_update().filter(pk=user.pk).first()
    before = readable_fields(stored, *ACCESS) if stored else None
    user.save()
    revoked = revoke_unvouched_by(user=user, at=timezone.now())
    record_act(
        Verb.CHANGED if stored else Verb.CREATED,
        f"account {user.username}",
        before=before,
        after=readable_fields(user, *ACCESS) | ({"invitations revoked": revoked} if revoked else {}),
    )


@transaction.atomic
def delete_account(*, user: User) -> None:
    """Deletes an account with its roles; the links that it made end. Raises ProtectedError where it has judged.

    Each query set that is not archived says in its log that the member is gone. Even its last admin may go: whoever is to
    have no access any more must not keep it until somebody else is found, and site administrators reach every query set.
    """
    roles = list(user.memberships.select_related("query_set"))
    Invitation.objects.filter(created_by=user, revoked_at=None).update(revoked_at=timezone.now())
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
    """Saves the password that a site administrator gave an account, or took from it. The log says that, and no more."""
    user.save(update_fields=["password"])
    record_new_password(username=user.username)


def record_new_password(*, username: str) -> None:
    """Logs that an account got another password, which Django's own command or form has saved."""
    record_act(Verb.CHANGED, f"the password of account {username}")


def record_new_account(*, user: User) -> None:
    """Logs an account that Django's own command has made, and what it may do."""
    record_act(Verb.CREATED, f"account {user.username}", after=readable_fields(user, *ACCESS))
