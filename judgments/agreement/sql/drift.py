"""What raters gave lately beside what others gave to the same pairs. Cost follows the raters, not the list."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

LATEST = """
SELECT wanted.rater_id, latest.created_at, latest.value - others.mean, others.same, others.mean, pair.query_id
FROM unnest(%(raters)s::bigint[]) AS wanted (rater_id)
CROSS JOIN LATERAL (
    SELECT judgment.id, judgment.pair_id, judgment.value, judgment.created_at
    FROM judgments_realjudgment judgment
    WHERE judgment.judgment_list_id = %(list)s AND judgment.rater_id = wanted.rater_id
      AND judgment.value IS NOT NULL
    ORDER BY judgment.id DESC LIMIT %(limit)s
) latest
CROSS JOIN LATERAL (
    SELECT avg(other.value) AS mean,
           avg((abs(other.value - latest.value) <= %(near)s + 1e-9)::int)::float8 AS same
    FROM judgments_realjudgment other
    WHERE other.pair_id = latest.pair_id AND other.rater_id <> wanted.rater_id
      AND other.value IS NOT NULL AND other.rater_id <> ALL(%(without)s::bigint[])
) others
JOIN judgments_pair pair ON pair.id = latest.pair_id
WHERE others.mean IS NOT NULL
ORDER BY wanted.rater_id, latest.id
"""


class Beside(NamedTuple):
    """A judgment less the mean of the others' of its pair, the share of the others who agree with it, and that mean."""

    rater_id: int
    at: datetime
    apart: float
    same: float
    others: float
    query_id: int


def beside_others(
    list_id: int, rater_ids: Sequence[int], *, near: float, limit: int, without: Sequence[int] = ()
) -> list[Beside]:
    """Of the latest `limit` judgments of each rater those whose pair others judged too, oldest first.

    Answers agree that are no further apart than `near`. What the raters in `without` gave counts nowhere.
    """
    wanted = [rater_id for rater_id in rater_ids if rater_id not in without]
    given: dict[str, Any] = {
        "list": list_id,
        "raters": wanted,
        "near": near,
        "limit": limit,
        "without": list(without),
    }
    with connection.cursor() as cursor:
        cursor.execute(LATEST, given)
        return [Beside(*row) for row in cursor.fetchall()]
