"""Scores: averages of each run, and the values of each query."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from evaluation.models.run import Run
from judgments.models import JudgmentList, MemberQuerySet, Query, QuerySet, Version
from touchstone_core.bounds.means import is_provisional
from touchstone_core.comparison.values import is_known
from touchstone_core.metrics.formula import IDEALS

_SLACK = 1e-9  # the five sums add in different orders, so rounding can make equal ones differ


class Evaluation(models.Model):
    """One run against one judgment list under one formula: averages and sums over the judged queries.

    Without a `version` it follows the live list. With one it never changes, and `revision` is the version's own.

    The averages are over `counted` queries, because a policy of the formula may leave some out. The weighted mean is None
    if the weights add up to 0. Medians and weighted means are those of `further_revision`, and empty where it isn't
    `revision`: only who asks for them has them computed. Current as long as `revision` equals the fingerprint of the list's queries and their
    revisions (see ListQuery and judgments.base.sql.fingerprints). -1 before the first computation.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+", db_index=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="evaluations", db_index=False)
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="evaluations")
    version = models.ForeignKey(Version, null=True, on_delete=models.CASCADE, related_name="evaluations")
    formula = models.CharField(max_length=200, db_collation="C")
    revision = models.BigIntegerField(default=-1)
    further_revision = models.BigIntegerField(default=-1, db_default=-1)
    computed_at = models.DateTimeField(null=True)
    judged_queries = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    missing = models.PositiveIntegerField(default=0)
    empty = models.PositiveIntegerField(default=0)
    zero_ideal = models.PositiveIntegerField(default=0)
    unjudged_queries = models.PositiveIntegerField(default=0)
    holes = models.PositiveBigIntegerField(default=0)
    ties = models.PositiveIntegerField(
        default=0, help_text="Judged queries in which documents inside the cutoff share their score."
    )
    ndcg_local = models.FloatField(null=True)
    ndcg_recall = models.FloatField(null=True)
    ndcg_global = models.FloatField(null=True)
    ndcg_max = models.FloatField(null=True)
    dcg = models.FloatField(null=True)
    judged_at_k = models.FloatField(null=True)
    coverage = models.FloatField(
        null=True,
        help_text="The mean over the judged queries that averages count. Empty if that of a query isn't known.",
    )
    counted = models.PositiveIntegerField(default=0)
    median_ndcg_local = models.FloatField(null=True)
    median_ndcg_recall = models.FloatField(null=True)
    median_ndcg_global = models.FloatField(null=True)
    median_ndcg_max = models.FloatField(null=True)
    median_dcg = models.FloatField(null=True)
    median_judged_at_k = models.FloatField(null=True)
    weighted_ndcg_local = models.FloatField(null=True)
    weighted_ndcg_recall = models.FloatField(null=True)
    weighted_ndcg_global = models.FloatField(null=True)
    weighted_ndcg_max = models.FloatField(null=True)
    weighted_dcg = models.FloatField(null=True)
    weighted_judged_at_k = models.FloatField(null=True)
    sum_dcg = models.FloatField(default=0)
    sum_order = models.FloatField(default=0)
    sum_depth = models.FloatField(default=0)
    sum_recall = models.FloatField(default=0)
    sum_content = models.FloatField(default=0)

    objects = MemberQuerySet["Evaluation"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "judgment_list", "version", "formula"],
                nulls_distinct=False,
                name="evaluation_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run} under {self.formula}"

    @property
    def is_known(self) -> bool:
        """Whether the averages say anything: whether a document is judged on any page."""
        return not self.holes or self.judged_at_k != 0

    @property
    def is_provisional(self) -> bool:
        """Whether unjudged documents could move averages that say something."""
        return self.is_known and is_provisional(self.coverage)

    @property
    def is_without_gain(self) -> bool:
        """Whether no judged document is worth anything, so that every ideal but that of NDCG-max is 0."""
        return 0 < self.judged_queries == self.zero_ideal


class EvaluationTotals(models.Model):
    """Counts and exact sums over the scores of an evaluation, in the order of `evaluation.scores.sql.totals`.

    A changed query's scores are taken from them and added to them, so that the others needn't be read. They are trusted
    where `revision` is the evaluation's own, and the query set still has `query_count` queries, the last with this ID.
    `rankings` is the number of queries that the run answers.
    """

    evaluation = models.OneToOneField(
        Evaluation, primary_key=True, on_delete=models.CASCADE, related_name="totals"
    )
    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+", db_index=False)
    revision = models.BigIntegerField()
    query_count = models.PositiveIntegerField()
    last_query = models.BigIntegerField()
    rankings = models.PositiveIntegerField()
    sums = ArrayField(models.DecimalField(max_digits=1000, decimal_places=120))

    objects = MemberQuerySet["EvaluationTotals"].as_manager()

    def __str__(self) -> str:
        return f"totals of evaluation {self.evaluation_id}"


class Score(models.Model):
    """One query of an evaluation: DCG, its four ideals, NDCG under each, the losses between them, and judged documents.

    `retrieved` is None if the run has no ranking for the query. `revision` is the query's revision in the list at that
    time. The formula's policies are already applied: a value is None if they leave the query out of its average. The
    ideals are never None.
    """

    pk = models.CompositePrimaryKey("query_set_id", "evaluation_id", "query_id")
    query_set = models.ForeignKey(
        QuerySet, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="scores")
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="+")
    revision = models.BigIntegerField()
    retrieved = models.PositiveIntegerField(null=True)
    shown = models.PositiveIntegerField()
    judged = models.PositiveIntegerField()
    ideal_local = models.FloatField()
    ideal_recall = models.FloatField()
    ideal_global = models.FloatField()
    ideal_max = models.FloatField()
    dcg = models.FloatField(null=True)
    ndcg_local = models.FloatField(null=True)
    ndcg_recall = models.FloatField(null=True)
    ndcg_global = models.FloatField(null=True)
    ndcg_max = models.FloatField(null=True)
    lost_order = models.FloatField(null=True)
    lost_depth = models.FloatField(null=True)
    lost_recall = models.FloatField(null=True)
    lost_content = models.FloatField(null=True)
    judged_at_k = models.FloatField(null=True)
    coverage = models.FloatField(
        null=True,
        help_text="The share of the page's discounts that no judgment can change. Empty where it was scored before there was one.",
    )

    objects = MemberQuerySet["Score"].as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    dcg__gte=0,
                    dcg__lte=F("ideal_local") * (1 + _SLACK) + _SLACK,
                    ideal_local__lte=F("ideal_recall") * (1 + _SLACK) + _SLACK,
                    ideal_recall__lte=F("ideal_global") * (1 + _SLACK) + _SLACK,
                    ideal_global__lte=F("ideal_max") * (1 + _SLACK) + _SLACK,
                ),
                name="score_ladder_ordered",
            ),
            models.CheckConstraint(condition=Q(judged__lte=F("shown")), name="score_judged_within_shown"),
            models.CheckConstraint(
                condition=Q(*((f"ndcg_{ideal}__range", (0, 1 + _SLACK)) for ideal in IDEALS)),
                name="score_ndcg_is_a_share",
            ),
        ]

    def __str__(self) -> str:
        return f"query {self.query_id} of evaluation {self.evaluation_id}"

    @property
    def is_known(self) -> bool:
        """Whether the values say anything: see touchstone_core."""
        return is_known(self.shown, self.judged)
