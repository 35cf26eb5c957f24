"""Stores scores that were made again, with the totals and summaries of their evaluations. Called inside a transaction, with the
evaluations locked.

Few are stored by one statement, because every change of a grade leads to it (`make bench-runs`, ADR 5): it updates the old scores
where they are, which checks no foreign key, and adjusts totals by the difference. Many come by COPY, and are summed.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from evaluation.scores.sql.scores import SCORES
from evaluation.scores.sql.summaries import store_from
from evaluation.scores.sql.totals import ADJUSTED, EXACT, sums_of_scores
from judgments.base.sql import copy

Row: TypeAlias = Sequence[int | float | None]
_COLUMNS: Final = ", ".join(SCORES.columns)
_NO_SCORE: Final = (None,) * len(SCORES.columns)
_TYPES: Final = {"evaluation_id": "int8", "run_id": "int8", "query_id": "int8"} | dict(
    zip(SCORES.columns, SCORES.types, strict=True)
)
# All parts see the scores of before, `old` too: what `stored` and `removed` write, no part reads.
_REPLACE: Final = f"""
    WITH fresh AS MATERIALIZED (
        SELECT one.*, EXISTS (
            SELECT FROM evaluation_ranking
            WHERE query_set_id = %(query_set)s AND query_id = one.query_id AND run_id = one.run_id
                AND first_tie <= %(cutoff)s
        ) AS is_tied
        FROM unnest({", ".join(f"%({name})s::{kind}[]" for name, kind in _TYPES.items())}) AS one ({", ".join(_TYPES)})
    ), old AS (
        SELECT score.*, fresh.is_tied FROM fresh CROSS JOIN LATERAL (
            SELECT * FROM evaluation_score
            WHERE query_set_id = %(query_set)s AND evaluation_id = fresh.evaluation_id AND query_id = fresh.query_id
            OFFSET 0
        ) score
    ), removed AS (
        DELETE FROM evaluation_score score USING fresh
        WHERE score.query_set_id = %(query_set)s AND score.evaluation_id = fresh.evaluation_id
            AND score.query_id = fresh.query_id AND fresh.shown IS NULL
    ), stored AS (
        INSERT INTO evaluation_score (query_set_id, evaluation_id, query_id, {_COLUMNS})
        SELECT %(query_set)s, evaluation_id, query_id, {_COLUMNS} FROM fresh WHERE shown IS NOT NULL
        ON CONFLICT (query_set_id, evaluation_id, query_id)
            DO UPDATE SET {", ".join(f"{column} = excluded.{column}" for column in SCORES.columns)}
    ), change AS (
        SELECT evaluation_id, {sums_of_scores()} AS sums
        FROM (
            SELECT *, {EXACT} FROM (
                SELECT (shown IS NOT NULL)::int AS sign, evaluation_id, is_tied, {_COLUMNS} FROM fresh
                UNION ALL
                SELECT -1, evaluation_id, is_tied, {_COLUMNS} FROM old
            ) either
            OFFSET 0
        ) scored
        GROUP BY evaluation_id
    ), adjusted AS (
        UPDATE evaluation_evaluationtotals totals SET revision = %(fingerprint)s, sums = {ADJUSTED}
        FROM change WHERE totals.evaluation_id = change.evaluation_id
        RETURNING totals.*
    )
    {store_from("adjusted")}
"""  # noqa: S608
_TIES: Final = """(
    SELECT COUNT(*) FROM evaluation_ranking ranking CROSS JOIN LATERAL (
        SELECT FROM evaluation_score
        WHERE query_set_id = %(query_set)s AND evaluation_id = evaluation.id AND query_id = ranking.query_id
        OFFSET 0
    ) judged
    WHERE ranking.run_id = evaluation.run_id AND ranking.first_tie <= %(cutoff)s
)"""
# In one snapshot: the scores, and the queries of the query set.
# OFFSET 0 keeps the planner from working out every value once for each sum of it.
_SUM_ANEW: Final = f"""
    WITH summed AS (
        INSERT INTO evaluation_evaluationtotals
            (evaluation_id, query_set_id, revision, query_count, last_query, rankings, sums)
        SELECT evaluation.id, %(query_set)s, %(fingerprint)s, queries.count, queries.last,
            (SELECT COUNT(*) FROM evaluation_ranking ranking WHERE ranking.run_id = evaluation.run_id), total.sums
        FROM evaluation_evaluation evaluation CROSS JOIN (
            SELECT COUNT(*) AS count, COALESCE(MAX(id), 0) AS last FROM judgments_query WHERE query_set_id = %(query_set)s
        ) queries CROSS JOIN LATERAL (
            SELECT {sums_of_scores(_TIES)} AS sums
            FROM (
                SELECT score.*, sign, {EXACT} FROM evaluation_score score CROSS JOIN (VALUES (1)) AS each (sign)
                WHERE score.query_set_id = %(query_set)s AND score.evaluation_id = evaluation.id
                OFFSET 0
            ) scored
        ) total
        WHERE evaluation.id = ANY(%(evaluations)s)
        ON CONFLICT (evaluation_id) DO UPDATE
        SET revision = excluded.revision, query_count = excluded.query_count, last_query = excluded.last_query,
            rankings = excluded.rankings, sums = excluded.sums
        RETURNING *
    )
    {store_from("summed")}
"""  # noqa: S608


class Key(NamedTuple):
    """A score: of one query of one run's evaluation. No query where none has changed, and only the state is another."""

    evaluation_id: int
    run_id: int
    query_id: int | None


def replace_few(
    query_set_id: int, keys: Sequence[Key], scores: Iterable[Row], fingerprint: int, cutoff: int
) -> None:
    """Puts scores, rows as for COPY, in place of those with these keys, and adjusts totals, which must be trusted, and summaries.

    Keys without a row have no score any more.
    """
    values = {(evaluation, query): row for _, evaluation, query, *row in scores}
    rows = [(*key, *values.get((key.evaluation_id, key.query_id), _NO_SCORE)) for key in keys]
    columns = dict(zip(_TYPES, map(_array, zip(*rows, strict=True)), strict=True))
    copy.run(_REPLACE, **columns, query_set=query_set_id, fingerprint=fingerprint, cutoff=cutoff)


def _array(values: Row) -> str:
    """An array as PostgreSQL reads it. Written by the driver, those of 10,000 scores take .16 s more, as long as all the rest."""
    return "{" + str(values)[1:-1].rstrip(",").replace("None", "NULL") + "}"


def sum_anew(query_set_id: int, evaluation_ids: Collection[int], fingerprint: int, cutoff: int) -> None:
    """Stores totals and summaries of these evaluations, whose scores are there."""
    copy.run(
        _SUM_ANEW,
        query_set=query_set_id,
        evaluations=list(evaluation_ids),
        fingerprint=fingerprint,
        cutoff=cutoff,
    )
