"""Keeps the list of browsers in which somebody is signed in, and signs them out."""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction

from judgments.base.tokens import digest
from judgments.models import SignIn, User

FORGOTTEN_AT_ONCE: Final = 1000


@transaction.atomic
def note_sign_in(*, user: User, session_key: str, device: str, address: str, at: datetime) -> None:
    """Adds a session to the list, or says that it was seen now. Forgets those of this account that are over, and some of others."""
    SignIn.objects.filter(user=user, seen_at__lt=at - timedelta(seconds=settings.SESSION_COOKIE_AGE)).delete()
    SignIn.objects.bulk_create(
        [
            SignIn(
                session=digest(session_key),
                user=user,
                device=device[:60],
                address=address[:64],
                since=at,
                seen_at=at,
            )
        ],
        update_conflicts=True,
        unique_fields=["session"],
        update_fields=["device", "address", "seen_at"],
    )
    _forget_expired(at)


def _forget_expired(at: datetime) -> None:
    """Deletes some expired sessions. Django keeps them, and strangers who begin a single sign-on make them, too."""
    expired = Session.objects.select_for_update(skip_locked=True).filter(expire_date__lt=at)
    if keys := list(expired.values_list("pk", flat=True)[:FORGOTTEN_AT_ONCE]):
        Session.objects.filter(pk__in=keys).delete()


@transaction.atomic
def end_other_sessions(*, user: User) -> None:
    """Makes every session of this account invalid. The caller renews the one that is to stay.

    A session carries a hash that the epoch is part of. So this holds wherever sessions are stored.
    """
    user.session_epoch = User.objects.select_for_update().get(pk=user.pk).session_epoch + 1
    user.save(update_fields=["session_epoch"])


@transaction.atomic
def keep_one_session(*, user: User, session_key: str, new_key: str) -> None:
    """Forgets all sessions of this account but one, which has got a new key."""
    SignIn.objects.filter(user=user).exclude(session=digest(session_key)).delete()
    SignIn.objects.filter(session=digest(session_key)).update(session=digest(new_key))


@transaction.atomic
def forget_session(*, session_key: str) -> None:
    """Takes a session that has ended off the list."""
    SignIn.objects.filter(session=digest(session_key)).delete()
