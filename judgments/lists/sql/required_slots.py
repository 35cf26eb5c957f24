"""Keeping as many open slots as judgments are wanted. Cost grows with the pairs concerned only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

# Nothing is wanted of gold pairs, nor of those whose grade an admin decided. Judgments of excluded raters do not count.
# A further rater is wanted where there are not `overlap` answers within less than `step` of each other; “cannot judge”
# is an answer and differs from none. Of the open slots those of `favorite` and of other raters stay before free ones:
# a free one too many is deleted, one that a rater holds is marked as surplus.
CONCERNED = """
WITH concerned AS (
    SELECT pair.id, pair.priority, list_query.position - (list_query.priority::bigint << 32) AS query_position,
           CASE WHEN gold.id IS NOT NULL OR decided.id IS NOT NULL THEN 0
                WHEN %(step)s::float8 IS NULL OR judged.judgments < %(overlap)s OR EXISTS (
                    SELECT FROM generate_series(1, cardinality(judged.grades) - judged.near + 1) first
                    WHERE judged.grades[first + judged.near - 1] - judged.grades[first] < %(step)s::float8
                ) OR cardinality(judged.grades) = 0 THEN greatest(0, %(overlap)s - judged.judgments)
                ELSE greatest(0, least(%(most)s, judged.judgments + 1) - judged.judgments)
           END AS wanted, slots.open, slots.held, slots.last
    FROM judgments_pair pair
    JOIN judgments_listquery list_query USING (judgment_list_id, query_id)
    LEFT JOIN judgments_goldpair gold ON gold.pair_id = pair.id AND gold.retired_at IS NULL
    LEFT JOIN judgments_adjudication decided ON decided.pair_id = pair.id AND decided.withdrawn_at IS NULL
    CROSS JOIN LATERAL (
        SELECT judgments, grades, greatest(1, %(overlap)s - judgments + cardinality(grades)) AS near FROM (
            SELECT count(*)::int AS judgments,
                   coalesce(array_agg(value ORDER BY value) FILTER (WHERE value IS NOT NULL), '{}') AS grades
            FROM judgments_countingjudgment judgment WHERE judgment.pair_id = pair.id AND judgment.gold = ''
        ) counted
    ) judged
    CROSS JOIN LATERAL (
        SELECT (count(*) FILTER (WHERE state = 'open'))::int AS open,
               (count(*) FILTER (WHERE state = 'open' AND lease_until > %(at)s))::int AS held,
               coalesce(max(ordinal), 0) AS last
        FROM judgments_slot slot WHERE slot.pair_id = pair.id
    ) slots
    WHERE pair.judgment_list_id = %(list)s AND (%(pairs)s::bigint[] IS NULL OR pair.id = ANY(%(pairs)s::bigint[]))
)
"""

# The order makes all pairs be looked at before the first slot is added: in a table that is planned as an empty one, where
# all judgments were imported, each look would else pass over all slots added so far.
SETTLE = f"""{CONCERNED}, ranked AS (
    SELECT slot.id, slot.surplus, slot.lease_until > %(at)s AS held, concerned.wanted,
           row_number() OVER (PARTITION BY slot.pair_id ORDER BY
               slot.lease_until > %(at)s DESC, (slot.rater_id = %(favorite)s) DESC NULLS LAST, slot.surplus, slot.ordinal
           ) AS nth
    FROM concerned JOIN judgments_slot slot ON slot.pair_id = concerned.id AND slot.state = 'open'
), marked AS (
    UPDATE judgments_slot slot SET surplus = ranked.nth > ranked.wanted FROM ranked
    WHERE slot.id = ranked.id AND slot.state = 'open' AND slot.surplus <> (ranked.nth > ranked.wanted)
      AND (ranked.held OR ranked.nth <= ranked.wanted)
), removed AS (
    DELETE FROM judgments_slot slot USING ranked
    WHERE slot.id = ranked.id AND ranked.nth > ranked.wanted AND NOT ranked.held
      AND slot.state = 'open' AND slot.lease_until <= %(at)s
)
INSERT INTO judgments_slot (query_set_id, judgment_list_id, pair_id, query_position, priority, ordinal, state, lease_until)
SELECT %(query_set)s, %(list)s, concerned.id, concerned.query_position, concerned.priority,
       concerned.last + nth, 'open', %(freed)s
FROM concerned CROSS JOIN LATERAL generate_series(1, concerned.wanted - concerned.open) nth
ORDER BY concerned.id, nth
"""  # noqa: S608 -- nothing but the constant above

# What SETTLE would do, without doing it.
EFFECT = f"""{CONCERNED}
SELECT coalesce(sum(greatest(0, wanted - open)), 0), coalesce(sum(least(open - held, greatest(0, open - wanted))), 0),
       coalesce(sum(greatest(0, held - wanted)), 0)
FROM concerned
"""  # noqa: S608

LOCK_OPEN = """
SELECT count(*) FROM (
    SELECT slot.id FROM judgments_slot slot WHERE slot.pair_id = ANY(%(pairs)s::bigint[]) AND slot.state = 'open'
    ORDER BY slot.id FOR UPDATE
) locked
"""

COUNT_OPEN = """
SELECT count(*) FROM judgments_slot slot
WHERE slot.pair_id = ANY(%(pairs)s::bigint[]) AND slot.state = 'open' AND NOT slot.surplus
"""

HELD_PAIRS = """
SELECT coalesce(array_agg(DISTINCT slot.pair_id), '{}') FROM judgments_slot slot
WHERE slot.judgment_list_id = %(list)s AND slot.state = 'open' AND NOT slot.surplus
  AND slot.lease_until > to_timestamp(0) AND slot.lease_until > %(at)s
  AND (%(pairs)s::bigint[] IS NULL OR slot.pair_id = ANY(%(pairs)s::bigint[]))
