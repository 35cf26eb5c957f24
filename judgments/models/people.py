"""Where people are signed in, how often passwords were tried, invitations, and tokens of the HTTP API."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Exists, F, OuterRef, Q

from judgments.models.access import NO_LIMITS, AdminQuerySet, Limits, Role, Viewer
from judgments.models.query_set import Membership, QuerySet
from judgments.models.user import User


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


class OwnRows(models.QuerySet[models.Model]):
    """Rows that concern nobody but their account, which only the API itself reads."""

    def visible_to(self, viewer: Viewer) -> OwnRows:
        return self.none()


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def visible_to(self, viewer: Viewer) -> ApiTokenQuerySet:
        """Own tokens."""
        return self.none() if viewer.is_anonymous else self.filter(user=viewer)

    def usable(self, at: datetime) -> ApiTokenQuerySet:
        """Those that open the API at this moment: their account is active, and still a member where they name a query set."""
        member = Membership.objects.filter(query_set=OuterRef("query_set"), user=OuterRef("user"))
        return self.filter(
            Q(query_set=None) | Q(user__is_superuser=True) | Exists(member),
            user__is_active=True,
            revoked_at=None,
            expires_at__gt=at,
        )


class ApiToken(models.Model):
    """A secret with which a program acts as its owner, within a scope. It never may do more than its owner may.

    Only its SHA-256 is kept, and its last characters, by which people recognize it.
    """

    class Scope(models.TextChoices):
        READ = "read", "Read only"
        ENGINEER = "engineer", "What engineers do"
        ADMIN = "admin", "Everything that you do"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    scope = models.CharField(max_length=8, choices=Scope.choices)
    query_set = models.ForeignKey(QuerySet, null=True, on_delete=models.CASCADE, related_name="+")
    token_sha256 = models.CharField(max_length=64, unique=True)
    ending = models.CharField(max_length=4)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=["read", "engineer", "admin"]), name="api_token_scope_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def in_words(self) -> str:
        """As the log calls it."""
        return f"API token {self.name} (…{self.ending})"

    @property
    def limits(self) -> Limits:
        return NO_LIMITS._replace(without_admin=self.scope != self.Scope.ADMIN, query_set=self.query_set_id)

    @property
    def may_change(self) -> bool:
        return self.scope != self.Scope.READ


class ApiUse(models.Model):
    """How many calls an account has made since its current minute began."""

    user = models.OneToOneField(User, primary_key=True, on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField()
    count = models.PositiveIntegerField()

    objects = OwnRows.as_manager()

    def __str__(self) -> str:
        return f"{self.count} calls since {self.since}"


class ApiAnswer(models.Model):
    """The answer to a call that named an idempotency key, so that the same call sent again does nothing twice.

    It is stored in the transaction of the call itself. `call` is the SHA-256 of what was sent, by which another call under
    the same key is refused.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key_sha256 = models.CharField(max_length=64)
    call = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    headers = models.JSONField(default=dict)
    body = models.BinaryField(default=b"")
    created_at = models.DateTimeField(db_index=True)

    objects = OwnRows.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key_sha256"], name="api_answer_once")]

    def __str__(self) -> str:
        return f"{self.status} of {self.created_at}"
