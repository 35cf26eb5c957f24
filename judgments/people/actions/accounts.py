"""Creates accounts and saves what people set for themselves."""

from collections.abc import Mapping

from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.base.names import NameTakenError, given_once
from judgments.log.actions import record_act
from judgments.models import User, Verb
from judgments.people.demo import DEMO_ACCOUNTS
from judgments.people.reports.erasure import name_is_reserved

UNIQUE_USERNAME = "judgments_user_username_key"


class AccountErasedError(JudgmentsError):
    """The personal data of the account was erased."""

    def __init__(self, user: User) -> None:
        super().__init__(f"The personal data of {user.username} was erased. The account stays as it is.")


@transaction.atomic
def set_single_key_shortcuts(*, user: User, on: bool) -> None:
    """Turns single-key shortcuts on or off for this account."""
    user.single_key_shortcuts = on
    user.save(update_fields=["single_key_shortcuts"])


@transaction.atomic
def set_pace(*, user: User, daily_goal: int | None, break_minutes: int | None) -> None:
    """Saves a daily goal in judgments and the minutes until a break is suggested; None turns one off."""
    user.daily_goal, user.break_minutes = daily_goal, break_minutes
    user.save(update_fields=["daily_goal", "break_minutes"])


@transaction.atomic
def set_keys(*, user: User, keys: Mapping[str, str]) -> None:
    """Saves keys of the rating screen that this account changed: command to key."""
    user.keys = dict(keys)
    user.save(update_fields=["keys"])


@transaction.atomic
def create_account(*, username: str, password: str) -> User:
    """Creates an account; the form has checked the password. Raises NameTakenError."""
    if name_is_reserved(username):
        raise NameTakenError(username)
    with given_once(username, constraint=UNIQUE_USERNAME):
        return User.objects.create_user(username, password=password)


@transaction.atomic
def create_demo_accounts() -> dict[str, User]:
    """The accounts of demo mode by user name; creates missing ones.

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
def end_demo_sessions() -> None:
    """Ends the sessions of demo accounts once demo mode is off.

    A session is tied to the password's hash, and that of an unusable password is random. Skips accounts that have got a
    password since, because they belong to somebody.
    """
    for user in User.objects.filter(username__in=[demo.username for demo in DEMO_ACCOUNTS]):
        if not user.has_usable_password():
            user.set_unusable_password()
            user.save(update_fields=["password"])
