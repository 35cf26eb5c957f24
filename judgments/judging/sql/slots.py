"""Handing out slots. Every statement uses an index; none counts or scans a list that still has free slots.

A slot is free when its lease ends at `at` (now) or before. All statements take the same values: `list`, `rater`,
`at`, `until` (the end of new leases), `seed` (shuffles the documents of a query for this rater), `position` (of a
query in the order of judging), `limit`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from judgments.base.sql.copy import answers, rows, run
from judgments.models import Judgment

FACTS = """
slot.pair_id, slot.query_position, slot.priority,
    (SELECT skip.at FROM judgments_skip skip WHERE skip.rater_id = %(rater)s AND skip.pair_id = slot.pair_id),
    hashint8extended(slot.pair_id, %(seed)s)
"""

# A pair that the rater has judged is no longer held, whatever the state of its slot.
NOT_JUDGED = """
NOT EXISTS (SELECT FROM judgments_judgment j WHERE j.pair_id = slot.pair_id AND j.rater_id = %(rater)s)
"""

# The pairs that this rater holds; each lease is renewed.
RENEW_ALL = f"""
WITH held AS (
    SELECT slot.id FROM judgments_slot slot
    WHERE slot.rater_id = %(rater)s AND slot.judgment_list_id = %(list)s AND slot.state = 'open'
      AND slot.lease_until > %(at)s AND {NOT_JUDGED}
    FOR UPDATE SKIP LOCKED
)
UPDATE judgments_slot slot SET lease_until = %(until)s FROM held WHERE slot.id = held.id
RETURNING {FACTS}
"""  # noqa: S608 -- nothing but the columns above

# A lease that ran out is renewed too, unless somebody else has taken the slot or it is no longer required.
RENEW = f"""
WITH mine AS (
    SELECT slot.id FROM judgments_slot slot
    WHERE slot.rater_id = %(rater)s AND slot.judgment_list_id = %(list)s AND slot.state = 'open'
      AND slot.pair_id = ANY(%(pairs)s::bigint[]) AND (slot.lease_until > %(at)s OR NOT slot.surplus)
      AND {NOT_JUDGED}
    FOR UPDATE SKIP LOCKED
)
UPDATE judgments_slot slot SET lease_until = %(until)s FROM mine WHERE slot.id = mine.id
RETURNING slot.pair_id
"""  # noqa: S608

# The candidates are the open pairs of one query in this rater's order, skipped ones last. One slot of each is locked,
# so that the pair's other slots stay free for other raters. A slot that this rater held before is taken again, since
# (pair, rater) is unique. The handout is kept for good.
CLAIM = f"""
WITH candidates AS MATERIALIZED (
    SELECT open.pair_id FROM (
        SELECT DISTINCT slot.pair_id, slot.priority FROM judgments_slot slot
        WHERE slot.judgment_list_id = %(list)s AND slot.query_position = %(position)s AND slot.state = 'open'
          AND NOT slot.surplus AND slot.lease_until <= %(at)s
    ) open
    LEFT JOIN judgments_skip skip ON skip.rater_id = %(rater)s AND skip.pair_id = open.pair_id
    WHERE (
        SELECT true FROM judgments_judgment judgment
        WHERE judgment.pair_id = open.pair_id AND judgment.rater_id = %(rater)s
    ) IS NULL
    ORDER BY skip.at NULLS FIRST, open.priority DESC, hashint8extended(open.pair_id, %(seed)s)
), free AS MATERIALIZED (
    SELECT slot.id, slot.pair_id FROM candidates CROSS JOIN LATERAL (
        SELECT slot.id, slot.pair_id FROM judgments_slot slot
        WHERE slot.pair_id = candidates.pair_id AND slot.state = 'open' AND NOT slot.surplus
          AND slot.lease_until <= %(at)s
          AND (
              SELECT true FROM judgments_slot mine
              WHERE mine.pair_id = slot.pair_id AND mine.rater_id = %(rater)s AND mine.id <> slot.id
          ) IS NULL
        ORDER BY (slot.rater_id = %(rater)s) DESC NULLS LAST, slot.ordinal
        LIMIT 1 FOR UPDATE SKIP LOCKED
    ) slot
    LIMIT %(limit)s
), handed AS (
    INSERT INTO judgments_handout (pair_id, rater_id) SELECT free.pair_id, %(rater)s FROM free ON CONFLICT DO NOTHING
)
UPDATE judgments_slot slot SET rater_id = %(rater)s, lease_until = %(until)s
FROM free WHERE slot.id = free.id
RETURNING {FACTS}
"""  # noqa: S608

# Scalar subqueries, because the planner can't turn them into a hash of everything the rater judged: each is one look-up.
FOR_ME = """
(SELECT true FROM judgments_judgment judgment
   WHERE judgment.pair_id = slot.pair_id AND judgment.rater_id = %(rater)s) IS NULL
  AND (SELECT true FROM judgments_slot mine
       WHERE mine.pair_id = slot.pair_id AND mine.rater_id = %(rater)s AND mine.id <> slot.id) IS NULL
