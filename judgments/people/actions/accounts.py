"""Creates accounts and saves what people set for themselves."""

from collections.abc import Mapping

from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.base.names import NameTakenError, given_once
from judgments.models import User
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
