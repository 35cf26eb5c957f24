"""Means of groups of queries: of all that are judged, and of each tag."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from evaluation.models import Evaluation
from evaluation.scores.sql.scores import NDCGS
from evaluation.scores.sql.summaries import WEIGHTED_SCORES, WEIGHTS
from judgments.base.sql import copy

MEANS: Final = (*NDCGS, "dcg")
_FIELDS: Final = f"""
    COUNT(*), SUM(shown), SUM(judged),
    {", ".join(f"COUNT({column})" for column in MEANS)},
    {", ".join(f"AVG({column})" for column in MEANS)},
    MIN(weight) FILTER (WHERE ndcg_global IS NOT NULL), MAX(weight) FILTER (WHERE ndcg_global IS NOT NULL),
    POWER(SUM(weight) FILTER (WHERE ndcg_global IS NOT NULL), 2)
        / NULLIF(SUM(weight * weight) FILTER (WHERE ndcg_global IS NOT NULL), 0)
"""
_GROUPS: Final = f"""
    WITH weights AS MATERIALIZED ({WEIGHTS}),
    scored AS MATERIALIZED (
        SELECT scores.*, query.tags
        FROM (SELECT %(evaluation)s::bigint AS id) one
        CROSS JOIN LATERAL ({WEIGHTED_SCORES}) scores
        CROSS JOIN LATERAL (SELECT tags FROM judgments_query WHERE id = scores.query_id OFFSET 0) query
    )
    SELECT 'all', NULL, {_FIELDS} FROM scored
    UNION ALL
    SELECT 'tag', tag, {_FIELDS}
    FROM scored CROSS JOIN LATERAL (
        SELECT DISTINCT tag FROM unnest(CASE WHEN cardinality(tags) > 0 THEN tags ELSE ARRAY[NULL] END) AS tag
    ) query_tag
    GROUP BY tag
"""  # noqa: S608


class Group(NamedTuple):
    """`tag` is None for all queries, and for those without a tag. `counted` and `means` are in the order of MEANS.

    `shown` and `judged` count the documents on all pages.

    Weights are shares of the greatest one of the query set. `effective` is how many queries of equal weight would give
    an equally certain mean (Kish 1965): the squared sum of the weights, divided by the sum of their squares.
    """

    tag: str | None
    queries: int
    shown: int
    judged: int
    counted: Sequence[int]
    means: Sequence[float | None]
    least_weight: float | None
    greatest_weight: float | None
    effective: float | None


def read_groups(evaluation: Evaluation) -> tuple[Group, list[Group]]:
    """All queries, and those of each tag, the most first; the group without a tag comes last. One statement."""
    keys = {"query_set": evaluation.query_set_id, "version": evaluation.version_id}
    groups = [(kind, _group(row)) for kind, *row in copy.rows(_GROUPS, evaluation=evaluation.pk, **keys)]
    every = next(group for kind, group in groups if kind == "all")
    tags = [group for kind, group in groups if kind == "tag"]
    tags.sort(key=lambda group: (group.tag is None, -group.queries, group.tag or ""))
    return every, tags


def _group(row: Sequence[Any]) -> Group:
    width = len(MEANS)
    tag, queries, shown, judged, *numbers = row
    return Group(
        tag,
        queries,
        shown or 0,
        judged or 0,
        numbers[:width],
        numbers[width : 2 * width],
        *numbers[2 * width :],
    )
