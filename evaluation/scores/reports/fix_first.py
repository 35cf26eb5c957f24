"""What to fix first in one run: the queries on which order, depth and recall lose most, weighted by traffic."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from django.db.models import Count, F, Max, Q, Sum, Window
from django.db.models.expressions import Combinable

from evaluation.models import Evaluation, Score
from touchstone_core.comparison.causes import NO_RESULTS, STEPS, causes_of_losses, words_of_loss
from touchstone_core.comparison.values import UNKNOWN, difference, if_known, segments, value
from touchstone_core.metrics.formula import Formula

MOST: Final = 5
EVERY_STEP: Final = F("lost_order") + F("lost_depth") + F("lost_recall")
NOTHING: Final = Q(retrieved=None) | Q(retrieved=0)
NOT_JUDGED: Final = ~NOTHING & Q(judged=0, shown__gt=0)
# What each cause takes from a query, and from which queries.
PARTS: Final[dict[str, tuple[Combinable, Q]]] = {
    step: (F(f"lost_{step}"), ~NOTHING & ~NOT_JUDGED & Q(**{f"lost_{step}__gt": 0})) for step in STEPS
} | {NO_RESULTS: (EVERY_STEP, NOTHING), UNKNOWN: (EVERY_STEP, NOT_JUDGED)}


SHOW: Final = {name: f"losing-{name.replace(' ', '-')}" for name in PARTS}
"""The filter of the queries from which each cause takes something."""


def queries_by_cause() -> dict[str, Q]:
    """What each filter keeps; queries without a value aren't losing."""
    return {SHOW[name]: part & Q(dcg__isnull=False) for name, (_, part) in PARTS.items()}


def fix_first(evaluation: Evaluation, formula: Formula) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The causes, and the queries that lose most. One statement, whose rows carry the sums over all queries.

    Causes: what each takes from mean NDCG-max, weighted by traffic, and on how many queries; the greatest first. What a
    query without results loses isn't a matter of order, depth or recall, and of a page without judgments nobody knows.
    Queries: each with its value, its main cause in words, and its ladder.
    """
    lost = EVERY_STEP * F("query__weight")
    rows = Score.objects.filter(query_set=evaluation.query_set_id, evaluation=evaluation, dcg__isnull=False)
    rows = rows.annotate(
        lost=lost,
        weight=Window(Sum("query__weight")),
        ideal=Window(Max("ideal_max")),
        **{
            _alias("sum", name): Window(Sum(loss * F("query__weight"), filter=part))
            for name, (loss, part) in PARTS.items()
        },
        **{_alias("count", name): Window(Count("query", filter=part)) for name, (_, part) in PARTS.items()},
    )
    most = list(rows.select_related("query").order_by("-lost", "query_id")[:MOST])
    losing = [one for one in most if one.lost > 0]
    records = [_record(one, cause, formula) for one, cause in zip(losing, main_causes(losing), strict=True)]
    return _causes(most[0], formula) if most else [], records


def _causes(sums: Any, formula: Formula) -> list[dict[str, Any]]:
    """From any of the rows: all carry the same sums."""
    whole = sums.weight * sums.ideal
    causes = [
        {
            "cause": words_of_loss(name, formula),
            "show": SHOW[name],
            "sort": f"-lost-{name}" if name in STEPS else None,
            "queries": getattr(sums, _alias("count", name)),
            "gain": difference(getattr(sums, _alias("sum", name)) / whole),
        }
        for name in PARTS
        if whole and getattr(sums, _alias("sum", name))
    ]
    return sorted(causes, key=lambda one: -(one["gain"].number or 0.0))


def _alias(what: str, cause: str) -> str:
    return f"{what}_{cause.replace(' ', '_')}"


def _record(score: Score, cause: str, formula: Formula) -> dict[str, Any]:
    losses = [score.dcg, score.lost_order, score.lost_depth, score.lost_recall, score.lost_content]
    return {
        "query": score.query,
        "cause": words_of_loss(cause, formula),
        "value": if_known(value(score.ndcg_global), score.is_known).text,
        "ladder": segments(*(loss or 0.0 for loss in losses)),
    }


def main_causes(scores: Sequence[Score]) -> list[str]:
    """The step that loses most of each, unless there is nothing to order, or nobody knows what it is worth."""
    if not scores:
        return []
    losses = [[getattr(one, f"lost_{step}") or 0.0 for step in STEPS] for one in scores]
    shown, judged = ([getattr(one, name) for one in scores] for name in ("shown", "judged"))
    return causes_of_losses(np.array(shown), np.array(judged), np.array(losses))
