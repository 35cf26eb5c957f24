"""Totals of evaluations: counts and exact sums over their scores, so that one changed query costs one query.

Sums of floats depend on their order. So each value becomes a decimal number first, always the same one, and decimals add
up exactly: totals that were adjusted a thousand times have the same digits as totals that are summed anew. `storing`
does both.
"""

from collections.abc import Collection
from typing import Final

from evaluation.scores.sql.scores import LOSS_COLUMNS, NDCGS
from judgments.base.sql import copy

AVERAGE_COLUMNS: Final = (*NDCGS, "dcg", "judged_at_k")
SHARES: Final = (*NDCGS, "judged_at_k")
# Shares are rounded to multiples of 2^-60, which decimals of 60 places hold. Summing integers takes a fifth of the time.
_UNIT: Final = "0." + str(5**60).zfill(60)
_UNITS: Final = str(2**60)


def _exact(column: str) -> str:
    return (
        f"(sign * {column} * {_UNITS}::float8)::int8"
        if column in SHARES
        else f"round((sign * {column})::text::numeric, 60)"
    )


def _count(condition: str = "true") -> str:
    return f"COALESCE(SUM(sign) FILTER (WHERE {condition}), 0)"


def _sum(value: str, unit: str = "") -> str:
    return f"COALESCE(SUM({value}), 0){unit}"


def _sums(ties: str = "") -> dict[str, str]:
    found = {
        "judged_queries": _count(),
        "answered": _count("retrieved > 0"),
        "missing": _count("retrieved IS NULL"),
        "empty": _count("retrieved = 0"),
        "zero_ideal": _count("ideal_global = 0"),
        "holes": _sum("sign * (shown - judged)"),
    }
    for column in AVERAGE_COLUMNS:
        unit = f" * {_UNIT}" if column in SHARES else ""
        found[f"count {column}"] = _count(f"{column} IS NOT NULL")
        found[f"sum {column}"] = _sum(f"exact_{column}", unit)
        found[f"squares {column}"] = _sum(f"exact_{column}::numeric * abs(exact_{column})", unit * 2)
    found |= {f"sum {column}": _sum(f"exact_{column}") for column in LOSS_COLUMNS}
    # What came later is at the end, where a host that still runs the version before doesn't look.
    return found | {
        "ties": ties,
        "count covered": _count("shown = judged OR coverage IS NOT NULL"),
        "sum uncovered": _sum(f"(sign * (1 - coverage) * {_UNITS}::float8)::int8", f" * {_UNIT}"),
    }


_PLACES: Final = {name: place for place, name in enumerate(_sums(), 1)}
ADJUSTED: Final = f"ARRAY[{', '.join(f'totals.sums[{n}] + change.sums[{n}]' for n in _PLACES.values())}]"
EXACT: Final = ", ".join(
    f"{_exact(column)} AS exact_{column}" for column in (*AVERAGE_COLUMNS, *LOSS_COLUMNS)
)


def sums_of_scores(ties: str = _count("is_tied")) -> str:
    """SQL for the totals of scores, which have EXACT values, and a sign: 1 adds a score, -1 takes it away.

    `ties` counts those of rankings with ties inside the cutoff.
    """
    return f"ARRAY[{', '.join(_sums(ties).values())}]::numeric[]"


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
_SPREADS: Final = """
    SELECT totals.evaluation_id, {count}::int, {spread}
    FROM evaluation_evaluationtotals totals JOIN evaluation_evaluation evaluation ON evaluation.id = totals.evaluation_id
    WHERE evaluation.id = ANY(%(evaluations)s) AND totals.revision = evaluation.revision
"""


def read_spreads(evaluation_ids: Collection[int], column: str) -> dict[int, tuple[int, float | None]]:
    """Number and standard deviation of a column's values by evaluation. Evaluations without current totals are absent."""
    statement = _SPREADS.format(count=total(f"count {column}"), spread=spread(column))
    return {
        key: (count, deviation)
        for key, count, deviation in copy.rows(statement, evaluations=list(evaluation_ids))
    }
