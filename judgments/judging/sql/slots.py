"""Handing out slots. Every statement follows an index; none counts or walks a list that still has free slots.

A slot is free when its lease ends at `at` (now) or before. All statements take the same values: `list`, `rater`,
`at`, `until` (the end of new leases), `seed` (shuffles the documents of a query for this rater), `position` (of a
query in the order of judging), `limit`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

FACTS = """
slot.pair_id, slot.query_position, slot.priority,
    (SELECT skip.at FROM judgments_skip skip WHERE skip.rater_id = %(rater)s AND skip.pair_id = slot.pair_id),
    hashint8extended(slot.pair_id, %(seed)s)
"""

# What the rater has judged is not held any more, whatever became of the slot.
NOT_JUDGED = """
NOT EXISTS (SELECT FROM judgments_judgment j WHERE j.pair_id = slot.pair_id AND j.rater_id = %(rater)s)
"""

# What this rater still holds comes first, in the order of its queries; each lease is renewed.
HELD = f"""
WITH held AS (
    SELECT slot.id FROM judgments_slot slot
    WHERE slot.rater_id = %(rater)s AND slot.judgment_list_id = %(list)s AND slot.state = 'open'
      AND slot.lease_until > %(at)s AND {NOT_JUDGED}
    FOR UPDATE SKIP LOCKED
)
UPDATE judgments_slot slot SET lease_until = %(until)s FROM held WHERE slot.id = held.id
RETURNING {FACTS}
"""  # noqa: S608 -- nothing but the columns above

# A lease that ran out is renewed too while nobody else has taken the slot and it is still wanted.
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

# The candidates are the open pairs of one query in this rater's order, skipped ones last; of each pair that is
# reached one slot is locked, so that the pair's other slots stay free for other raters. A slot that this rater
# held before is taken again, since (pair, rater) is unique. That the pair was handed to this rater is kept for good.
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

# Scalar subqueries, because the planner cannot make a hash of the rater's whole work of them: each is one look-up.
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

# The same among the slots that became free after `since`: by a lease that ran out, by somebody who let go.
RETURNED_POSITION = f"""
SELECT min(slot.query_position) FROM judgments_slot slot
WHERE slot.judgment_list_id = %(list)s AND slot.state = 'open' AND NOT slot.surplus
  AND slot.lease_until > to_timestamp(0) AND slot.lease_until > %(since)s AND slot.lease_until <= %(at)s
  AND slot.query_position > %(position)s AND {FOR_ME} AND {NOT_SKIPPED}
"""  # noqa: S608

SKIPPED = """
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
COUNT_SKIPPED = f"SELECT count(*) {SKIPPED}"
SKIPPED_POSITION = f"""
SELECT min(slot.query_position) FROM judgments_slot slot
WHERE slot.query_position > %(position)s AND slot.pair_id IN (SELECT skip.pair_id {SKIPPED})
"""  # noqa: S608

# When the first slot runs out that another rater holds and this one could judge.
HELD_UNTIL = """
SELECT slot.lease_until FROM judgments_slot slot
WHERE slot.judgment_list_id = %(list)s AND slot.state = 'open' AND NOT slot.surplus
  AND slot.lease_until > to_timestamp(0) AND slot.lease_until > %(at)s AND slot.rater_id <> %(rater)s
  AND (
      SELECT true FROM judgments_judgment judgment
      WHERE judgment.pair_id = slot.pair_id AND judgment.rater_id = %(rater)s
  ) IS NULL
ORDER BY slot.judgment_list_id, slot.lease_until LIMIT 1
"""

# A query that waits becomes one whose slots are free again, so that it is found after the end of the round.
RETURN_QUERY = """
WITH free AS (
    SELECT slot.id FROM judgments_slot slot
    WHERE slot.judgment_list_id = %(list)s AND slot.query_position = %(position)s AND slot.state = 'open'
      AND NOT slot.surplus AND slot.lease_until <= %(at)s
    FOR UPDATE SKIP LOCKED
)
UPDATE judgments_slot slot SET lease_until = %(at)s FROM free WHERE slot.id = free.id
"""

START = -(2**62)
"""Before every query, whatever its priority."""


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
    """What a rater holds. `shuffle` orders the documents of a query for this rater; gold pairs and repeats were `drawn`.

    `repeat` is the card of a repeat.
    """

    pair_id: int
    query_position: int
    priority: int
    skipped_at: datetime | None
    shuffle: int
    drawn: bool = False
    practice: bool = False
    repeat: UUID | None = None

    @property
    def order(self) -> tuple[bool, float, int, int, bool]:
        """Within a query: by priority, then in this rater's order, those put off last."""
        skipped_at = self.skipped_at.timestamp() if self.skipped_at else 0.0
        return self.skipped_at is not None, skipped_at, -self.priority, self.shuffle, self.drawn


def held(place: Place) -> list[Held]:
    """What the rater holds, kept longer."""
    return _held(HELD, place.values())


def renew(place: Place, pair_ids: Sequence[int]) -> set[int]:
    """Which of these pairs the rater holds still, or again; kept longer."""
    with connection.cursor() as cursor:
        cursor.execute(RENEW, place.values(pairs=list(pair_ids)))
        return {row[0] for row in cursor.fetchall()}


def claim(place: Place, *, position: int, limit: int) -> list[Held]:
    """Up to `limit` slots of the query at `position`, of different pairs that this rater has not judged."""
    return _held(CLAIM, place.values(position=position, limit=limit))


def next_position(place: Place, *, after: int) -> int | None:
    """The first query after `after` with a slot for this rater that was not put off, or None."""
    found: int | None = _one(NEXT_POSITION, place.values(position=after))
    return found


def returned_position(place: Place, *, after: int, since: datetime) -> int | None:
    """The same, among the slots that became free since."""
    found: int | None = _one(RETURNED_POSITION, place.values(position=after, since=since))
    return found


def skipped_position(place: Place, *, after: int) -> int | None:
    """The same, among the pairs that this rater put off."""
    found: int | None = _one(SKIPPED_POSITION, place.values(position=after))
    return found


def return_query(place: Place, position: int) -> None:
    """Marks the free slots of a query as free since now."""
    with connection.cursor() as cursor:
        cursor.execute(RETURN_QUERY, place.values(position=position))


def held_until(place: Place) -> datetime | None:
    """When the first slot that another rater holds, and that this one could judge, becomes free."""
    found: datetime | None = _one(HELD_UNTIL, place.values())
    return found


def count_skipped(place: Place) -> int:
    """How many pairs this rater put off that can still be judged."""
    return int(_one(COUNT_SKIPPED, place.values()) or 0)


def _held(statement: str, values: dict[str, Any]) -> list[Held]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [Held(*row) for row in cursor.fetchall()]


def _one(statement: str, values: dict[str, Any]) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
    return row[0] if row else None
