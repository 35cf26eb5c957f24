"""Accounts: which of them belong to nobody, who has a second factor, open invitations, and where somebody is signed in."""

from datetime import datetime, timedelta
from typing import Final

from allauth.mfa import app_settings
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from judgments.models import Invitation, Membership, QuerySet, Role, SignIn, User
from judgments.people.demo import DEMO_ACCOUNTS


def is_everybodys(user: User) -> bool:
    """In demo mode anybody signs in with these accounts by a button. No visitor must lock out others, or see where they are."""
    return settings.DEMO and user.username in {demo.username for demo in DEMO_ACCOUNTS}


OFF, OPTIONAL, ADMINS = "off", "optional", "admins"
CODE: Final = "code"
"""The session is good for nothing but giving a code."""
SET_UP: Final = "set-up"
"""Likewise, for setting up a second factor."""


def is_offered(user: User) -> bool:
    """Whether this person may set one up. Who has one is asked for it in any case."""
    return settings.SECOND_FACTOR != OFF and not is_everybodys(user)


def has_second_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists())


def is_required(user: User) -> bool:
    """By setting, of site administrators and of admins of a query set."""
    if settings.SECOND_FACTOR != ADMINS or is_everybodys(user):
        return False
    if user.is_superuser or user.is_staff:
        return True
    return Membership.objects.filter(user=user, role=Role.ADMIN).exists()


def what_is_due(user: User) -> str:
    """What has to follow the password: CODE, SET_UP, or nothing."""
    if has_second_factor(user):
        return CODE
    return SET_UP if is_required(user) else ""


def unused_recovery_codes(user: User) -> int:
    """Counted by what is noted as used, which needs no key."""
    row = Authenticator.objects.filter(user=user, type=Authenticator.Type.RECOVERY_CODES).first()
    return app_settings.RECOVERY_CODE_COUNT - row.data["used_mask"].bit_count() if row else 0


def usable_invitations(query_set: QuerySet, *, at: datetime) -> models.QuerySet[Invitation]:
    """Invitations that people can use now, newest first. One statement."""
    usable = Q(uses_most=None) | Q(uses__lt=F("uses_most"))
    invitations = query_set.invitations.vouched_for().filter(usable, revoked_at=None, expires_at__gt=at)
    return invitations.select_related("created_by")


MOST_SIGN_INS: Final = 50


def sign_ins(user: User) -> models.QuerySet[SignIn]:
    """Where this account is signed in, the last one seen first. One statement."""
    oldest = timezone.now() - timedelta(seconds=settings.SESSION_COOKIE_AGE)
    return SignIn.objects.filter(user=user, seen_at__gte=oldest)[:MOST_SIGN_INS]
