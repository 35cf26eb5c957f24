"""Where people are signed in."""

from __future__ import annotations

from django.db import models

from judgments.models.access import Viewer
from judgments.models.people.user import User


class SignInQuerySet(models.QuerySet["SignIn"]):
    def visible_to(self, viewer: Viewer) -> SignInQuerySet:
        """Their own: not even site administrators see those of others."""
        return self.filter(user=viewer) if isinstance(viewer, User) else self.none()


class SignIn(models.Model):
    """A browser in which somebody is signed in, for the list on the account page.

    Deleting a row signs nobody out: `User.session_epoch` does. The session is a hash, so that the table lets nobody in.
    """

    session = models.CharField(max_length=64, primary_key=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sign_ins")
    device = models.CharField(max_length=60)
    address = models.CharField(max_length=64)
    since = models.DateTimeField()
    seen_at = models.DateTimeField()

    objects = SignInQuerySet.as_manager()

    class Meta:
        ordering = ["-seen_at", "session"]

    def __str__(self) -> str:
        return f"{self.device}, {self.address}"
