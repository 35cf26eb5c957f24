"""A judgment list in words and numbers."""

from dataclasses import dataclass

from django.db import models
from django.db.models.functions import Least

from judgments.models import JudgmentList, ListQuery, Rule, Tie

RULES = {
    Rule.MEDIAN: "The grade of a pair is the median of its judgments",
    Rule.MEAN: "The grade of a pair is the mean of its judgments",
    Rule.MAJORITY: "The grade of a pair is the one that most raters gave",
}
TIES = {
    Tie.LOWER: "between two grades, the lower",
    Tie.HIGHER: "between two grades, the higher",
    Tie.MEAN: "between two grades, their mean",
    Tie.ADJUDICATE: "between two grades, none until an admin decides",
}


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a list has come; read from the counts of its queries, whatever the number of pairs."""

    queries: int
    pairs: int
    graded: int
    judgments: int
    wanted: int


def rule_in_words(judgment_list: JudgmentList) -> str:
    rule = RULES[Rule(judgment_list.rule)]
    if judgment_list.rule == Rule.MEAN:
        return f"{rule}."
    return f"{rule}; {TIES[Tie(judgment_list.tie)]}."


def coverage(judgment_list: JudgmentList) -> Coverage:
    counts = judgment_list.list_queries.aggregate(
        queries=models.Count("pk"),
        pairs=models.Sum("pair_count", default=0),
        graded=models.Sum("graded_count", default=0),
        judgments=models.Sum("judgment_count", default=0),
    )
    return Coverage(**counts, wanted=counts["pairs"] * judgment_list.overlap)


def coverage_by_query(judgment_list: JudgmentList) -> models.QuerySet[ListQuery]:
    """The queries in the order of judging, with `wanted_count` judgments, of which `done_count` are there."""
    wanted = models.F("pair_count") * judgment_list.overlap
    return (
        judgment_list.list_queries.select_related("query")
        .annotate(wanted_count=wanted, done_count=Least("judgment_count", wanted))
        .order_by("position")
    )
