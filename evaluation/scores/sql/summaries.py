"""Averages, sums and counts of evaluations, computed by the database. Called inside a transaction."""

from collections.abc import Sequence
from typing import Final

from evaluation.scores.sql.scores import LOSS_COLUMNS
from evaluation.scores.sql.totals import AVERAGE_COLUMNS, COVERAGE, mean, total
from judgments.base.sql import copy
from judgments.models import Version

_COUNTS: Final = ("judged_queries", "answered", "missing", "empty", "zero_ideal", "holes", "ties")
_SUM_COLUMNS: Final = {"dcg": "dcg"} | {column.removeprefix("lost_"): column for column in LOSS_COLUMNS}

# Weights as shares of the greatest one, so that products can't overflow. Where all are equal, no query is looked up.
# Otherwise they're looked up one by one, as in `hits`, because the planner knows little of tables that were just filled.
# For a version, the weights that were frozen with it.
WEIGHTS: Final = """
    SELECT MIN(weight) AS least, MAX(weight) AS greatest FROM (
        SELECT weight FROM judgments_query WHERE query_set_id = %(query_set)s AND %(version)s::bigint IS NULL
        UNION ALL
        SELECT weight FROM judgments_versiongrades WHERE version_id = %(version)s::bigint
    ) weighed
"""
WEIGHT: Final = """
    CASE WHEN weights.least = weights.greatest THEN SIGN(weights.greatest)
    WHEN %(version)s::bigint IS NULL
    THEN (SELECT weight FROM judgments_query WHERE id = score.query_id) / weights.greatest
    ELSE (
        SELECT weight FROM judgments_versiongrades WHERE version_id = %(version)s::bigint AND query_id = score.query_id
    ) / weights.greatest END
"""


def median(column: str) -> str:
    """SQL for the median of a column's values that aren't NULL."""
    return f"percentile_cont(0.5) WITHIN GROUP (ORDER BY {column})"


def weighted_mean(column: str) -> str:
    """SQL for the mean of a column, weighted by the column `weight`. NULL values and their weights don't count.

    NULL where the weights add up to 0.
    """
    return f"SUM({column} * weight) / NULLIF(SUM(weight) FILTER (WHERE {column} IS NOT NULL), 0)"


# The scores of an evaluation `one`.
WEIGHTED_SCORES: Final = f"""
    SELECT score.*, {WEIGHT} AS weight
    FROM evaluation_score score CROSS JOIN weights
    WHERE score.query_set_id = %(query_set)s AND score.evaluation_id = one.id
"""  # noqa: S608


def store_from(totals: str) -> str:
    """SQL that stores means, sums and counts of evaluations from these totals, and the fingerprint that those have.

    `counted` is the number of queries with an NDCG-global. Medians and weighted means are empty until somebody asks for
    them: they need all scores.
    """
    return f"""
    UPDATE evaluation_evaluation evaluation
    SET revision = totals.revision, computed_at = now(),
        {", ".join(f"{name} = {total(name)}" for name in _COUNTS)},
        counted = {total("count ndcg_global")}, coverage = {COVERAGE},
        unjudged_queries = totals.rankings - {total("answered")} - {total("empty")},
        {", ".join(f"{c} = {mean(c)}, median_{c} = NULL, weighted_{c} = NULL" for c in AVERAGE_COLUMNS)},
        {", ".join(f"sum_{part} = {total(f'sum {column}')}::float8" for part, column in _SUM_COLUMNS.items())}
    FROM {totals} totals WHERE totals.evaluation_id = evaluation.id
    """  # noqa: S608


# OFFSET 0 keeps the planner from working out every value, and looking up its weight, once for each average of it.
_STORE_FURTHER: Final = f"""
    WITH weights AS MATERIALIZED ({WEIGHTS})
    UPDATE evaluation_evaluation evaluation
    SET further_revision = evaluation.revision,
        {", ".join(f"median_{c} = total.median_{c}, weighted_{c} = total.weighted_{c}" for c in AVERAGE_COLUMNS)}
    FROM (
        SELECT one.id, summed.* FROM unnest(%(evaluations)s::bigint[]) AS one (id) CROSS JOIN LATERAL (
            SELECT {", ".join(f"{median(c)} AS median_{c}, {weighted_mean(c)} AS weighted_{c}" for c in AVERAGE_COLUMNS)}
            FROM ({WEIGHTED_SCORES} OFFSET 0) scored
        ) summed
    ) total
    WHERE evaluation.id = total.id
"""  # noqa: S608


def store_further_averages(query_set_id: int, evaluation_ids: Sequence[int], version: Version | None) -> None:
    """Stores medians and weighted means of these evaluations, whose scores are current."""
    copy.run(
        _STORE_FURTHER,
        query_set=query_set_id,
        version=version and version.pk,
        evaluations=list(evaluation_ids),
    )


NOT_ROUNDED: Final = -1
_STORE_MEASURES: Final = f"""
    WITH weights AS MATERIALIZED ({WEIGHTS})
    UPDATE evaluation_measureevaluation evaluation
    SET revision = %(fingerprint)s, computed_at = now(),
        counted = total.counted, mean = total.mean, median = total.median, weighted = total.weighted
    FROM (
        SELECT one.id, summed.* FROM unnest(%(evaluations)s::bigint[]) AS one (id) CROSS JOIN LATERAL (
            SELECT COUNT(value) AS counted, AVG(value) AS mean,
                {median("value")} AS median, {weighted_mean("value")} AS weighted
            FROM (
                SELECT score.value, {WEIGHT} AS weight
                FROM evaluation_measurescore score CROSS JOIN weights
                WHERE score.query_set_id = %(query_set)s AND score.evaluation_id = one.id
                OFFSET 0
            ) scored
        ) summed
    ) total
    WHERE evaluation.id = total.id
"""  # noqa: S608


def stored_digits(digits: int | None) -> int:
    """MeasureEvaluation.digits for the decimals that values are rounded to."""
    return NOT_ROUNDED if digits is None else digits


def store_measure_summaries(
    query_set_id: int, evaluation_ids: Sequence[int], fingerprint: int, version: Version | None
) -> None:
    """Stores the averages of these MeasureEvaluations, and the fingerprint that their scores have."""
    copy.run(
        _STORE_MEASURES,
        query_set=query_set_id,
        version=version and version.pk,
        evaluations=list(evaluation_ids),
        fingerprint=fingerprint,
    )
