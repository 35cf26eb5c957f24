"""Handing out slots. Every statement follows an index; none counts or walks a list that still has free slots.

All take the same values: `list`, `rater`, `at` (now), `until` (the end of new leases), `seed` (shuffles the
documents of a query for this rater), `position` (of a query in the list), `limit`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

# What this rater still holds comes first, in the order of its queries; each lease is renewed.
HELD = """
WITH held AS (
    SELECT slot.id FROM judgments_slot slot
    WHERE slot.rater_id = %(rater)s AND slot.judgment_list_id = %(list)s AND slot.state = 'open'
      AND slot.lease_until >= %(at)s
    FOR UPDATE SKIP LOCKED
)
UPDATE judgments_slot slot SET lease_until = %(until)s FROM held WHERE slot.id = held.id
RETURNING slot.id, slot.pair_id, slot.query_position,
    (SELECT skip.at FROM judgments_skip skip WHERE skip.rater_id = %(rater)s AND skip.pair_id = slot.pair_id),
    hashint8extended(slot.pair_id, %(seed)s)
"""

# The candidates are the open pairs of one query in this rater's order, skipped ones last; of each pair that is
# reached one slot is locked, so that the pair's other slots stay free for other raters. A slot that this rater
# held before is taken again, since (pair, rater) is unique.
CLAIM = """
WITH candidates AS MATERIALIZED (
    SELECT open.pair_id, skip.at AS skipped FROM (
        SELECT DISTINCT slot.pair_id FROM judgments_slot slot
        WHERE slot.judgment_list_id = %(list)s AND slot.query_position = %(position)s AND slot.state = 'open'
          AND slot.lease_until < %(at)s
    ) open
    LEFT JOIN judgments_skip skip ON skip.rater_id = %(rater)s AND skip.pair_id = open.pair_id
    WHERE NOT EXISTS (
        SELECT FROM judgments_judgment judgment
        WHERE judgment.pair_id = open.pair_id AND judgment.rater_id = %(rater)s
    )
    ORDER BY skip.at NULLS FIRST, hashint8extended(open.pair_id, %(seed)s)
), free AS MATERIALIZED (
    SELECT slot.id FROM candidates CROSS JOIN LATERAL (
        SELECT slot.id FROM judgments_slot slot
        WHERE slot.pair_id = candidates.pair_id AND slot.state = 'open' AND slot.lease_until < %(at)s
          AND (slot.rater_id = %(rater)s OR NOT EXISTS (
              SELECT FROM judgments_slot mine
              WHERE mine.pair_id = candidates.pair_id AND mine.rater_id = %(rater)s
          ))
        ORDER BY (slot.rater_id = %(rater)s) DESC NULLS LAST, slot.ordinal
        LIMIT 1 FOR UPDATE SKIP LOCKED
    ) slot
    LIMIT %(limit)s
)
UPDATE judgments_slot slot SET rater_id = %(rater)s, lease_until = %(until)s
FROM free WHERE slot.id = free.id
RETURNING slot.id, slot.pair_id, slot.query_position,
    (SELECT skip.at FROM judgments_skip skip WHERE skip.rater_id = %(rater)s AND skip.pair_id = slot.pair_id),
    hashint8extended(slot.pair_id, %(seed)s)
"""

# The next query with a slot for this rater: forward from `position`, exclusively, up to `last`, inclusively.
NEXT_POSITION = """
SELECT slot.query_position FROM judgments_slot slot
WHERE slot.judgment_list_id = %(list)s AND slot.state = 'open' AND slot.lease_until < %(at)s
  AND slot.query_position > %(position)s AND slot.query_position <= %(last)s
  AND NOT EXISTS (
      SELECT FROM judgments_judgment judgment
      WHERE judgment.pair_id = slot.pair_id AND judgment.rater_id = %(rater)s
  )
  AND (%(with_skipped)s OR NOT EXISTS (
      SELECT FROM judgments_skip skip WHERE skip.rater_id = %(rater)s AND skip.pair_id = slot.pair_id
  ))
