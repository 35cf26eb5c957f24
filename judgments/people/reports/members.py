"""Usable invitations, and where somebody is signed in."""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from judgments.models import Invitation, QuerySet, SignIn, User


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