"""
NOT_SKIPPED = """
(SELECT true FROM judgments_skip skip
   WHERE skip.rater_id = %(rater)s AND skip.pair_id = slot.pair_id) IS NULL
"""

# The next query with a slot for this rater after `position`.
NEXT_POSITION = f"""
SELECT slot.query_position FROM judgments_slot slot
WHERE slot.judgment_list_id = %(list)s AND slot.state = 'open' AND NOT slot.surplus AND slot.lease_until <= %(at)s
  AND slot.query_position > %(position)s AND {FOR_ME} AND {NOT_SKIPPED}
ORDER BY slot.judgment_list_id, slot.query_position, slot.lease_until LIMIT 1
"""  # noqa: S608

# The same among the slots that became free after `since`, because a lease ran out or somebody released them.
RETURNED_POSITION = f"""
SELECT min(slot.query_position) FROM judgments_slot slot
WHERE slot.judgment_list_id = %(list)s AND slot.state = 'open' AND NOT slot.surplus
  AND slot.lease_until > to_timestamp(0) AND slot.lease_until > %(since)s AND slot.lease_until <= %(at)s
  AND slot.query_position > %(position)s AND {FOR_ME} AND {NOT_SKIPPED}
"""  # noqa: S608

OWN_SKIPS = """
FROM judgments_skip skip
WHERE skip.judgment_list_id = %(list)s AND skip.rater_id = %(rater)s
  AND NOT EXISTS (
      SELECT FROM judgments_judgment judgment
      WHERE judgment.pair_id = skip.pair_id AND judgment.rater_id = %(rater)s
  )
  AND EXISTS (
      SELECT FROM judgments_slot slot
      WHERE slot.pair_id = skip.pair_id AND slot.state = 'open' AND NOT slot.surplus AND slot.lease_until <= %(at)s
  )
"""
COUNT_SKIPPED = f"SELECT count(*) {OWN_SKIPS}"
SKIPPED_POSITION = f"""
SELECT min(slot.query_position) FROM judgments_slot slot
WHERE slot.query_position > %(position)s AND slot.pair_id IN (SELECT skip.pair_id {OWN_SKIPS})
"""  # noqa: S608

# When the first lease ends of a slot that another rater holds and this one could judge.
NEXT_LEASE_END = """
SELECT slot.lease_until FROM judgments_slot slot
WHERE slot.judgment_list_id = %(list)s AND slot.state = 'open' AND NOT slot.surplus
  AND slot.lease_until > to_timestamp(0) AND slot.lease_until > %(at)s AND slot.rater_id <> %(rater)s
  AND (
      SELECT true FROM judgments_judgment judgment
      WHERE judgment.pair_id = slot.pair_id AND judgment.rater_id = %(rater)s
  ) IS NULL
