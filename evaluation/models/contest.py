"""Two runs between which raters decide, batch by batch."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from evaluation.models.run import Run
from judgments.models import ApiToken, JudgmentList, MemberQuerySet, User
from judgments.models.query_set import REPEATED


class ContestQuerySet(MemberQuerySet["Contest"]):
    """For engineers and admins, who ask the raters for judgments."""

    path = "judgment_list__query_set"

    def going_on(self) -> ContestQuerySet:
        return self.filter(outcome="")


class Contest(models.Model):
    """A worker adds what decides between two runs to a list, a batch as soon as the last one is judged, until that is decided.

    Each batch needs at most `batch_size` judgments, and all of them the `budget`, of which `judgments_requested` are spent. `outlook` is what was known of
    the runs at the last look, empty before the first. `failure` says why it ended where nobody wanted that. `token` is that of the
    API by which it was started, if there is one.
    """

    class Outcome(models.TextChoices):
        DECIDED = "decided", "decided"
        SPENT = "spent", "all judgments spent"
        EXHAUSTED = "exhausted", "nothing left to judge"
        STOPPED = "stopped", "stopped"
        FAILED = "failed", "failed"

    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="contests")
    baseline = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    formula = models.CharField(max_length=200)
    batch_size = models.PositiveIntegerField()
    budget = models.PositiveIntegerField()
    priority = models.SmallIntegerField()
    judgments_requested = models.PositiveIntegerField(default=0)
    outlook = models.JSONField(default=dict)
    started_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.DO_NOTHING, **REPEATED)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=9, blank=True, choices=Outcome.choices)
    failure = models.TextField(blank=True)

    objects = ContestQuerySet.as_manager()

    class Meta:
        ordering = ["-started_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["judgment_list"], condition=Q(outcome=""), name="contest_one_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(outcome="", ended_at=None) | ~Q(outcome="") & Q(ended_at__isnull=False),
                name="contest_ended_with_outcome",
            ),
        ]

    def __str__(self) -> str:
        return f"between {self.baseline} and {self.run}"

    @property
    def is_going_on(self) -> bool:
        return not self.outcome
