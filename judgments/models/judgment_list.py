"""Judgment lists, the queries they judge and their pairs."""

from __future__ import annotations

from typing import cast

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from judgments.base.digits import written
from judgments.models.access import MemberQuerySet, Role, Viewer, in_reach
from judgments.models.content import Document, Query
from judgments.models.query_set import BEING_DELETED, REPEATED, QuerySet
from judgments.models.scale import Scale
from touchstone_core.grades.rules import ConsensusRule, Rule, Tie

MAX_OVERLAP = 30
MAX_GOLD_RATE = 50
MAX_REPEAT_RATE = 20


class AssignmentMode(models.TextChoices):
    """Who is handed pairs of a list."""

    OPEN = "open", "Open to all raters"
    NAMED = "named", "Named raters only"


class View(models.TextChoices):
    """How raters see the pairs of a list."""

    DOCUMENT = "document", "One document at a time"
    LIST = "list", "All documents of a query"
    CHOICE = "choice", "Each rater chooses"


class Evidence(models.TextChoices):
    """Whether raters mark the passage that made them decide."""

    OFF = "off", "Off"
    OPTIONAL = "optional", "Optional"
    REQUIRED = "required", "Required"


class JudgmentListQuerySet(MemberQuerySet["JudgmentList"]):
    """Engineers and admins look at a list and its grades; every member may judge."""

    def judgeable_by(self, viewer: Viewer) -> JudgmentListQuerySet:
        """For judging: every member of the query set."""
        return self.filter(in_reach(viewer))

    def administered_by(self, viewer: Viewer) -> JudgmentListQuerySet:
        return self.filter(in_reach(viewer, Role.ADMIN))

    def with_scale(self) -> JudgmentListQuerySet:
        """With query set, scale and grades: two statements, however many lists."""
        return self.select_related("query_set", "scale").prefetch_related("scale__grades")


_JudgmentListManager = models.Manager.from_queryset(JudgmentListQuerySet)


class JudgmentListManager(_JudgmentListManager["JudgmentList"]):
    """Without lists that a worker is deleting."""

    def get_queryset(self) -> JudgmentListQuerySet:
        lists = super().get_queryset().filter(being_deleted=False)
        return cast(JudgmentListQuerySet, lists)


