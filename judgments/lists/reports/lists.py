"""Rule, raters and progress of a judgment list."""

from django.db import models

from judgments.base.digits import written
from judgments.models import JudgmentList, ListQuery


def rule_in_words(judgment_list: JudgmentList) -> str:
    rule, tie = judgment_list.consensus_rule.rule, judgment_list.consensus_rule.tie
    return f"{rule.words}; between two grades, {tie.words}." if rule.has_ties else f"{rule.words}."


def raters_in_words(judgment_list: JudgmentList) -> str:
    """How many raters judge each pair, and when one more does."""
    step, most = judgment_list.adaptive_step, judgment_list.overlap_most
    if step is None:
        return f"{judgment_list.overlap}"
    by = f" by {written(step)} or more" if judgment_list.scale.has_order else ""
    return f"{judgment_list.overlap}, one more where grades differ{by}, {most} at most"


def coverage(judgment_list: JudgmentList) -> dict[str, int]:
    """How far a list has come, from the counts of its queries; `missing` judgments are still required."""
    counts: dict[str, int] = judgment_list.list_queries.aggregate(
        queries=models.Count("pk"),
        pairs=models.Sum("pair_count", default=0),
        graded=models.Sum("graded_count", default=0),
        judgments=models.Sum("judgment_count", default=0),
        missing=models.Sum("open_count", default=0),
    )
    return counts


def coverage_by_query(judgment_list: JudgmentList) -> models.QuerySet[ListQuery]:
    """The queries in the order of judging; `required_count` includes judgments that are still missing."""
    required = models.F("judgment_count") + models.F("open_count")
    return (
        judgment_list.list_queries.select_related("query")
        .annotate(required_count=required)
        .order_by("position")
    )