ORDER BY slot.judgment_list_id, slot.lease_until LIMIT 1
"""

# Marks the free slots of a query as just released, so that the query is found after the end of the round.
RETURN_QUERY = """
WITH free AS (
    SELECT slot.id FROM judgments_slot slot
    WHERE slot.judgment_list_id = %(list)s AND slot.query_position = %(position)s AND slot.state = 'open'
      AND NOT slot.surplus AND slot.lease_until <= %(at)s
    FOR UPDATE SKIP LOCKED
)
UPDATE judgments_slot slot SET lease_until = %(at)s FROM free WHERE slot.id = free.id RETURNING slot.id
"""

START = -(2**62)
"""A position before every query of any priority."""


@dataclass(frozen=True, slots=True)
class Place:
    """A rater in a list, the time now, and the end of the leases that the rater gets now."""

    list_id: int
    rater_id: int
    seed: int
    at: datetime
    until: datetime

    def rows(self, statement: str, **more: Any) -> list[tuple[Any, ...]]:
        """Runs a statement of handing out with the values of this place, and `more`."""
        own = {"list": self.list_id, "rater": self.rater_id, "seed": self.seed}
        return rows(statement, **own, at=self.at, until=self.until, **more)


@dataclass(frozen=True, slots=True)
class HeldPair:
    """A pair that a rater holds: document `number` of `documents` of its query, once it is numbered.

    `shuffle` orders the documents of a query for this rater. `is_draw`: a gold pair or a repeat; `repeat` is the card
    of a repeat. Pages never show which pairs were drawn.
    """

    pair_id: int
    query_position: int
    priority: int
    skipped_at: datetime | None
    shuffle: int
    is_draw: bool = False
    practice: bool = False
    repeat: UUID | None = None
    number: int = 0
    documents: int = 0

    @property
    def position(self) -> int:
        """The query's position in the list, without the priority."""
        return self.query_position % 2**32

    @property
    def order(self) -> tuple[bool, float, int, int, bool]:
        """Within a query: by priority, then in this rater's order, skipped pairs last."""
        skipped_at = self.skipped_at.timestamp() if self.skipped_at else 0.0
        return self.skipped_at is not None, skipped_at, -self.priority, self.shuffle, self.is_draw


def renew_all(place: Place) -> list[HeldPair]:
    """The pairs that the rater holds, with renewed leases."""
    return [HeldPair(*row) for row in place.rows(RENEW_ALL)]


def renew(place: Place, pair_ids: Sequence[int]) -> set[int]:
    """Those of the pairs that the rater still holds, or holds again, with renewed leases."""
    return {pair_id for (pair_id,) in place.rows(RENEW, pairs=list(pair_ids))}


def claim(place: Place, *, position: int, limit: int) -> list[HeldPair]:
    """Takes up to `limit` slots of the query at `position`, of different pairs that this rater has not judged."""
    return [HeldPair(*row) for row in place.rows(CLAIM, position=position, limit=limit)]


def next_position(place: Place, *, after: int) -> int | None:
    """The first query after `after` with a slot for this rater that was not skipped, or None."""
    return _first(place.rows(NEXT_POSITION, position=after))


def returned_position(place: Place, *, after: int, since: datetime) -> int | None:
    """The same, among the slots that became free after `since`."""
    return _first(place.rows(RETURNED_POSITION, position=after, since=since))


def skipped_position(place: Place, *, after: int) -> int | None:
    """The same, among the pairs that this rater skipped."""
    return _first(place.rows(SKIPPED_POSITION, position=after))


def return_query(place: Place, position: int) -> None:
    """Marks the free slots of a query as free since now."""
    place.rows(RETURN_QUERY, position=position)


def next_lease_end(place: Place) -> datetime | None:
    """When the first slot becomes free that another rater holds and this one could judge."""
    return _first(place.rows(NEXT_LEASE_END))


def count_skipped(place: Place) -> int:
    """How many pairs this rater skipped that can still be judged."""
    ((count,),) = place.rows(COUNT_SKIPPED)
    return int(count)


def _first(rows: list[tuple[Any, ...]]) -> Any | None:
    """The only value of the first row, None without rows."""
    return rows[0][0] if rows else None


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
