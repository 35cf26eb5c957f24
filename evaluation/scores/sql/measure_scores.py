"""Averages of further measures, computed by the database from stored values. Called inside a transaction."""

from collections.abc import Sequence
from typing import Final

from evaluation.scores.sql.summaries import WEIGHT, WEIGHTS, median, weighted_mean
from judgments.base.sql import copy
from judgments.models import Version

NOT_ROUNDED: Final = -1
_STORE: Final = f"""
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
    query_set_id: int, evaluation_ids: Sequence[int], fingerprint: int, version: Version | None = None
) -> None:
    """Stores the averages of these MeasureEvaluations, and the fingerprint that their scores have."""
    copy.run(
        _STORE,
        query_set=query_set_id,
        version=version and version.pk,
        evaluations=list(evaluation_ids),
        fingerprint=fingerprint,
    )
