"""Averages, sums and counts of evaluations, computed by the database from their scores. Called inside a transaction."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.db import connection

from evaluation.scores.sql.scores import LOSS_COLUMNS, NDCGS
from judgments.models import Version
from touchstone_core.metrics.formula import Formula

AVERAGE_COLUMNS: Final = (*NDCGS, "dcg", "judged_at_k")
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


def averages(columns: Iterable[tuple[str, str, str, str]]) -> str:
    """SQL for mean, median and weighted mean of each column, under these names; `weight` is a column, too.

    NULL values and their weights don't count. The weighted mean is NULL where the weights add up to 0.
    """
    return ", ".join(
        f"AVG({column}) AS {mean}, "
        f"percentile_cont(0.5) WITHIN GROUP (ORDER BY {column}) AS {median}, "
        f"SUM({column} * weight) / NULLIF(SUM(weight) FILTER (WHERE {column} IS NOT NULL), 0) AS {weighted}"
        for column, mean, median, weighted in columns
    )


# The scores of an evaluation `one`.
WEIGHTED_SCORES: Final = f"""
    SELECT score.*, {WEIGHT} AS weight
    FROM evaluation_score score CROSS JOIN weights
    WHERE score.query_set_id = %(query_set)s AND score.evaluation_id = one.id
"""  # noqa: S608
# OFFSET 0 keeps the planner from working out every value, and looking up its weight, once for each average of it.
_STORE: Final = f"""
    WITH weights AS MATERIALIZED ({WEIGHTS})
    UPDATE evaluation_evaluation evaluation
    SET revision = %(fingerprint)s, computed_at = now(),
        judged_queries = total.judged_queries, answered = total.answered, missing = total.missing,
        empty = total.empty, zero_ideal = total.zero_ideal, holes = total.holes, counted = total.counted,
        unjudged_queries = (
            SELECT COUNT(*) FROM evaluation_ranking ranking WHERE ranking.run_id = evaluation.run_id
        ) - total.answered - total.empty,
        ties = (
            SELECT COUNT(*) FROM evaluation_ranking ranking CROSS JOIN LATERAL (
                SELECT FROM evaluation_score
                WHERE query_set_id = %(query_set)s AND evaluation_id = evaluation.id AND query_id = ranking.query_id
                OFFSET 0
            ) judged
            WHERE ranking.run_id = evaluation.run_id AND ranking.first_tie <= %(cutoff)s
        ),
        {", ".join(f"{c} = total.{c}, median_{c} = total.median_{c}, weighted_{c} = total.weighted_{c}" for c in AVERAGE_COLUMNS)},
        {", ".join(f"sum_{part} = total.sum_{part}" for part in _SUM_COLUMNS)}
    FROM (
        SELECT one.id, summed.* FROM unnest(%(evaluations)s::bigint[]) AS one (id) CROSS JOIN LATERAL (
            SELECT
                COUNT(*) AS judged_queries,
                COUNT(*) FILTER (WHERE retrieved > 0) AS answered,
                COUNT(*) FILTER (WHERE retrieved IS NULL) AS missing,
                COUNT(*) FILTER (WHERE retrieved = 0) AS empty,
                COUNT(*) FILTER (WHERE ideal_global = 0) AS zero_ideal,
                COUNT(ndcg_global) AS counted,
                COALESCE(SUM(shown - judged), 0) AS holes,
                {averages((c, c, f"median_{c}", f"weighted_{c}") for c in AVERAGE_COLUMNS)},
                {", ".join(f"COALESCE(SUM({column}), 0) AS sum_{part}" for part, column in _SUM_COLUMNS.items())}
            FROM ({WEIGHTED_SCORES} OFFSET 0) scored
        ) summed
    ) total
    WHERE evaluation.id = total.id
"""  # noqa: S608


def store_summaries(
    query_set_id: int,
    evaluation_ids: Sequence[int],
    fingerprint: int,
    formula: Formula,
    version: Version | None = None,
) -> None:
    """Stores averages, sums and counts of these evaluations, and the fingerprint that their scores have.

    `counted` is the number of queries with an NDCG-global.
    """
    parameters: dict[str, Any] = {
        "query_set": query_set_id,
        "version": version and version.pk,
        "evaluations": list(evaluation_ids),
        "fingerprint": fingerprint,
        "cutoff": formula.cutoff,
    }
    with connection.cursor() as cursor:
        cursor.execute(_STORE, parameters)
