"""How many judgments each rater of a list gave on each of the last days. Cost follows the raters, not the list."""

from dataclasses import dataclass
from datetime import date, datetime

from django.db import connection

MOST = 2_000

# Of each rater no more than the latest `most` are looked at; imported ones are nobody's pace.
DAILY = """
SELECT queue.rater_id, (latest.created_at AT TIME ZONE %(zone)s)::date AS day, count(*)
FROM judgments_raterqueue queue
CROSS JOIN LATERAL (
    SELECT judgment.created_at, judgment.method FROM judgments_judgment judgment
    WHERE judgment.judgment_list_id = queue.judgment_list_id AND judgment.rater_id = queue.rater_id
    ORDER BY judgment.id DESC LIMIT %(most)s
) latest
WHERE queue.judgment_list_id = %(list)s AND latest.created_at >= %(since)s AND latest.method <> 'import'
GROUP BY queue.rater_id, day
ORDER BY day, queue.rater_id
"""


@dataclass(frozen=True, slots=True)
class Daily:
    """What a rater judged on one day of the zone that was asked for."""

    rater_id: int
    day: date
    judgments: int


def daily(list_id: int, *, since: datetime, zone: str, most: int = MOST) -> list[Daily]:
    """By day, the oldest first; days without a judgment are left out."""
    with connection.cursor() as cursor:
        cursor.execute(DAILY, {"list": list_id, "since": since, "zone": zone, "most": most})
        return [Daily(*row) for row in cursor.fetchall()]
