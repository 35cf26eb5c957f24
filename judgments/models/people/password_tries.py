"""How often passwords were tried lately, so that guessing becomes slow."""

from __future__ import annotations

from django.db import models

from judgments.models.access import Viewer


class PasswordTriesQuerySet(models.QuerySet["PasswordTries"]):
    def visible_to(self, viewer: Viewer) -> PasswordTriesQuerySet:
        """Nobody: these rows only let the sign-in form count."""
        return self.none()


class PasswordTries(models.Model):
    """The tries of one person, account or address that didn't succeed. Rows are gone when they no longer count.

    The key is a keyed hash, so that the table holds neither addresses nor what people type as their username.
    """

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField()
    forget_at = models.DateTimeField(db_index=True)

    objects = PasswordTriesQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.count} tries until {self.last_at}"
