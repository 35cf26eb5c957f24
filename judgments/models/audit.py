"""The audit log: every act that changes a query set, by whom and when, with the values before and after."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.db.models.functions import Collate

from judgments.models.access import AdminQuerySet
from judgments.models.content import Document, Query
from judgments.models.judgment_list import JudgmentList
from judgments.models.people import ApiToken
from judgments.models.query_set import REPEATED, QuerySet
from judgments.models.user import User


class Verb(models.TextChoices):
    """What somebody did, as the log says it before its subject: “created query set Shop”.

    Not the choices of a column, so that a new verb needs no migration.
    """

    CREATED = "created", "created"
    CHANGED = "changed", "changed"
    DELETED = "deleted", "deleted"
    DELETION_BEGUN = "deletion-begun", "began to delete"
    DELETION_ENDED = "deletion-ended", "finished deleting"
    COPIED = "copied", "copied"
    ARCHIVED = "archived", "archived"
    RESTORED = "restored", "took out of the archive"
    MEMBER_ADDED = "member-added", "made a member:"
    ROLE_CHANGED = "role-changed", "changed the role of"
    MEMBER_REMOVED = "member-removed", "removed the member"
    INVITED = "invited", "made an invitation for"
    INVITATION_REVOKED = "invitation-revoked", "revoked the invitation for"
    JOINED = "joined", "joined by invitation:"
    IMPORTED = "imported", "imported"
    UNDONE = "undone", "undid"
    EXPORTED = "exported", "exported"
    PAIRS_ADDED = "pairs-added", "added pairs to"
    PAIRS_REMOVED = "pairs-removed", "removed pairs from"
    PRIORITY_SET = "priority-set", "set the priority of pairs in"
    PAUSED = "paused", "paused"
    RESUMED = "resumed", "resumed"
    ASSIGNED = "assigned", "assigned"
    UNASSIGNED = "unassigned", "took"
    RELEASED = "released", "released what was held by"
    GOLD_MARKED = "gold-marked", "marked as gold:"
    GOLD_RETIRED = "gold-retired", "retired as gold:"
    RULE_CHANGED = "rule-changed", "changed the consensus rule of"
    ADJUDICATED = "adjudicated", "decided the grade of"
    ADJUDICATION_WITHDRAWN = "adjudication-withdrawn", "withdrew the decision on"
    RATER_ASKED = "rater-asked", "asked another rater about"
    RATER_NOT_ASKED = "rater-not-asked", "no longer asks another rater about"
    RATER_EXCLUDED = "rater-excluded", "left out of the consensus:"
    RATER_INCLUDED = "rater-included", "took back into the consensus:"
    FROZEN = "frozen", "froze"
    OPENED = "opened", "opened"
    TOKEN_REVOKED = "token-revoked", "revoked"
    ERASED = "erased", "erased"


PAIR_KEYS: Final = "pair_keys"
"""Among the values after an act that added pairs to a list: the keys of the first one and the last one.

Only one act at a time adds pairs to a list. So the list has none of another act between them (ADR 81). An import whose file says how
pairs were selected has further lines for parts of its pairs."""
SELECTION: Final = "selection"
"""Among the values after an act that added pairs to decide between two runs: how these were selected, as files say it."""


_OF_NO_CONTENT: Final = models.Q(query__isnull=True, document__isnull=True)
_NAMES_IN_FIELDS: Final = models.Q(before__has_key="username") | models.Q(
    after__has_any_keys=["username", "members"]
)


class Act(models.Model):
    """One act: a line of the audit log. The database refuses to change or delete it (see migrations).

    One thing may change: when somebody's personal data is erased, their name becomes a pseudonym (ADR 69).

    It outlives its subject, hence keys without constraints, and names beside them. For admins. `token` is the one by which
    the account acted, if any: its name isn't repeated here, because it goes when the account is erased. `before` and `after`
    hold the fields that differ, by name. An act on many rows at once is one line with counts. Judgments aren't copied
    here: they have a history of their own.
    """

    query_set = models.ForeignKey(QuerySet, null=True, on_delete=models.DO_NOTHING, **REPEATED)
    judgment_list = models.ForeignKey(JudgmentList, null=True, on_delete=models.DO_NOTHING, **REPEATED)
    query = models.ForeignKey(Query, null=True, on_delete=models.DO_NOTHING, **REPEATED)
    document = models.ForeignKey(Document, null=True, on_delete=models.DO_NOTHING, **REPEATED)
    at = models.DateTimeField()
    by = models.ForeignKey(User, null=True, on_delete=models.DO_NOTHING, **REPEATED)
    by_name = models.CharField(max_length=150, blank=True, help_text="Empty: a command without an account.")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.DO_NOTHING, **REPEATED)
    verb = models.CharField(max_length=40)
    subject = models.CharField(max_length=300, help_text="What it was done to, as people call it.")
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    note = models.TextField(blank=True)

    objects = AdminQuerySet["Act"].as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["query_set", "-id"], name="act_by_query_set"),
            models.Index(fields=["judgment_list", "-id"], name="act_by_list"),
            models.Index(
                fields=["query", "-id"], condition=models.Q(query__isnull=False), name="act_by_query"
            ),
            models.Index(
                fields=["document", "-id"], condition=models.Q(document__isnull=False), name="act_by_document"
            ),
            # These find the lines that name an account (ADR 69).
            models.Index(
                fields=["by", "by_name"], condition=models.Q(by__isnull=False), name="act_by_account"
            ),
            models.Index(Collate("subject", "C"), condition=_OF_NO_CONTENT, name="act_by_subject"),
            models.Index(
                fields=["id"], condition=_OF_NO_CONTENT & _NAMES_IN_FIELDS, name="act_names_in_fields"
            ),
        ]
        constraints = [models.CheckConstraint(condition=~models.Q(verb=""), name="act_has_verb")]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject}"
