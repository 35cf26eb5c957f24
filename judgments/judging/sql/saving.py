"""Saves an answer, and the counts that it changes."""

from datetime import datetime

from django.db import connection

from judgments.base.sql.copy import answers, run
from judgments.models import Judgment

FIELDS = {
    str(field.column): field
    for field in Judgment._meta.concrete_fields
    if not field.primary_key and field.name != "extra"
}

# The answer fills the slot that this rater holds, else a free one, but never a second one of a pair. A free slot that
# somebody is claiming is skipped. The rater's own slot is waited for: another claim may have locked it before it saw
# whose it is. If no slot is left the judgment is extra. So is an excluded rater's, which another rater has to replace.
NOT_EXCLUDED = """NOT EXISTS (
          SELECT FROM judgments_exclusion exclusion WHERE exclusion.judgment_list_id = slot.judgment_list_id
            AND exclusion.rater_id = %(rater_id)s AND exclusion.lifted_at IS NULL
      )"""
SAVE = f"""
WITH own AS (
    SELECT slot.id, slot.surplus FROM judgments_slot slot
    WHERE slot.pair_id = %(pair_id)s AND slot.state = 'open' AND slot.rater_id = %(rater_id)s AND {NOT_EXCLUDED}
    ORDER BY slot.ordinal
    LIMIT 1 FOR UPDATE
), free AS (
    SELECT slot.id, slot.surplus FROM judgments_slot slot
    WHERE slot.pair_id = %(pair_id)s AND slot.state = 'open' AND slot.lease_until <= %(at)s AND NOT slot.surplus
      AND NOT EXISTS (
          SELECT FROM judgments_slot mine WHERE mine.pair_id = %(pair_id)s AND mine.rater_id = %(rater_id)s
      ) AND {NOT_EXCLUDED}
    ORDER BY slot.ordinal
    LIMIT 1 FOR UPDATE SKIP LOCKED
), best AS (
    SELECT * FROM own UNION ALL SELECT * FROM free
), filled AS (
    UPDATE judgments_slot slot
    SET state = 'done', rater_id = %(rater_id)s, lease_until = to_timestamp(0), surplus = false
    FROM best WHERE slot.id = best.id
    RETURNING best.surplus
)
INSERT INTO judgments_judgment (extra, {", ".join(FIELDS)})
SELECT NOT EXISTS (SELECT FROM filled), {", ".join(f"%({column})s" for column in FIELDS)}
RETURNING id, extra, (SELECT surplus FROM filled)
"""  # noqa: S608 -- nothing but the columns above

# A rater who judges has had the guidelines on the page.
COUNT_OWN = """
UPDATE judgments_raterqueue
SET judgment_count = judgment_count + %(judgments)s, practice_count = practice_count + %(practice)s,
    guidelines_seen = %(guidelines)s
WHERE id = %(queue)s
"""


def save(judgment: Judgment, *, queue_id: int, at: datetime) -> bool | None:
    """Inserts the judgment, fills a slot with it and counts it for the rater.

    Returns whether the slot was surplus, or None if no slot is left, which makes the judgment `extra`.
    """
    values = {
        column: field.get_db_prep_save(getattr(judgment, field.attname), connection)
        for column, field in FIELDS.items()
    }
    values |= {"at": at, "queue": queue_id, "judgments": 1, "practice": 0}
    values["guidelines"] = judgment.guidelines_version
    (row,), _ = answers(f"{SAVE};{COUNT_OWN}", values)
    surplus: bool | None
    judgment.pk, judgment.extra, surplus = row
    judgment._state.adding, judgment._state.db = False, connection.alias
    return surplus


def count_own(*, queue_id: int, guidelines: int, practice: bool) -> None:
    """Counts an answer for the rater that fills no slot."""
    judgments = int(not practice)
    run(COUNT_OWN, queue=queue_id, guidelines=guidelines, judgments=judgments, practice=int(practice))
