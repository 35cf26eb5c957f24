"""Who has a second factor, and who has to have one."""

from typing import Final

from allauth.mfa import app_settings
from allauth.mfa.models import Authenticator
from django.conf import settings

from judgments.models import Membership, Role, User
from judgments.people.reports.demo import is_everybodys

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
