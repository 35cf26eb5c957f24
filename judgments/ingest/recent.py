"""The latest judgments of every rater of a list, with what others gave to the same pairs. Cost follows the raters."""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection

LATEST = 300

RECENT = """
SELECT queue.rater_id, latest.value, others.mean, latest.active_ms, latest.updated_at
FROM judgments_raterqueue queue
CROSS JOIN LATERAL (
    SELECT judgment.id, judgment.pair_id, judgment.value, judgment.active_ms, judgment.updated_at
    FROM judgments_judgment judgment
    WHERE judgment.judgment_list_id = queue.judgment_list_id AND judgment.rater_id = queue.rater_id
      AND judgment.gold <> 'practice'
    ORDER BY judgment.id DESC LIMIT %(limit)s
) latest
CROSS JOIN LATERAL (
    SELECT avg(other.value) AS mean FROM judgments_judgment other
    WHERE other.pair_id = latest.pair_id AND other.rater_id <> queue.rater_id AND other.gold <> 'practice'
) others
WHERE queue.judgment_list_id = %(list)s
ORDER BY queue.rater_id, latest.id
"""


@dataclass(frozen=True, slots=True)
class Recent:
    """A judgment and the mean of the others' grades of its pair; either may be missing."""

    rater_id: int
    value: float | None
    others: float | None
    active_ms: int | None
    at: datetime

    @property
    def difference(self) -> float | None:
        return None if self.value is None or self.others is None else self.value - self.others


def recent_judgments(list_id: int, *, limit: int = LATEST) -> list[Recent]:
    """Up to `limit` of each rater, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(RECENT, {"list": list_id, "limit": limit})
        return [Recent(*row) for row in cursor.fetchall()]
