"""Who judges what: raters, slots, judgments and their history."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, Self, TypeVar

from django.db import models
from django.db.models import F, Q, Value

from judgments.base.digits import written
from judgments.models.access import AdminQuerySet, Viewer, in_reach
from judgments.models.content import Query
from judgments.models.judgment_list import JudgmentList, Pair
from judgments.models.query_set import REPEATED, QuerySet
from judgments.models.user import User

_Row = TypeVar("_Row", bound=models.Model, covariant=True)

FREE = datetime(1970, 1, 1, tzinfo=UTC)
"""The end of the lease of a slot that nobody holds: any time in the past would do, this one is readable."""


class RaterQuerySet(AdminQuerySet[_Row]):
    """Rows of one `rater`: for that rater, and for admins."""

    def visible_to(self, viewer: Viewer) -> Self:
        if viewer.is_anonymous:
            return self.none()
        return self.filter(in_reach(viewer, *self.roles, path=self.path) | Q(rater__user=viewer))


class RaterKind(models.TextChoices):
    PERSON = "person", "Person with an account"
    EXTERNAL = "external", "Imported"
    MACHINE = "machine", "Machine"


class Rater(models.Model):
    """Somebody who gives judgments in a query set: an account, a name in an imported file, or a machine.

    `origin` says what made the grades of a machine, in somebody's words: its model, prompt and date.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="raters")
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="raters")
    name = models.CharField(max_length=150)
    kind = models.CharField(max_length=10, choices=RaterKind.choices, default=RaterKind.PERSON)
    origin = models.TextField(default="", db_default="", blank=True)

    objects = AdminQuerySet["Rater"].as_manager()

    class Meta:
        ordering = ["query_set", "name"]
        constraints = [
            models.UniqueConstraint(fields=["query_set", "user"], name="rater_account_once"),
            models.UniqueConstraint(
                fields=["query_set", "name"], condition=Q(user=None), name="rater_external_name_unique"
            ),
            models.CheckConstraint(
                condition=Q(kind=RaterKind.PERSON, user__isnull=False)
                | Q(kind__in=[RaterKind.EXTERNAL, RaterKind.MACHINE], user__isnull=True),
                name="rater_person_has_account",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def display_name(self) -> str:
        return self.user.display_name if self.user else self.name


class SlotState(models.TextChoices):
    OPEN = "open", "Open"
    DONE = "done", "Done"


class SlotQuerySet(RaterQuerySet["Slot"]):
    def required(self) -> Self:
        """One for each judgment that is still required."""
        return self.filter(state=SlotState.OPEN, surplus=False)


class Slot(models.Model):
    """One judgment that is needed. Open slots whose lease lies in the past are free to claim; there is no reaper.

    The end of a past lease also tells when the slot became free again. A `surplus` slot is one that a rater held when
    it was no longer required: nobody else gets it, and it is deleted as soon as it is free.

    `query_position` is the query's place in the order of judging: its position in the list minus its priority times
    2³² (see ListQuery), so that one partial index finds the next query with a free slot. List, query, query set and
    priority repeat the pair's, whose foreign keys guard them.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, **REPEATED)
    judgment_list = models.ForeignKey(
        JudgmentList, on_delete=models.CASCADE, related_name="slots", db_index=False, db_constraint=False
    )
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="slots", db_index=False)
    query_position = models.BigIntegerField()
    priority = models.SmallIntegerField(default=0, db_default=0)
    surplus = models.BooleanField(default=False, db_default=False)
    ordinal = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=4, choices=SlotState.choices, default=SlotState.OPEN)
    rater = models.ForeignKey(
        Rater, null=True, on_delete=models.SET_NULL, related_name="slots", db_index=False
    )
    lease_until = models.DateTimeField(default=FREE)

    objects = SlotQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["judgment_list", "query_position", "lease_until"],
                include=["pair", "priority", "id"],
                condition=Q(state=SlotState.OPEN, surplus=False),
                name="slot_open",
            ),
            models.Index(
                fields=["judgment_list", "lease_until"],
                condition=Q(state=SlotState.OPEN, surplus=False, lease_until__gt=FREE),
                name="slot_returned",
            ),
            models.Index(
                fields=["rater", "judgment_list"],
                condition=Q(state=SlotState.OPEN, rater__isnull=False),
                name="slot_held",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["pair", "ordinal"], name="slot_ordinal_unique"),
            models.UniqueConstraint(fields=["pair", "rater"], name="slot_rater_once"),
            models.CheckConstraint(condition=Q(state__in=SlotState.values), name="slot_state_known"),
            models.CheckConstraint(
                condition=Q(surplus=False) | Q(rater__isnull=False), name="slot_surplus_has_rater"
            ),
        ]

    def __str__(self) -> str:
        return f"slot {self.ordinal} of pair {self.pair_id}"


class Reason(models.TextChoices):
    """Why a pair cannot be judged. Raters press the digit of its place, so new ones come last: what raters know by heart stays."""

    QUERY_UNCLEAR = "query_unclear", "The query is unclear"
    DOCUMENT_MISSING = "document_missing", "The document is missing or broken"
    LANGUAGE = "language", "A language I don’t read"
    OFFENSIVE = "offensive", "Offensive"
    NEEDS_EXPERT = "needs_expert", "Needs an expert"
    OTHER = "other", "Another reason"
    PICTURE_MISSING = "picture_missing", "The picture doesn’t load"


class Method(models.TextChoices):
    KEY = "key", "Key"
    CLICK = "click", "Click"
    TOUCH = "touch", "Touch"
    IMPORT = "import", "Import"


ANSWER_FIELDS: Final = ("value", "reason", "comment", "evidence", "confidence", "view", "place")
"""What goes to the history, and comes back, together."""


class Answer(models.Model):
    """What a rater said: a grade's value, or a reason why the pair cannot be judged."""

    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=20, choices=Reason.choices, blank=True)
    comment = models.TextField(blank=True)
    evidence = models.JSONField(
        default=list,
        db_default=Value([], models.JSONField()),
        blank=True,
        help_text="Passages that decided: field, quote, start and end.",
    )
    confidence = models.PositiveSmallIntegerField(null=True, blank=True)
    view = models.CharField(max_length=8, blank=True, default="", db_default="")
    place = models.PositiveIntegerField(
        null=True, blank=True, help_text="Which document of its query it was for this rater, from 1."
    )

    class Meta:
        abstract = True


class Gold(models.TextChoices):
    """The purpose of a judgment of a gold pair that was drawn as such; empty for all others."""

    TEST = "gold", "Gold"
    PRACTICE = "practice", "Practice"


CONFIDENCE_IN_RANGE = Q(confidence=None) | Q(confidence__gte=1, confidence__lte=3)
ONE_ANSWER = Q(value__isnull=False, reason="") | (Q(value__isnull=True) & ~Q(reason=""))


class JudgmentQuerySet(RaterQuerySet["Judgment"]):
    """A rater's own judgments; all of them for admins."""

    def real(self) -> JudgmentQuerySet:
        """Without practice: the rows of the view `judgments_realjudgment`."""
        return self.exclude(gold=Gold.PRACTICE)


class Judgment(Answer):
    """One rater's answer for one pair. The database holds the value to the list's scale (see migrations).

    The client makes `request_id`: the same request twice changes nothing. `extra` marks a judgment that came when no
    slot was left. It is never thrown away. `gold` marks an answer to a gold pair drawn as such: it fills no slot, and
    practice never counts for the consensus. `batch` is the import that gave the answer, until somebody gives another one.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, **REPEATED)
    judgment_list = models.ForeignKey(
        JudgmentList, on_delete=models.CASCADE, related_name="judgments", db_index=False, db_constraint=False
    )
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="judgments", db_index=False)
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="judgments", db_index=False)
    request_id = models.UUIDField(null=True, unique=True)
    extra = models.BooleanField(default=False)
    gold = models.CharField(max_length=8, choices=Gold.choices, blank=True, default="", db_default="")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    active_ms = models.PositiveIntegerField(null=True)
    wall_ms = models.PositiveIntegerField(null=True)
    method = models.CharField(max_length=6, choices=Method.choices, default=Method.CLICK)
    device = models.CharField(max_length=10, blank=True)
    guidelines_version = models.PositiveIntegerField(default=1)
    batch = models.ForeignKey("judgments.Batch", null=True, on_delete=models.DO_NOTHING, **REPEATED)

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["judgment_list", "rater", "-id"], name="judgment_by_rater"),
            models.Index(
                fields=["judgment_list", "rater", "id"], condition=~Q(gold=""), name="judgment_of_gold"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["pair", "rater"], name="judgment_once"),
            models.CheckConstraint(condition=ONE_ANSWER, name="judgment_one_answer"),
            models.CheckConstraint(
                condition=Q(reason="") | Q(reason__in=Reason.values), name="judgment_reason_known"
            ),
            models.CheckConstraint(
                condition=Q(updated_at__gte=F("created_at")), name="judgment_updated_after_created"
            ),
            models.CheckConstraint(condition=CONFIDENCE_IN_RANGE, name="judgment_confidence_in_range"),
            models.CheckConstraint(
                condition=Q(gold="") | Q(gold__in=Gold.values), name="judgment_gold_known"
            ),
        ]

    def __str__(self) -> str:
        return self.reason if self.value is None else written(self.value)


class JudgmentHistory(Answer):
    """An answer that was changed or withdrawn. Append-only: the database refuses an update (see migrations).

    `request_id` is that of the answer, so that a request that is repeated late is recognized. `undo_id` is that of the
    request to undo that made this row. `batch` is the import that gave the answer. `replaced_by` is the import that changed
    it, or that was undone and took it along. For an import to be undone, `facts` say how the answer was given.
    """

    class Action(models.TextChoices):
        CHANGED = "changed", "Changed"
        WITHDRAWN = "withdrawn", "Withdrawn"

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, **REPEATED)
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="history")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="history")
    action = models.CharField(max_length=10, choices=Action.choices)
    answered_at = models.DateTimeField()
    replaced_at = models.DateTimeField()
    request_id = models.UUIDField(null=True)
    undo_id = models.UUIDField(null=True, unique=True)
    batch = models.ForeignKey("judgments.Batch", null=True, on_delete=models.DO_NOTHING, **REPEATED)
    replaced_by = models.ForeignKey("judgments.Batch", null=True, on_delete=models.DO_NOTHING, **REPEATED)
    facts = models.JSONField(null=True)

    objects = RaterQuerySet["JudgmentHistory"].as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "judgment history"
        indexes = [
            models.Index(
                fields=["request_id"], condition=Q(request_id__isnull=False), name="history_by_request"
            ),
            models.Index(fields=["rater", "-id"], name="history_by_rater"),
        ]
        constraints = [models.CheckConstraint(condition=ONE_ANSWER, name="history_one_answer")]

    def __str__(self) -> str:
        return f"{self.get_action_display()} at {self.replaced_at}"


class SkipQuerySet(RaterQuerySet["Skip"]):
    path = "judgment_list__query_set"


class Skip(models.Model):
    """A pair that a rater put off; it comes back at the end of its query, for this rater only."""

    judgment_list = models.ForeignKey(
        JudgmentList, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="skips", db_index=False)
    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="skips", db_index=False)
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="+", db_index=False)
    at = models.DateTimeField()

    objects = SkipQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rater", "pair"], name="skip_once")]
        indexes = [
            models.Index(fields=["judgment_list", "rater"], name="skip_by_rater"),
            # Not for reading: without it a deleted pair has every skip looked through for its own.
            models.Index(fields=["pair"], name="skip_by_pair"),
        ]

    def __str__(self) -> str:
        return f"{self.rater_id} skipped {self.pair_id}"


class HandoutQuerySet(RaterQuerySet["Handout"]):
    path = "pair__query_set"


class Handout(models.Model):
    """A pair that was handed to a rater. The row stays when the slot goes to somebody else or is deleted.

    The rating screen accepts only pairs with a handout or a judgment of this rater. An answer may come from a browser
    that was offline, hours after its lease ran out. Then only this row tells it from an answer to any other pair.
    """

    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="+", db_index=False)
    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="+", db_index=False)

    objects = HandoutQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pair", "rater"], name="handout_once")]

    def __str__(self) -> str:
        return f"{self.pair_id} to {self.rater_id}"


class RaterQueueQuerySet(RaterQuerySet["RaterQueue"]):
    path = "judgment_list__query_set"


class RaterQueue(models.Model):
    """A rater's place in a list: the seed that shuffles documents within a query, and the query reached.

    `judgment_count` is the rater's own progress, kept in the transaction that saves a judgment; practice counts apart.
    A rater goes through the list in rounds. `round_since` is when this round began (None: start a new one), and
    `round_position` how far it has come. Once it is over (`round_over`), only slots that became free since are checked.
    """

    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="rater_queues")
    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="queues")
    seed = models.BigIntegerField()
    query_position = models.BigIntegerField(default=0)
    round_since = models.DateTimeField(null=True)
    round_position = models.BigIntegerField(default=0, db_default=0)
    round_over = models.BooleanField(default=False, db_default=False)
    judgment_count = models.PositiveIntegerField(default=0)
    practice_count = models.PositiveIntegerField(default=0, db_default=0)
    guidelines_seen = models.PositiveIntegerField(default=0)
    # The last undo of a document that was put off, so that the same request twice undoes once.
    undo_id = models.UUIDField(null=True)
    undone_pair = models.BigIntegerField(null=True)

    objects = RaterQueueQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judgment_list", "rater"], name="rater_queue_once")]

    def __str__(self) -> str:
        return f"{self.rater_id} in {self.judgment_list_id}"
