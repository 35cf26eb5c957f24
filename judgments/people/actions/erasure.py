"""Erases somebody's personal data: the judgments stay, under a pseudonym (ADR 69)."""

from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.files.actions.uploads import discard_undecided
from judgments.lists.actions.held_slots import release_all
from judgments.log.actions import readable_fields, record_act, who_acts
from judgments.models import (
    ApiAnswer,
    ApiToken,
    ApiUse,
    Assignment,
    Draft,
    Invitation,
    Rater,
    SignIn,
    User,
    Verb,
)
from judgments.people import sql
from judgments.people.actions.accounts import AccountErasedError
from judgments.people.reports.erasure import former_name_digest, pseudonym_of


class LastSiteAdministratorError(JudgmentsError):
    """Nobody could administer the site any more."""

    sentence = (
        "This is the last account of a site administrator. Make somebody else site administrator first."
    )


class OwnAccountError(JudgmentsError):
    """The acting account can't be erased: the log would have to say who did it."""

    sentence = "You can’t erase the account that you are signed in with. Ask another site administrator, or run manage.py erase_person."


class PseudonymTakenError(JudgmentsError):
    """Another account is called like the pseudonym."""

    def __init__(self, pseudonym: str) -> None:
        super().__init__(
            f"Nothing was erased, because another account is called {pseudonym}. Rename that account first."
        )


@transaction.atomic
def erase_person(*, user: User, blank_comments: bool, at: datetime) -> User:
    """Turns the account into a pseudonym that nobody can sign in with, and returns it. Judgments, grades and versions stay.

    Raises OwnAccountError, AccountErasedError, LastSiteAdministratorError and PseudonymTakenError.
    """
    release_all(user=user, at=at)
    user = User.objects.select_for_update().get(pk=user.pk)
    check_erasable(user)
    names = [name for name, is_shared in sql.names_of(user.pk).items() if not is_shared]
    remove_access(user)
    User.objects.filter(pk=user.pk).update(erased_at=at, is_active=False)
    # While the account still has its names, by which the database finds them in the log.
    actor = who_acts()
    sql.erase_person(user.pk, actor.pk if actor else None, comments=blank_comments)
    pseudonym = pseudonym_of(user)
    Rater.objects.filter(user=user).update(name=pseudonym)
    account = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=account, object_id=str(user.pk)).update(
        object_repr=pseudonym, change_message=""
    )
    erased = User(
        pk=user.pk,
        username=pseudonym,
        is_active=False,
        date_joined=at,
        session_epoch=user.session_epoch + 1,
        erased_at=at,
        former_names=sorted({former_name_digest(name) for name in names}),
    )
    erased.set_unusable_password()
    erased.save(force_update=True)
    _record_removals(erased)
    return erased


def check_erasable(user: User) -> None:
    """Raises what `erase_person` raises."""
    if user == who_acts():
        raise OwnAccountError
    if user.erased_at:
        raise AccountErasedError(user)
    administrators = User.objects.filter(is_superuser=True, is_active=True)
    if user.is_superuser and not administrators.exclude(pk=user.pk).exists():
        raise LastSiteAdministratorError
    if User.objects.filter(username=pseudonym_of(user)).exists():
        raise PseudonymTakenError(pseudonym_of(user))


def remove_access(user: User) -> None:
    """Everything by which the person or a program of theirs got in, and what only concerned them."""
    sql.end_sessions(user.pk)
    SignIn.objects.filter(user=user).delete()
    own: tuple[Any, ...] = (
        ApiToken,
        ApiUse,
        ApiAnswer,
        Assignment,
        Authenticator,
        SocialAccount,
        EmailAddress,
    )
    for rows in own:
        rows.objects.filter(user=user).delete()
    Invitation.objects.filter(created_by=user).delete()
    while discard_undecided(user=user):
        pass
    Draft.objects.filter(user=user, query_set=None).delete()


def _record_removals(erased: User) -> None:
    """Each query set that isn't archived says that it has lost a member."""
    for membership in erased.memberships.select_related("query_set"):
        if membership.query_set.archived_at is None:
            record_act(
                Verb.MEMBER_REMOVED,
                erased.username,
                query_set=membership.query_set,
                before=readable_fields(membership, "role"),
                note="The personal data of this account was erased.",
            )
    erased.memberships.all().delete()


@transaction.atomic
def record_data_export(*, user: User) -> None:
    """Logs that a site administrator takes somebody's personal data out."""
    record_act(Verb.EXPORTED, f"the personal data of account {user.username}")
