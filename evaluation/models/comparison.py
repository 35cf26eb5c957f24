"""Comparisons of runs: their settings, their results, and how often people looked."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from evaluation.models.run import Run
from judgments.models import JudgmentList, MemberQuerySet, QuerySet, User, Version


class ComparisonQuerySet(MemberQuerySet["Comparison"]):
    """For engineers and admins."""


class Comparison(models.Model):
    """A saved comparison under one list (live or a version), one formula and one measure.

    `formula`, `measure` and `measures` are canonical texts. `measure` is tested; `measures` are shown beside it, separated
    by single spaces. The runs are in ComparedRun.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="comparisons")
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="comparisons")
    version = models.ForeignKey(Version, null=True, on_delete=models.CASCADE, related_name="comparisons")
    name = models.CharField(max_length=120)
    notes = models.TextField(blank=True)
    formula = models.CharField(max_length=200)
    measure = models.CharField(max_length=200)
    measures = models.CharField(max_length=2000, blank=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    objects = ComparisonQuerySet.as_manager()

    class Meta:
        ordering = ["query_set", "name"]
        constraints = [models.UniqueConstraint("query_set", Lower("name"), name="comparison_name_unique")]

    def __str__(self) -> str:
        return self.name


class ComparedRunQuerySet(MemberQuerySet["ComparedRun"]):
    """For engineers and admins."""

    path = "comparison__query_set"


class ComparedRun(models.Model):
    """One run of a saved comparison. Position 0 is the baseline. `name` outlives a deleted run."""

    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="compared")
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField()

    objects = ComparedRunQuerySet.as_manager()

    class Meta:
        ordering = ["comparison", "position"]
        constraints = [
            models.UniqueConstraint(fields=["comparison", "position"], name="compared_run_position_unique"),
            models.UniqueConstraint(fields=["comparison", "run"], name="compared_run_once"),
        ]

    def __str__(self) -> str:
        return self.name


class ComparisonResult(models.Model):
    """The statistics of runs against a baseline: computed once, and again only when an input changes.

    `key` is the SHA-256 of everything that the figures depend on: list, version, formula, measure, runs in their order,
    the queries left out, and the revisions of list and runs. For the summary of a saved comparison it's `saved-` and its
    number. `seed` and `draws` make the figures repeatable.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+")
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=64)
    seed = models.BigIntegerField()
    draws = models.PositiveIntegerField()
    figures = models.JSONField()
    computed_at = models.DateTimeField()

    objects = MemberQuerySet["ComparisonResult"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgment_list", "key"], name="comparison_result_once")
        ]

    def __str__(self) -> str:
        return self.key[:8]


class ComparisonLook(models.Model):
    """Somebody compared two runs, in either order, under a measure at one state of their values.

    The more comparisons people make on a query set, and the more often they repeat one, the more of them look significant
    by chance. `state` is a digest of the values, so that the same values count once, and `queries` is their number. Both
    are empty if somebody opened the held-out queries, or looked before states were stored. `held_out` marks looks at the
    queries that were set aside to confirm a finding.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="looks")
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="+")
    first = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    second = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    measure = models.CharField(max_length=200)
    held_out = models.BooleanField(default=False)
    state = models.CharField(max_length=64, blank=True)
    queries = models.PositiveIntegerField(null=True)
    by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()

    objects = MemberQuerySet["ComparisonLook"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["query_set", "judgment_list", "measure", "first", "second", "held_out", "state"],
                name="comparison_look_once",
            ),
            models.CheckConstraint(
                condition=Q(state="", queries=None) | (~Q(state="") & Q(queries__gte=1)),
                name="comparison_look_at_queries",
            ),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="comparison_look_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id}"


class Comparing(models.Model):
    """How the runs of a query set are compared: which queries are held out, and how the query set was sampled.

    Queries with the tag `held_out` count in no comparison until somebody opens them, which the audit log records. If
    queries were sampled by traffic, the plain mean is already traffic-weighted, and pages warn against weighting again.
    """

    class Drawn(models.TextChoices):
        UNKNOWN = "unknown", "Not said"
        UNIFORM = "uniform", "Every query alike"
        TRAFFIC = "traffic", "By traffic: frequent queries more often"

    query_set = models.OneToOneField(
        QuerySet, on_delete=models.CASCADE, primary_key=True, related_name="comparing"
    )
    held_out = models.CharField("tag of the held-out queries", max_length=60, blank=True)
    drawn = models.CharField(
        "how the queries were drawn", max_length=7, choices=Drawn.choices, default=Drawn.UNKNOWN
    )

    objects = MemberQuerySet["Comparing"].as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(drawn__in=["unknown", "uniform", "traffic"]), name="comparing_drawn_known"
            )
        ]

    def __str__(self) -> str:
        return f"comparing in {self.query_set_id}"
