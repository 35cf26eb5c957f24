"""Raters' latest judgments compared with others' of the same pairs. The cost grows with the raters, not with the list.

As for the flags, nobody is compared with a rater who is excluded.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from judgments.base.sql import copy

LATEST = """
SELECT rater.id, latest.created_at, latest.value - others.mean, others.same, others.mean, pair.query_id
FROM unnest(%(raters)s::bigint[]) AS rater (id)
CROSS JOIN LATERAL (
    SELECT judgment.id, judgment.pair_id, judgment.value, judgment.created_at
    FROM judgments_realjudgment judgment
    WHERE judgment.judgment_list_id = %(list)s AND judgment.rater_id = rater.id
      AND judgment.value IS NOT NULL
    ORDER BY judgment.id DESC LIMIT %(limit)s
) latest
CROSS JOIN LATERAL (
    SELECT avg(other.value) AS mean,
           avg((abs(other.value - latest.value) <= %(near)s + 1e-9)::int)::float8 AS same
    FROM judgments_countingjudgment other
    WHERE other.pair_id = latest.pair_id AND other.rater_id <> rater.id
      AND other.value IS NOT NULL AND other.rater_id <> ALL(%(without)s::bigint[])
) others
JOIN judgments_pair pair ON pair.id = latest.pair_id
WHERE others.mean IS NOT NULL
ORDER BY rater.id, latest.id
"""


class ComparedJudgment(NamedTuple):
    """A judgment compared with the others of its pair.

    `apart` is its grade minus the others' mean (`others`), `same` the share of others who agree with it.
    """

    rater_id: int
    at: datetime
    apart: float
    same: float
    others: float
    query_id: int


def compared_judgments(
    list_id: int, rater_ids: Sequence[int], *, near: float, limit: int, without: Sequence[int] = ()
) -> list[ComparedJudgment]:
    """Of the latest `limit` judgments of each rater, those whose pair others judged too, oldest first.

    Two answers agree if they are at most `near` apart. Judgments of the raters in `without` don't count.
    """
    arguments: dict[str, Any] = {
        "list": list_id,
        "raters": [rater_id for rater_id in rater_ids if rater_id not in without],
        "near": near,
        "limit": limit,
        "without": list(without),
    }
    return [ComparedJudgment(*row) for row in copy.rows(LATEST, **arguments)]
