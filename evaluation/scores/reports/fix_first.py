"""What to fix first in one run: the queries on which order, depth and recall lose most, weighted by traffic."""

from typing import Any, Final

from django.db.models import F

from evaluation.models import Evaluation, Score
from touchstone_core.comparison.values import if_known, segments, value
from touchstone_core.metrics.formula import Formula

MOST: Final = 5
CAUSES: Final = {
    "order": "relevant documents are in a worse order than they could be",
    "depth": "relevant documents are retrieved below rank {cutoff}",
    "recall": "relevant documents are never retrieved",
    "no results": "no results",
    "unknown": "unknown: no result on its page is judged",
}


def fix_first(evaluation: Evaluation, formula: Formula) -> list[dict[str, Any]]:
    """Each with its value, its main cause in words, and its ladder. One statement."""
    lost = (F("lost_order") + F("lost_depth") + F("lost_recall")) * F("query__weight")
    rows = Score.objects.filter(query_set=evaluation.query_set_id, evaluation=evaluation)
    rows = rows.annotate(lost=lost).filter(lost__gt=0).select_related("query").order_by("-lost", "query_id")
    return [_record(score, formula) for score in rows[:MOST]]


def _record(score: Score, formula: Formula) -> dict[str, Any]:
    cause = main_cause(score)
    losses = [score.dcg, score.lost_order, score.lost_depth, score.lost_recall, score.lost_content]
    return {
        "query": score.query,
        "cause": CAUSES[cause].format(cutoff=formula.cutoff),
        "value": if_known(value(score.ndcg_global), score.is_known).text,
        "ladder": segments(*(loss or 0.0 for loss in losses)),
    }


def main_cause(score: Score) -> str:
    """The step that loses most, unless there is nothing to order, or nobody knows what it is worth."""
    if not score.retrieved:
        return "no results"
    if not score.is_known:
        return "unknown"
    losses = {"order": score.lost_order, "depth": score.lost_depth, "recall": score.lost_recall}
    return max(losses, key=lambda loss: losses[loss] or 0.0)