ORDER BY slot.judgment_list_id, slot.query_position, slot.lease_until LIMIT 1
"""

# When the slots that others hold run out, so that the rest may become free.
HELD_UNTIL = """
SELECT min(slot.lease_until) FROM judgments_slot slot
WHERE slot.judgment_list_id = %(list)s AND slot.state = 'open' AND slot.lease_until >= %(at)s
  AND slot.rater_id <> %(rater)s
  AND NOT EXISTS (
      SELECT FROM judgments_judgment judgment
      WHERE judgment.pair_id = slot.pair_id AND judgment.rater_id = %(rater)s
  )
"""

SKIPPED = """
SELECT count(*) FROM judgments_skip skip
WHERE skip.judgment_list_id = %(list)s AND skip.rater_id = %(rater)s
  AND NOT EXISTS (
      SELECT FROM judgments_judgment judgment
      WHERE judgment.pair_id = skip.pair_id AND judgment.rater_id = %(rater)s
  )
  AND EXISTS (
      SELECT FROM judgments_slot slot
      WHERE slot.pair_id = skip.pair_id AND slot.state = 'open' AND slot.lease_until < %(at)s
  )
"""

# The slot that this rater holds, else a free one; never a second one of a pair. One that is being claimed is gone.
COMPLETE = """
WITH best AS (
    SELECT slot.id FROM judgments_slot slot
    WHERE slot.pair_id = %(pair)s AND slot.state = 'open'
      AND (slot.rater_id = %(rater)s OR (slot.lease_until < %(at)s AND NOT EXISTS (
          SELECT FROM judgments_slot mine WHERE mine.pair_id = %(pair)s AND mine.rater_id = %(rater)s
      )))
    ORDER BY (slot.rater_id = %(rater)s) DESC NULLS LAST, slot.ordinal
    LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE judgments_slot slot SET state = 'done', rater_id = %(rater)s, lease_until = to_timestamp(0)
FROM best WHERE slot.id = best.id
RETURNING slot.id
"""

LAST_POSITION = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Place:
    """Who asks, in which list, when, and until when what is handed out is kept for this rater."""

    list_id: int
    rater_id: int
    seed: int
    at: datetime
    until: datetime

    def values(self, **more: Any) -> dict[str, Any]:
        own = {"list": self.list_id, "rater": self.rater_id, "seed": self.seed}
        return own | {"at": self.at, "until": self.until} | more


@dataclass(frozen=True, slots=True)
class Held:
    """A slot that the rater now holds. `shuffle` orders the documents of a query for this rater."""

    slot_id: int
    pair_id: int
    position: int
    skipped_at: datetime | None
    shuffle: int

    @property
    def order(self) -> tuple[int, bool, float, int]:
        """Queries together in their order, documents in this rater's order, those put off last."""
        skipped_at = self.skipped_at.timestamp() if self.skipped_at else 0.0
        return self.position, self.skipped_at is not None, skipped_at, self.shuffle


def renew(place: Place) -> list[Held]:
    """What the rater holds, kept longer."""
    return _held(HELD, place.values())


def claim(place: Place, *, position: int, limit: int) -> list[Held]:
    """Up to `limit` slots of the query at `position`, of different pairs that this rater has not judged."""
    return _held(CLAIM, place.values(position=position, limit=limit))


def next_position(place: Place, *, after: int, last: int = LAST_POSITION, with_skipped: bool) -> int | None:
    """The first query after `after` with a slot for this rater, or None."""
    found = _one(NEXT_POSITION, place.values(position=after, last=last, with_skipped=with_skipped))
    return None if found is None else int(found)


def complete(*, pair_id: int, rater_id: int, at: datetime) -> bool:
    """Marks the slot that a judgment fills as done; False when none is left and the judgment is extra."""
    return _one(COMPLETE, {"pair": pair_id, "rater": rater_id, "at": at}) is not None


def held_until(place: Place) -> datetime | None:
    """When the first slot that another rater holds, and that this one could judge, becomes free."""
    found: datetime | None = _one(HELD_UNTIL, place.values())
    return found


def count_skipped(place: Place) -> int:
    """How many pairs this rater put off that can still be judged."""
    return int(_one(SKIPPED, place.values()) or 0)


def _held(statement: str, values: dict[str, Any]) -> list[Held]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [Held(*row) for row in cursor.fetchall()]


def _one(statement: str, values: dict[str, Any]) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
    return row[0] if row else None
