"""A judgment list in words and numbers."""

from dataclasses import dataclass

from django.db import models

from judgments.base.digits import written
from judgments.models import JudgmentList, Level, ListQuery, Rule, Tie

RULES = {
    Rule.MEDIAN: "The grade of a pair is the median of its judgments",
    Rule.MEAN: "The grade of a pair is the mean of its judgments",
    Rule.TRIMMED: "The grade of a pair is the mean of its judgments; of four or more, without the lowest and highest fifth",
    Rule.MAJORITY: "The grade of a pair is the one that most raters gave",
    Rule.DS_NOMINAL: "The grade of a pair is what a model (Dawid–Skene) holds for likeliest; of a pair that is new to it, the one that most raters gave",
    Rule.DS_ORDINAL: "The grade of a pair is the mean of what a model (Dawid–Skene, ordinal) holds for likely; of a pair that is new to it, the median",
}
TIES = {
    Tie.LOWER: "between two grades, the lower",
    Tie.HIGHER: "between two grades, the higher",
    Tie.MEAN: "between two grades, their mean",
    Tie.ADJUDICATE: "between two grades, none until an admin decides",
}


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a list has come; read from the counts of its queries, whatever the number of pairs.

    `missing` judgments are still wanted.
    """

    queries: int
    pairs: int
    graded: int
    judgments: int
    missing: int


def rule_in_words(judgment_list: JudgmentList) -> str:
    rule = RULES[Rule(judgment_list.rule)]
    if judgment_list.rule in (Rule.MEAN, Rule.TRIMMED):
        return f"{rule}."
    return f"{rule}; {TIES[Tie(judgment_list.tie)]}."


def raters_in_words(judgment_list: JudgmentList) -> str:
    """How many raters judge each pair, and when one more does."""
    step, most = judgment_list.adaptive_step, judgment_list.overlap_most
    if step is None:
        return f"{judgment_list.overlap}"
    differ = (
        "answers differ"
        if judgment_list.scale.level == Level.NOMINAL
        else f"answers differ by {written(step)} or more"
    )
    return f"{judgment_list.overlap}, one more where {differ}, {most} at most"


def coverage(judgment_list: JudgmentList) -> Coverage:
    counts = judgment_list.list_queries.aggregate(
        queries=models.Count("pk"),
        pairs=models.Sum("pair_count", default=0),
        graded=models.Sum("graded_count", default=0),
        judgments=models.Sum("judgment_count", default=0),
        missing=models.Sum("open_count", default=0),
    )
    return Coverage(**counts)


def coverage_by_query(judgment_list: JudgmentList) -> models.QuerySet[ListQuery]:
    """The queries in the order of judging; `wanted_count` is what was given and what is still to come."""
    wanted = models.F("judgment_count") + models.F("open_count")
    return (
        judgment_list.list_queries.select_related("query").annotate(wanted_count=wanted).order_by("position")
    )
