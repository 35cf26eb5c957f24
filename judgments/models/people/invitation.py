"""Links by which people become members of a query set."""

from __future__ import annotations

from django.db import models
from django.db.models import Exists, F, OuterRef, Q

from judgments.models.access import AdminQuerySet, Role
from judgments.models.people.user import User
from judgments.models.query_set import Membership, QuerySet


class InvitationQuerySet(AdminQuerySet["Invitation"]):
    """For admins."""

    def vouched_for(self) -> InvitationQuerySet:
        """Those whose maker may still invite: an active account that administers the query set, or the site."""
        may_invite = Membership.objects.filter(
            query_set=OuterRef("query_set"), user=OuterRef("created_by"), role=Role.ADMIN
        )
        return self.filter(Q(created_by__is_superuser=True) | Exists(may_invite), created_by__is_active=True)


class Invitation(models.Model):
    """A link that makes anyone who opens it a member in `role`, until it expires, is used up or is revoked.

    It also ends when the account that made it may no longer invite: see `vouched_for`.
    Only the SHA-256 of its token is kept: the link is shown once, to the admin who made it.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role.choices)
    token_sha256 = models.CharField(max_length=64, unique=True)
    note = models.CharField(max_length=120, blank=True, help_text="Whom it is for.")
    uses_most = models.PositiveIntegerField(
        null=True, help_text="How many people may use it; empty: any number."
    )
    uses = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=Q(role__in=Role.values), name="invitation_role_known"),
            models.CheckConstraint(
                condition=Q(uses_most=None) | Q(uses__lte=F("uses_most")), name="invitation_uses_within_most"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_role_display()} of {self.query_set}"
