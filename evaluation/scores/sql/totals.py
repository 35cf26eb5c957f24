"""Totals of evaluations: counts and exact sums over their scores, so that one changed query costs one query.

Sums of floats depend on their order. So each value becomes a decimal number first, always the same one, and decimals add
up exactly: totals that were adjusted a thousand times have the same digits as totals that are summed anew. Called inside a
transaction, with the evaluations locked.
"""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from evaluation.scores.sql.scores import LOSS_COLUMNS, NDCGS
from judgments.base.sql import copy

AVERAGE_COLUMNS: Final = (*NDCGS, "dcg", "judged_at_k")
SHARES: Final = (*NDCGS, "judged_at_k")
# Shares are rounded to multiples of 2^-60, which decimals of 60 places hold. Summing integers takes a fifth of the time.
_UNIT: Final = "0." + str(5**60).zfill(60)
_UNITS: Final = str(2**60)


def _exact(column: str) -> str:
    return (
        f"({column} * {_UNITS}::float8)::int8" if column in SHARES else f"round({column}::text::numeric, 60)"
    )


def _sum(value: str, unit: str) -> str:
    return f"COALESCE(SUM({value}), 0){unit}"


def _aggregates() -> dict[str, str]:
    found = {
        "judged_queries": "COUNT(*)",
        "answered": "COUNT(*) FILTER (WHERE retrieved > 0)",
        "missing": "COUNT(*) FILTER (WHERE retrieved IS NULL)",
        "empty": "COUNT(*) FILTER (WHERE retrieved = 0)",
        "zero_ideal": "COUNT(*) FILTER (WHERE ideal_global = 0)",
        "holes": "COALESCE(SUM(shown - judged), 0)",
    }
    for column in AVERAGE_COLUMNS:
        unit = f" * {_UNIT}" if column in SHARES else ""
        found[f"count {column}"] = f"COUNT({column})"
        found[f"sum {column}"] = _sum(f"exact_{column}", unit)
        found[f"squares {column}"] = _sum(f"exact_{column}::numeric * exact_{column}", unit * 2)
    return found | {f"sum {column}": _sum(f"exact_{column}", "") for column in LOSS_COLUMNS}


_AGGREGATES: Final = _aggregates()
# What came later is at the end, where a host that still runs the version before doesn't look.
_UNCOVERED: Final = {
    "count covered": "COUNT(*) FILTER (WHERE shown = judged OR coverage IS NOT NULL)",
    "sum uncovered": f"{_sum(f'((1 - coverage) * {_UNITS}::float8)::int8', f' * {_UNIT}')}",
}
_PLACES: Final = {name: place for place, name in enumerate((*_AGGREGATES, "ties", *_UNCOVERED), 1)}
_EXACT: Final = ", ".join(
    f"{_exact(column)} AS exact_{column}" for column in (*AVERAGE_COLUMNS, *LOSS_COLUMNS)
)


def total(name: str, sums: str = "sums") -> str:
    """SQL for one of the totals."""
    return f"{sums}[{_PLACES[name]}]"


def mean(column: str) -> str:
    """SQL for the mean of a column; NULL without a value."""
    return f"({total(f'sum {column}')} / NULLIF({total(f'count {column}')}, 0))::float8"


def spread(column: str) -> str:
    """SQL for the standard deviation of a column; NULL with fewer than two values."""
    count, whole = total(f"count {column}"), total(f"sum {column}")
    squares = f"{total(f'squares {column}')} - {whole} * {whole} / NULLIF({count}, 0)"
    return f"sqrt((GREATEST({squares}, 0) / NULLIF({count} - 1, 0))::float8)"