class JudgmentList(models.Model):
    """Pairs, their judgments, and the rule that makes one grade of several. Runs are scored against it.

    `everything` has lists that are being deleted, too (see Deletion).
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="judgment_lists")
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    guidelines = models.TextField(blank=True)
    guidelines_version = models.PositiveIntegerField(default=1)
    scale = models.ForeignKey(Scale, on_delete=models.PROTECT, related_name="judgment_lists")
    overlap = models.PositiveSmallIntegerField("raters per pair", default=1)
    rule = models.CharField(
        "consensus rule", max_length=10, choices=Rule.choices(), default=Rule.MEDIAN.value
    )
    tie = models.CharField("tie rule", max_length=10, choices=Tie.choices(), default=Tie.LOWER.value)
    adaptive_step = models.FloatField("add a rater when grades differ by", null=True, blank=True)
    overlap_most = models.PositiveSmallIntegerField("maximum raters per pair", null=True, blank=True)
    assignment = models.CharField(
        "who judges",
        max_length=5,
        choices=AssignmentMode.choices,
        default=AssignmentMode.OPEN,
        db_default=AssignmentMode.OPEN.value,
    )
    view = models.CharField(
        "raters see",
        max_length=8,
        choices=View.choices,
        default=View.DOCUMENT,
        db_default=View.DOCUMENT.value,
    )
    evidence = models.CharField(
        max_length=8, choices=Evidence.choices, default=Evidence.OFF, db_default=Evidence.OFF.value
    )
    # An empty list: evidence is required for all grades.
    evidence_grades = ArrayField(
        models.FloatField(),
        verbose_name="grades that need evidence",
        default=list,
        db_default=models.Value([], ArrayField(models.FloatField())),
        blank=True,
    )
    confidence = models.BooleanField("ask how sure raters are", default=False, db_default=False)
    gold_rate = models.PositiveSmallIntegerField("gold share (%)", default=0, db_default=0)
    repeat_rate = models.PositiveSmallIntegerField("repeats (%)", default=0, db_default=0)
    onboarding = models.PositiveSmallIntegerField("practice for new raters", default=0, db_default=0)
    paused = models.BooleanField(default=False)
    paused_by = models.ForeignKey(
        "judgments.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    paused_at = models.DateTimeField(null=True, blank=True)
    pause_note = models.CharField(
        max_length=300, blank=True, default="", db_default="", help_text="Shown to raters."
    )
    created_by = models.ForeignKey("judgments.User", null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    being_deleted = models.BooleanField(**BEING_DELETED)

    objects = JudgmentListManager()
    everything = JudgmentListQuerySet.as_manager()

    class Meta:
        ordering = ["query_set", "name"]
        constraints = [
            models.UniqueConstraint("query_set", Lower("name"), name="judgment_list_name_unique"),
            models.CheckConstraint(
                condition=Q(overlap__gte=1, overlap__lte=MAX_OVERLAP), name="judgment_list_overlap_in_range"
            ),
            models.CheckConstraint(
                condition=Q(rule__in=[rule.value for rule in Rule]), name="judgment_list_rule_known"
            ),
            models.CheckConstraint(
                condition=Q(tie__in=[tie.value for tie in Tie]), name="judgment_list_tie_known"
            ),
            models.CheckConstraint(
                condition=Q(adaptive_step=None)
                | Q(adaptive_step__gt=0, overlap_most__gte=F("overlap"), overlap_most__lte=MAX_OVERLAP),
                name="judgment_list_adaptive_in_range",
            ),
            models.CheckConstraint(
                condition=Q(assignment__in=AssignmentMode.values), name="judgment_list_assignment_known"
            ),
            models.CheckConstraint(condition=Q(view__in=View.values), name="judgment_list_view_known"),
            models.CheckConstraint(
                condition=Q(evidence__in=Evidence.values), name="judgment_list_evidence_known"
            ),
            models.CheckConstraint(
                condition=Q(gold_rate__lte=MAX_GOLD_RATE), name="judgment_list_gold_rate_in_range"
            ),
            models.CheckConstraint(
                condition=Q(repeat_rate__lte=MAX_REPEAT_RATE), name="judgment_list_repeat_rate_in_range"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def consensus_rule(self) -> ConsensusRule:
        """How its judgments become grades."""
        return ConsensusRule(Rule(self.rule), Tie(self.tie))


class ListQuery(models.Model):
    """One query of a list: its place in the order of judging, its counts, and what changed in it.

    `revision` grows with every change of a consensus grade or of the pairs of the query, in the same transaction;
    `pairs_revision` only with the pairs. A score made at a lower revision is stale. `judgments_revision` grows with
    every judgment that is added, changed or deleted, even if the grade stays the same: agreement figures made at a lower
    one are stale. The counts show progress without counting pairs: `judgment_count` leaves out answers to gold pairs
    drawn as such, and `open_count` is how many judgments are still required. `priority` is the highest of its pairs.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+")
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="list_queries")
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="list_queries")
    position = models.PositiveIntegerField()
    revision = models.PositiveBigIntegerField(default=0)
    pairs_revision = models.PositiveBigIntegerField(default=0)
    judgments_revision = models.PositiveBigIntegerField(default=0, db_default=0)
    pair_count = models.PositiveIntegerField(default=0)
    graded_count = models.PositiveIntegerField(default=0)
    judgment_count = models.PositiveIntegerField(default=0)
    open_count = models.PositiveIntegerField(default=0, db_default=0)
    priority = models.SmallIntegerField(default=0, db_default=0)

    objects = MemberQuerySet["ListQuery"].as_manager()

    class Meta:
        ordering = ["judgment_list", "position"]
        constraints = [
            models.UniqueConstraint(fields=["judgment_list", "query"], name="list_query_once"),
            models.UniqueConstraint(fields=["judgment_list", "position"], name="list_query_position_unique"),
            models.CheckConstraint(
                condition=Q(graded_count__lte=models.F("pair_count")), name="list_query_graded_within_pairs"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query_id} in {self.judgment_list_id}"


class Pair(models.Model):
    """One query with one document, to be judged in a judgment list."""

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+", db_index=False)
    judgment_list = models.ForeignKey(
        JudgmentList, on_delete=models.CASCADE, related_name="pairs", db_index=False
    )
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="pairs")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="pairs")
    priority = models.SmallIntegerField(
        default=0, db_default=0, help_text="Pairs of higher priority are handed out first."
    )
    least_judgments = models.SmallIntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="It requires at least so many, whatever its list says: an admin asked another rater.",
    )

    objects = MemberQuerySet["Pair"].as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["judgment_list", "query", "document"], name="pair_once")
        ]

    def __str__(self) -> str:
        return f"{self.query_id} × {self.document_id}"


class ConsensusGrade(models.Model):
    """The one grade of a pair that scoring reads.

    `value` is None while the judgments leave it undecided (the tie rule asks an admin) or only say “cannot judge”.
    `how` explains it to people; `grades.reports.explanations` sets it where it is shown.
    `spread` (see touchstone_core.grades.consensus) and `answers` order the disagreements of a list, regardless of decisions.
    List, query and document repeat the pair's, so that scoring reads one narrow table. The pair's own foreign keys
    guard them, hence no constraints here.
    """

    pair = models.OneToOneField(
        Pair, on_delete=models.CASCADE, primary_key=True, related_name="consensus_grade"
    )
    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, **REPEATED)
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, **REPEATED)
    query = models.ForeignKey(Query, on_delete=models.CASCADE, **REPEATED)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, **REPEATED)
    value = models.FloatField(null=True)
    judgments = models.PositiveSmallIntegerField(help_text="How many grades went into it.")
    undecided = models.BooleanField(default=False)
    spread = models.FloatField(
        null=True, editable=False, help_text="How far its answers lie apart; empty where they do not differ."
    )
    answers = models.PositiveSmallIntegerField(
        default=0, db_default=0, editable=False, help_text="Grades and “cannot judge” that count."
    )

    how: str = ""

    objects = MemberQuerySet["ConsensusGrade"].as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["judgment_list", "query"], include=["document", "value"], name="consensus_by_query"
            ),
            models.Index(
                fields=["judgment_list", "-spread", "-answers", "-pair"],
                include=["undecided", "judgments"],
                condition=Q(spread__isnull=False),
                name="consensus_disagreements",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(value__isnull=True) | Q(undecided=False), name="consensus_decided_has_value"
            )
        ]

    def __str__(self) -> str:
        return "no grade" if self.value is None else written(self.value)
