"""Runs and their rankings."""

from __future__ import annotations

from typing import Final, cast

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from judgments.models import BEING_DELETED, MemberQuerySet, Query, QuerySet, User
from touchstone_core.metrics.order import ORDER_WORDS, ScoreArray, at_precision, precision_of
from touchstone_core.metrics.types import Floats

LONGEST_TAG: Final = 60
LONGEST_COMMIT: Final = 100
LONGEST_LINK: Final = 500


class RunQuerySet(MemberQuerySet["Run"]):
    """For engineers and admins."""


_RunManager = models.Manager.from_queryset(RunQuerySet)


class RunManager(_RunManager["Run"]):
    """Without runs that a worker is deleting."""

    def get_queryset(self) -> RunQuerySet:
        runs = super().get_queryset().filter(being_deleted=False)
        return cast(RunQuerySet, runs)


class Run(models.Model):
    """One system's rankings for the queries of a query set.

    `tags` group runs that belong together, such as nightly ones. `commit` and `link` say what made the run. At most one run
    of a query set is its baseline, from which the run table shows differences. `everything` has runs that are being deleted,
    too (see Deletion).
    """

    class Order(models.TextChoices):
        SCORE = "score", ORDER_WORDS["score"]
        DOUBLE = "double", ORDER_WORDS["double"]
        RANK = "rank", ORDER_WORDS["rank"]

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="runs")
    name = models.CharField(max_length=120)
    notes = models.TextField(blank=True)
    # The database has defaults, too, because a server of the version before knows nothing of these columns.
    tags = ArrayField(models.CharField(max_length=LONGEST_TAG), default=list, db_default=[], blank=True)
    commit = models.CharField(max_length=LONGEST_COMMIT, blank=True, db_default="")
    link = models.URLField(max_length=LONGEST_LINK, blank=True, db_default="")
    is_baseline = models.BooleanField(default=False, db_default=False)
    order = models.CharField(max_length=6, choices=Order.choices, default=Order.SCORE)
    file_name = models.CharField(max_length=255, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    row_count = models.PositiveBigIntegerField(default=0)
    query_count = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict, help_text="Warnings and counts of the validation at upload.")
    uploaded_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    being_deleted = models.BooleanField(**BEING_DELETED)

    objects = RunManager()
    everything = RunQuerySet.as_manager()

    class Meta:
        ordering = ["query_set", "name"]
        constraints = [
            models.UniqueConstraint("query_set", Lower("name"), name="run_name_unique"),
            models.CheckConstraint(
                condition=Q(order__in=["score", "double", "rank"]), name="run_order_known"
            ),
            models.CheckConstraint(
                condition=Q(link="") | Q(link__regex="^https?://"), name="run_link_is_a_web_address"
            ),
            models.UniqueConstraint(
                fields=["query_set"], condition=Q(is_baseline=True), name="run_one_baseline"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def compared_scores(self, scores: Floats) -> ScoreArray | None:
        """The scores in the precision of the run's order; None if the rank column decided the order."""
        return None if self.order == self.Order.RANK else at_precision(scores, precision_of(self.order))


class Ranking(models.Model):
    """One query's documents in a run, best first, in the order in which they are evaluated.

    `documents`: the external IDs, joined by newlines, compressed with zstd. `scores`: float64 little-endian, zstd, in
    the same order; None if the file had no scores. `hit_ranks` and `hit_documents` name the retrieved documents that have
    a pair for this query in any judgment list of the query set. `pairs_revision` is the fingerprint of these lists and
    their pairs' revisions at that time (see judgments.base.sql.fingerprints), 0 before the first. Scoring reads only hits.

    `first_tie` is the first rank whose score (see `Run.compared_scores`) equals that of the next rank. A tie matters inside a
    cutoff k if `first_tie` is at most k. None if all scores differ, if there are none, or if the rank column decided.
    """

    pk = models.CompositePrimaryKey("query_set_id", "query_id", "run_id")
    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+", db_index=False)
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="rankings", db_index=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rankings")
    size = models.PositiveIntegerField()
    documents = models.BinaryField()
    scores = models.BinaryField(null=True)
    tied = models.BooleanField(default=False, help_text="Some retrieval scores are equal.")
    first_tie = models.PositiveIntegerField(null=True)
    hit_ranks = ArrayField(models.IntegerField(), default=list)
    hit_documents = ArrayField(models.BigIntegerField(), default=list)
    pairs_revision = models.PositiveBigIntegerField(default=0)

    objects = MemberQuerySet["Ranking"].as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["run", "first_tie", "query"],
                condition=Q(first_tie__isnull=False),
                name="ranking_with_ties",
            ),
            # Not for reading: without it, deleting a query searches every ranking.
            models.Index(fields=["query"], name="ranking_by_query"),
        ]

    def __str__(self) -> str:
        return f"run {self.run_id}, query {self.query_id}"
