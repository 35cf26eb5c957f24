"""Raters who can still judge a pair of a list, as a part of other statements. The cost grows with the raters only."""

from typing import Final

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