"""

# Open slots are told apart after they are found by their pair: where the planner believes that hardly any are open, as
# before many were added in the same transaction, it would walk through the index of open slots for each pair.
RECOUNT = """
UPDATE judgments_listquery list_query SET judgment_count = counted.judgments, open_count = counted.open
FROM (
    SELECT pair.query_id, coalesce(sum(judged.judgments), 0) AS judgments, coalesce(sum(waiting.open), 0) AS open
    FROM judgments_pair pair
    LEFT JOIN LATERAL (
        SELECT count(*) AS judgments FROM judgments_judgment judgment
        WHERE judgment.pair_id = pair.id AND judgment.gold = ''
    ) judged ON true
    LEFT JOIN LATERAL (
        SELECT count(*) FILTER (WHERE slot.state = 'open' AND NOT slot.surplus) AS open FROM judgments_slot slot
        WHERE slot.pair_id = pair.id
    ) waiting ON true
    WHERE pair.judgment_list_id = %(list)s {concerned}
    GROUP BY pair.query_id
) counted
WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id = counted.query_id
  AND (list_query.judgment_count, list_query.open_count) IS DISTINCT FROM (counted.judgments, counted.open)
"""
# An array, not a subquery to join: with that the planner may read every pair of the list for a few of them.
OF_THEIR_QUERIES = """
AND pair.query_id = ANY(ARRAY(SELECT DISTINCT query_id FROM judgments_pair WHERE id = ANY(%(pairs)s::bigint[])))
"""
OF_QUERIES = "AND pair.query_id = ANY(%(queries)s::bigint[])"
RECOUNT_ALL = RECOUNT.format(concerned="")
RECOUNT_SOME = RECOUNT.format(concerned=OF_THEIR_QUERIES)
RECOUNT_QUERIES = RECOUNT.format(concerned=OF_QUERIES)


@dataclass(frozen=True, slots=True)
class Rules:
    """How many judgments each pair of a list gets: `overlap`, and up to `most` where answers differ by `step`."""

    query_set_id: int
    list_id: int
    overlap: int
    step: float | None
    most: int | None

    def values(self, **more: Any) -> dict[str, Any]:
        own = {"query_set": self.query_set_id, "list": self.list_id, "overlap": self.overlap}
        return own | {"step": self.step, "most": self.most} | more


@dataclass(frozen=True, slots=True)
class Effect:
    """What settling would do: slots `added`, free ones `removed`, and `kept` while raters hold them, though not wanted."""

    added: int
    removed: int
    kept: int


def effect(rules: Rules, *, at: datetime) -> Effect:
    """What these rules would do to the slots of the whole list. Changes nothing and waits for nobody."""
    with connection.cursor() as cursor:
        cursor.execute(EFFECT, rules.values(at=at, pairs=None))
        row = cursor.fetchone() or (0, 0, 0)
    return Effect(*map(int, row))


def settle(rules: Rules, *, at: datetime, freed: datetime, pair_ids: Sequence[int] | None) -> None:
    """Gives each pair as many open slots as judgments are wanted; new ones count as free since `freed`.

    A slot that a rater holds at `at` is never removed. Those that were claimed meanwhile are looked at again.
    """
    values = rules.values(at=at, freed=freed, favorite=None, pairs=_keys(pair_ids))
    with connection.cursor() as cursor:
        cursor.execute(SETTLE, values)
        cursor.execute(HELD_PAIRS, values)
        row = cursor.fetchone()
        if row and row[0]:
            cursor.execute(SETTLE, values | {"pairs": row[0]})


def settle_pair(rules: Rules, *, pair_id: int, at: datetime, favorite: int) -> None:
    """The same for one pair, whose slots are locked first; the slot of `favorite` is the last to become surplus."""
    values = rules.values(at=at, freed=at, favorite=favorite, pairs=[pair_id])
    with connection.cursor() as cursor:
        cursor.execute(LOCK_OPEN, values)
        cursor.execute(SETTLE, values)


def count_open(pair_ids: Sequence[int]) -> int:
    """How many judgments of these pairs are still wanted."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_OPEN, {"pairs": list(pair_ids)})
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def recount(*, list_id: int, pair_ids: Sequence[int] | None) -> None:
    """Counts the judgments and the open slots of the queries of these pairs anew, where many changed at once."""
    with connection.cursor() as cursor:
        if pair_ids is None:
            cursor.execute(RECOUNT_ALL, {"list": list_id})
        else:
            cursor.execute(RECOUNT_SOME, {"list": list_id, "pairs": list(pair_ids)})


def recount_queries(*, list_id: int, query_ids: Sequence[int]) -> None:
    """The same for queries that are known themselves."""
    with connection.cursor() as cursor:
        cursor.execute(RECOUNT_QUERIES, {"list": list_id, "queries": list(query_ids)})


def _keys(pair_ids: Sequence[int] | None) -> list[int] | None:
    return None if pair_ids is None else list(pair_ids)