# Of the queries in the means: missing ones, which a formula may leave out, show nothing that is uncovered.
COVERAGE: Final = f"""
    CASE WHEN {total("count covered")} = {total("judged_queries")}
    THEN (1 - {total("sum uncovered")} / NULLIF({total("count judged_at_k")}, 0))::float8 END
"""
TOO_SHORT: Final = f"cardinality(totals.sums) < {len(_PLACES)}"
"""SQL for totals that a host of an earlier version has summed."""
_QUERIES: Final = (
    "SELECT COUNT(*), COALESCE(MAX(id), 0) FROM judgments_query WHERE query_set_id = %(query_set)s"
)
_TRUSTED: Final = f"""
    SELECT evaluation.id FROM evaluation_evaluation evaluation
    JOIN evaluation_evaluationtotals totals ON totals.evaluation_id = evaluation.id
    WHERE evaluation.id = ANY(%(evaluations)s) AND totals.revision = evaluation.revision
        AND (totals.query_count, totals.last_query) = ({_QUERIES}) AND NOT {TOO_SHORT}
"""  # noqa: S608
# In one snapshot: the scores, and the queries of the query set.
# OFFSET 0 keeps the planner from working out every value once for each sum of it.
_COUNT: Final = f"""
    INSERT INTO evaluation_evaluationtotals
        (evaluation_id, query_set_id, revision, query_count, last_query, rankings, sums)
    SELECT evaluation.id, %(query_set)s, %(fingerprint)s, queries.count, queries.last,
        (SELECT COUNT(*) FROM evaluation_ranking ranking WHERE ranking.run_id = evaluation.run_id),
        summed.sums || (
            SELECT COUNT(*) FROM evaluation_ranking ranking CROSS JOIN LATERAL (
                SELECT FROM evaluation_score
                WHERE query_set_id = %(query_set)s AND evaluation_id = evaluation.id AND query_id = ranking.query_id
                OFFSET 0
            ) judged
            WHERE ranking.run_id = evaluation.run_id AND ranking.first_tie <= %(cutoff)s
        )::numeric || summed.uncovered
    FROM evaluation_evaluation evaluation CROSS JOIN ({_QUERIES}) AS queries (count, last) CROSS JOIN LATERAL (
        SELECT ARRAY[{", ".join(_AGGREGATES.values())}]::numeric[] AS sums,
            ARRAY[{", ".join(_UNCOVERED.values())}]::numeric[] AS uncovered
        FROM (
            SELECT score.*, {_EXACT} FROM evaluation_score score
            WHERE score.query_set_id = %(query_set)s AND score.evaluation_id = evaluation.id
            OFFSET 0
        ) scored
    ) summed
    WHERE evaluation.id = ANY(%(evaluations)s)
    ON CONFLICT (evaluation_id) DO UPDATE
    SET revision = excluded.revision, query_count = excluded.query_count, last_query = excluded.last_query,
        rankings = excluded.rankings, sums = excluded.sums
"""  # noqa: S608
_ADJUST: Final = f"""
    UPDATE evaluation_evaluationtotals totals
    SET revision = %(fingerprint)s,
        sums = ARRAY[{", ".join(f"totals.sums[{place}] + %(sign)s * summed.sums[{place}]" for place in _PLACES.values())}]
    FROM (
        SELECT key.evaluation_id,
            ARRAY[
                {", ".join(_AGGREGATES.values())}, COUNT(*) FILTER (WHERE is_tied), {", ".join(_UNCOVERED.values())}
            ]::numeric[] AS sums
        FROM unnest(%(evaluations)s::bigint[], %(runs)s::bigint[], %(queries)s::bigint[])
            AS key (evaluation_id, run_id, query_id)
        CROSS JOIN LATERAL (
            SELECT score.*, {_EXACT}, EXISTS (
                SELECT FROM evaluation_ranking
                WHERE query_set_id = %(query_set)s AND query_id = key.query_id AND run_id = key.run_id
                    AND first_tie <= %(cutoff)s
            ) AS is_tied
            FROM evaluation_score score
            WHERE score.query_set_id = %(query_set)s
                AND score.evaluation_id = key.evaluation_id AND score.query_id = key.query_id
            OFFSET 0
        ) scored
        GROUP BY key.evaluation_id
    ) summed
    WHERE totals.evaluation_id = summed.evaluation_id
"""  # noqa: S608
_MARK: Final = """
    UPDATE evaluation_evaluationtotals SET revision = %(fingerprint)s
    WHERE evaluation_id = ANY(%(evaluations)s) AND revision <> %(fingerprint)s
"""
_SPREADS: Final = """
    SELECT totals.evaluation_id, {count}::int, {spread}
    FROM evaluation_evaluationtotals totals JOIN evaluation_evaluation evaluation ON evaluation.id = totals.evaluation_id
    WHERE evaluation.id = ANY(%(evaluations)s) AND totals.revision = evaluation.revision
"""


class Key(NamedTuple):
    """A score: of one query of one run's evaluation."""

    evaluation_id: int
    run_id: int
    query_id: int


def read_trusted(query_set_id: int, evaluation_ids: Collection[int]) -> frozenset[int]:
    """The evaluations whose totals may be adjusted.

    A deleted query takes its scores and rankings along, and no revision tells. Then the query set has fewer queries than
    when the totals were summed, or others came later and the last ID is another. Read it before the scores, so that a
    query deleted in between is noticed the next time.
    """
    rows = copy.rows(_TRUSTED, query_set=query_set_id, evaluations=list(evaluation_ids))
    return frozenset(key for (key,) in rows)


def count_anew(query_set_id: int, evaluation_ids: Sequence[int], fingerprint: int, cutoff: int) -> None:
    """Sums all scores of these evaluations."""
    copy.run(
        _COUNT,
        query_set=query_set_id,
        evaluations=list(evaluation_ids),
        fingerprint=fingerprint,
        cutoff=cutoff,
    )


def adjust(query_set_id: int, keys: Sequence[Key], fingerprint: int, cutoff: int, *, sign: int) -> int:
    """Takes these scores from the totals (-1) before they are replaced, or adds them (+1) afterwards.

    Returns how many evaluations have any of these scores: their totals have this fingerprint now.
    """
    return copy.run(
        _ADJUST,
        query_set=query_set_id,
        evaluations=[key.evaluation_id for key in keys],
        runs=[key.run_id for key in keys],
        queries=[key.query_id for key in keys],
        fingerprint=fingerprint,
        cutoff=cutoff,
        sign=sign,
    )


def mark(evaluation_ids: Collection[int], fingerprint: int) -> None:
    """Says what state the totals are of, where no score had to be taken or added."""
    copy.run(_MARK, evaluations=list(evaluation_ids), fingerprint=fingerprint)


def read_spreads(evaluation_ids: Collection[int], column: str) -> dict[int, tuple[int, float | None]]:
    """Number and standard deviation of a column's values by evaluation. Evaluations without current totals are absent."""
    statement = _SPREADS.format(count=total(f"count {column}"), spread=spread(column))
    return {
        key: (count, deviation)
        for key, count, deviation in copy.rows(statement, evaluations=list(evaluation_ids))
    }
