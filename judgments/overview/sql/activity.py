"""Each rater's judgments on each of the last days. The cost grows with the raters, not with the list."""

from dataclasses import dataclass
from datetime import date, datetime

from judgments.base.sql import copy

MOST = 2_000

# Reads at most the latest `most` judgments of each rater. Imported ones say nothing about the pace of judging.
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
    """A rater's judgments on one day of the zone in the query."""

    rater_id: int
    day: date
    judgments: int


def daily(list_id: int, *, since: datetime, zone: str) -> list[Daily]:
    """By day, the oldest first; without days that have no judgment."""
    return [Daily(*row) for row in copy.rows(DAILY, list=list_id, since=since, zone=zone, most=MOST)]
