"""Who can still join a query set by a link."""

from datetime import datetime

from django.db import models
from django.db.models import F, Q

from judgments.models import Invitation, QuerySet


def standing_invitations(query_set: QuerySet, *, at: datetime) -> models.QuerySet[Invitation]:
    """Those that somebody could use now, the latest first. One statement."""
    usable = Q(uses_most=None) | Q(uses__lt=F("uses_most"))
    found = query_set.invitations.vouched_for().filter(usable, revoked_at=None, expires_at__gt=at)
    return found.select_related("created_by")
