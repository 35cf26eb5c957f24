"""Usable invitations."""

from datetime import datetime

from django.db import models
from django.db.models import F, Q

from judgments.models import Invitation, QuerySet


def usable_invitations(query_set: QuerySet, *, at: datetime) -> models.QuerySet[Invitation]:
    """Invitations that people can use now, newest first. One statement."""
    usable = Q(uses_most=None) | Q(uses__lt=F("uses_most"))
    invitations = query_set.invitations.vouched_for().filter(usable, revoked_at=None, expires_at__gt=at)
    return invitations.select_related("created_by")
