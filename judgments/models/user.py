"""Accounts."""

from collections.abc import Iterator

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q


class User(AbstractUser):
    """A person who signs in. `is_superuser` makes a site administrator, who sees every query set."""

    single_key_shortcuts = models.BooleanField(
        "single-key shortcuts",
        default=True,
        help_text="Judge with one key. Switch off when a screen reader or speech input uses single keys (WCAG 2.1.4).",
    )

    keys = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        help_text="Keys of the rating screen that this person has changed: command to key.",
    )

    daily_goal = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="Judgments that this person wants to give each day; empty for no goal.",
    )
    break_minutes = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="After so many minutes of judging a break is suggested; empty for never.",
    )

    session_epoch = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="Grows when this person signs out everywhere else."
    )

    erased_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="The personal data was erased. What remains is a pseudonym, to which the judgments belong.",
    )
    erasure_requested_at = models.DateTimeField(
        null=True, editable=False, help_text="A worker erases the personal data, or will."
    )
    erasure_failure = models.TextField(
        default="",
        db_default="",
        blank=True,
        editable=False,
        help_text="Why the last try of a worker to erase the personal data did nothing.",
    )
    former_names = ArrayField(
        models.CharField(max_length=64),
        default=list,
        db_default=models.Value([], ArrayField(models.CharField(max_length=64))),
        blank=True,
        editable=False,
        help_text="Keyed hashes of the names that this account had before it was erased. Nobody else gets them.",
    )

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(erased_at=None) | Q(is_active=False), name="erased_account_is_inactive"
            )
        ]

    def get_session_auth_hash(self) -> str:
        """Sessions of an earlier epoch or password are over."""
        return self._of_this_epoch(super().get_session_auth_hash())

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        for one in super().get_session_auth_fallback_hash():
            yield self._of_this_epoch(one)

    def _of_this_epoch(self, auth_hash: str) -> str:
        # Without a number at first, so that sessions of earlier versions go on.
        return f"{auth_hash}{self.session_epoch or ''}"

    @property
    def display_name(self) -> str:
        return self.get_full_name() or self.username
