"""Who can still judge something in a list, as a part of other statements. Cost follows the raters, not the list."""

from typing import Final

# Raters with an account and a role here who are not left out, have a quota left, and an open pair not judged yet.
# A pair has no more open slots than the list asks judgments of it: who has judged fewer pairs than the open slots must
# be spread over has one left, without a look at the slots. For the others no more pairs are read than they have judged.
ABLE: Final = """
SELECT queue.rater_id
FROM judgments_raterqueue queue
JOIN judgments_judgmentlist list ON list.id = queue.judgment_list_id
JOIN judgments_rater rater ON rater.id = queue.rater_id
JOIN judgments_user account ON account.id = rater.user_id AND account.is_active
LEFT JOIN judgments_assignment named ON named.judgment_list_id = list.id AND named.user_id = account.id
WHERE queue.judgment_list_id = %(list)s
  AND (account.is_superuser OR EXISTS (
      SELECT FROM judgments_membership member WHERE member.query_set_id = list.query_set_id AND member.user_id = account.id
  ))
  AND (list.assignment = 'open' OR (named.id IS NOT NULL AND queue.judgment_count < coalesce(named.quota, 2147483647)))
  AND NOT EXISTS (
      SELECT FROM judgments_exclusion excluded
      WHERE excluded.judgment_list_id = list.id AND excluded.rater_id = queue.rater_id AND excluded.lifted_at IS NULL
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
