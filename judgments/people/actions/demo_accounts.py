"""The accounts of demo mode: creates them, and ends what was done with them once the mode is off."""

from datetime import datetime

from django.db import transaction

from judgments.log.actions import record_act
from judgments.models import User, Verb
from judgments.people.actions.invitations import revoke_all_by
from judgments.people.actions.tokens import revoke_tokens_of
from judgments.people.demo import DEMO_ACCOUNTS


@transaction.atomic
def create_demo_accounts() -> dict[str, User]:
    """The accounts of demo mode by username; creates missing ones.

    They have no password: people sign in by a button, and only while demo mode is on.
    """
    accounts = {}
    for demo in DEMO_ACCOUNTS:
        first_name, last_name = demo.name.split(" ", 1)
        user, is_new = User.objects.get_or_create(
            username=demo.username, defaults={"first_name": first_name, "last_name": last_name}
        )
        if is_new:
            user.set_unusable_password()
            user.save(update_fields=["password"])
            record_act(Verb.CREATED, f"demo account {user.display_name}", after={"username": user.username})
        accounts[demo.username] = user
    return accounts


@transaction.atomic
def end_demo(*, at: datetime) -> None:
    """Ends the sessions, the tokens and the invitations of demo accounts once demo mode is off.

    A session is tied to the password's hash, and that of an unusable password is random. Skips accounts that have got a
    password since, because they belong to somebody.
    """
    for user in User.objects.filter(username__in=[demo.username for demo in DEMO_ACCOUNTS]):
        if user.has_usable_password():
            continue
        user.set_unusable_password()
        user.save(update_fields=["password"])
        links, tokens = revoke_all_by(user=user, at=at), revoke_tokens_of(user=user, at=at)
        if links or tokens:
            record_act(
                Verb.CHANGED,
                f"demo account {user.display_name}",
                after={"invitations revoked": links, "API tokens revoked": tokens},
            )
