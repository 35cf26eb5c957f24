"""Accounts of people who sign in at an OpenID Connect provider (ADR 70)."""

import re
from dataclasses import dataclass
from itertools import count

from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.base.names import given_once
from judgments.log.actions import acting, record_act
from judgments.models import User, Verb
from judgments.people.actions.accounts import UNIQUE_USERNAME
from judgments.people.reports.erasure import name_is_reserved

LONGEST_NAME = 150


@dataclass(frozen=True, slots=True)
class Identity:
    """Who somebody is, as the provider says. `is_verified` is about the e-mail address.

    `subject` never changes at the provider, but another provider may use it for somebody else. So it counts only with the
    provider's own address, `provider`.
    """

    provider: str
    subject: str
    email: str = ""
    is_verified: bool = False
    username: str = ""
    first_name: str = ""
    last_name: str = ""


class SignOnRefusedError(JudgmentsError):
    """The provider knows the person, and this site has no account for them, or a deactivated one. The message says why."""

    def __init__(self, why: str, account: str = "") -> None:
        super().__init__(why)
        self.account = account


@transaction.atomic
def account_of(*, identity: Identity, create: bool) -> User:
    """The account that this identity was linked with, else the one with its verified address, else a new one without any role.

    Raises SignOnRefusedError. An account never is anybody's because of an address that the provider hasn't verified.
    """
    links = SocialAccount.objects.filter(provider=identity.provider, uid=identity.subject)
    if link := links.select_related("user").first():
        return _active(link.user)
    if not identity.email or not identity.is_verified:
        raise SignOnRefusedError(
            "Your provider hasn’t confirmed your e-mail address, so it can’t show which account is yours. "
            "Confirm it there, then try again."
        )
    accounts = _accounts_with(identity.email)
    if len(accounts) > 1:
        raise SignOnRefusedError(
            "More than one account here has your e-mail address. Ask a site administrator to keep it in one of them only."
        )
    if accounts:
        user, how = _active(accounts[0]), "linked"
    elif create:
        user, how = _new_account(identity), "new account"
    else:
        raise SignOnRefusedError(
            "No account here has your e-mail address. Ask a site administrator for an account, or open your invitation."
        )
    SocialAccount.objects.create(user=user, provider=identity.provider, uid=identity.subject)
    with acting(user):
        verb = Verb.CREATED if how == "new account" else Verb.CHANGED
        record_act(verb, f"account {user.username}", after={"single sign-on": how})
    return user


def _accounts_with(email: str) -> list[User]:
    """In capital or small letters of ASCII only: elsewhere letters that differ have the same capital, as i and the dotless ı have."""
    found = User.objects.select_for_update().filter(email__iexact=email)
    return [user for user in found if user.email.encode().lower() == email.encode().lower()]


def _active(user: User) -> User:
    if not user.is_active:
        raise SignOnRefusedError("Your account is deactivated. Ask a site administrator.", user.username)
    return user


def _new_account(identity: Identity) -> User:
    wanted = identity.username or identity.email.partition("@")[0]
    base = re.sub(r"[^\w.@+-]", "", wanted)[: LONGEST_NAME - 10] or "person"
    numbered = (f"{base}{number}" if number > 1 else base for number in count(1))
    username = next(
        name
        for name in numbered
        if not name_is_reserved(name) and not User.objects.filter(username__iexact=name).exists()
    )
    user = User(
        username=username,
        email=identity.email,
        first_name=identity.first_name[:LONGEST_NAME],
        last_name=identity.last_name[:LONGEST_NAME],
    )
    user.set_unusable_password()
    with given_once(username, constraint=UNIQUE_USERNAME):
        user.save()
    return user
