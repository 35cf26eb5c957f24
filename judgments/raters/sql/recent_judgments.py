"""The latest judgments of every rater of a list, with others' grades of the same pairs. The cost grows with the raters.

Raters who are excluded are compared, but nobody is compared with them: whoever was beside one who strayed would seem to stray.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from judgments.base.sql import copy

LATEST, AT_ONCE = 600, 20_000
"""How many judgments are read at most: of one rater, and of all raters together."""

# Raters with an account and a role who aren't excluded (as `able_accounts` says for Django's queries), have quota left, and
# haven't judged every open pair.
# A pair has at most as many open slots as the list requires judgments of it. That gives the least number of open pairs:
# raters who judged fewer pairs than that have one left. Only for the others, slots are read, at most as many as they judged.
ELIGIBLE: Final = """
SELECT queue.rater_id
FROM judgments_raterqueue queue
JOIN judgments_judgmentlist list ON list.id = queue.judgment_list_id
JOIN judgments_rater rater ON rater.id = queue.rater_id
JOIN judgments_user account ON account.id = rater.user_id AND account.is_active
LEFT JOIN judgments_assignment assignment ON assignment.judgment_list_id = list.id AND assignment.user_id = account.id
WHERE queue.judgment_list_id = %(list)s
  AND (account.is_superuser OR EXISTS (
      SELECT FROM judgments_membership member WHERE member.query_set_id = list.query_set_id AND member.user_id = account.id
  ))
  AND (list.assignment = 'open' OR (
      assignment.id IS NOT NULL AND queue.judgment_count < coalesce(assignment.quota, 2147483647)
  ))
  AND NOT EXISTS (
      SELECT FROM judgments_exclusion exclusion
      WHERE exclusion.judgment_list_id = list.id AND exclusion.rater_id = queue.rater_id AND exclusion.lifted_at IS NULL
  )
  AND (queue.judgment_count * greatest(list.overlap, coalesce(list.overlap_most, 0)) < (
      SELECT sum(open_count) FROM judgments_listquery list_query WHERE list_query.judgment_list_id = list.id
  ) OR EXISTS (
      SELECT FROM judgments_slot slot
      WHERE slot.judgment_list_id = list.id AND slot.state = 'open' AND NOT slot.surplus AND NOT EXISTS (
          SELECT FROM judgments_judgment judgment
          WHERE judgment.pair_id = slot.pair_id AND judgment.rater_id = queue.rater_id
      )
  ))
"""

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
