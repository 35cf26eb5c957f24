"""The latest judgments of every rater of a list, with others' grades of the same pairs. The cost grows with the raters.

Raters who are excluded are compared, but nobody is compared with them: whoever was beside one who strayed would seem to stray.
"""

from dataclasses import dataclass
from datetime import datetime

from judgments.base.sql import copy
from judgments.raters.sql.eligible_raters import ELIGIBLE

LATEST, AT_ONCE = 600, 20_000
"""How many judgments are read at most: of one rater, and of all raters together."""

RECENT = f"""
WITH eligible AS MATERIALIZED ({ELIGIBLE})
SELECT queue.rater_id, latest.value, others.mean, latest.active_ms, latest.updated_at, pair.query_id,
       queue.rater_id IN (SELECT rater_id FROM eligible)
FROM judgments_raterqueue queue
CROSS JOIN LATERAL (
    SELECT judgment.id, judgment.pair_id, judgment.value, judgment.active_ms, judgment.updated_at
    FROM judgments_realjudgment judgment
    WHERE judgment.judgment_list_id = queue.judgment_list_id AND judgment.rater_id = queue.rater_id
    ORDER BY judgment.id DESC
    LIMIT (SELECT greatest(1, least(%(limit)s, %(at_once)s / count(*)))
           FROM judgments_raterqueue WHERE judgment_list_id = %(list)s)
) latest
CROSS JOIN LATERAL (
    SELECT avg(other.value) AS mean FROM judgments_countingjudgment other
    WHERE other.pair_id = latest.pair_id AND other.rater_id <> queue.rater_id
) others
JOIN judgments_pair pair ON pair.id = latest.pair_id
WHERE queue.judgment_list_id = %(list)s
ORDER BY queue.rater_id, latest.id
"""  # noqa: S608 -- joined from constants


@dataclass(frozen=True, slots=True)
class RecentJudgment:
    """A grade and the mean of the others' grades of its pair; either may be missing.

    `can_judge`: the rater can still judge a pair of the list.
    """

    rater_id: int
    value: float | None
    others: float | None
    active_ms: int | None
    at: datetime
    query_id: int
    can_judge: bool

    @property
    def difference(self) -> float | None:
        return None if self.value is None or self.others is None else self.value - self.others


def recent_judgments(list_id: int, *, limit: int = LATEST) -> list[RecentJudgment]:
    """Up to `limit` of each rater, fewer if there are many raters; the oldest first."""
    found = copy.rows(RECENT, list=list_id, limit=limit, at_once=AT_ONCE)
    return [RecentJudgment(*row) for row in found]
