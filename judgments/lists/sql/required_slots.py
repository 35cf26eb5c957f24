"""Keeps one open slot per judgment still required. Cost grows with the affected pairs only."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from judgments.base.sql.copy import rows, run
from judgments.models import FREE, JudgmentList, Slot

MACHINES_LEFT_OUT = """ARRAY(
    SELECT exclusion.rater_id FROM judgments_exclusion exclusion JOIN judgments_rater rater ON rater.id = exclusion.rater_id
    WHERE exclusion.judgment_list_id = %(list)s AND exclusion.lifted_at IS NULL AND rater.kind = 'machine'
    ORDER BY exclusion.rater_id
)"""
"""The machines whose judgments don't count in a list: neither as progress nor for agreement, where those of excluded people do."""
TINY = 1e-9
"""Grades are floats: a step of 0.1 must also count between 0.3 and 0.2."""

# Gold pairs and pairs whose grade an admin decided require no judgments. Judgments of excluded raters don't count.
# One more rater is required until `overlap` grades lie within less than `step` of each other; “cannot judge” is an
# answer and differs from none. Where an admin asked another rater, the pair itself says how many judgments it requires at
# least. Open slots of `favorite` and of other raters stay before free ones: of the slots that are
# too many a free one is deleted, and one that a rater holds is marked as surplus.
AFFECTED = """
WITH affected AS (
    SELECT pair.id, pair.priority, list_query.position - (list_query.priority::bigint << 32) AS query_position,
           CASE WHEN gold.id IS NOT NULL OR decided.id IS NOT NULL THEN 0 ELSE greatest(
                0, pair.least_judgments - judged.judgments,
                CASE WHEN %(step)s::float8 IS NULL OR judged.judgments < %(overlap)s OR EXISTS (
                    SELECT FROM generate_series(1, cardinality(judged.grades) - judged.near + 1) first
                    WHERE judged.grades[first + judged.near - 1] - judged.grades[first] < %(step)s::float8
                ) OR cardinality(judged.grades) = 0 THEN %(overlap)s
                ELSE least(%(most)s, judged.judgments + 1) END - judged.judgments
           ) END AS required, slots.open, slots.held, slots.last
    FROM judgments_pair pair
    CROSS JOIN LATERAL (
        SELECT position, priority FROM judgments_listquery
        WHERE judgment_list_id = pair.judgment_list_id AND query_id = pair.query_id LIMIT 1
    ) list_query
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

# ORDER BY makes PostgreSQL read all pairs before it adds the first slot. After an import the planner still takes the table of
# slots for empty, and would else scan all slots added so far for each pair. Where all slots that it knows of are done, it also
# believes that none is open, and would join by walking through all open slots once for each. So slots to change are arrays,
# and `||` hides from it that only open ones are looked for, which still holds for a slot that is claimed meanwhile (ADR 94).
SETTLE = f"""{AFFECTED}, ranked AS (
    SELECT slot.id, slot.surplus, slot.lease_until > %(at)s AS held, affected.required,
           row_number() OVER (PARTITION BY slot.pair_id ORDER BY
               slot.lease_until > %(at)s DESC, (slot.rater_id = %(favorite)s) DESC NULLS LAST, slot.surplus, slot.ordinal
           ) AS nth
    FROM affected JOIN judgments_slot slot ON slot.pair_id = affected.id AND slot.state || '' = 'open'
), marked AS (
    UPDATE judgments_slot slot SET surplus = slot.id = ANY(ARRAY(SELECT id FROM ranked WHERE held AND nth > required))
    WHERE slot.id = ANY(ARRAY(SELECT id FROM ranked WHERE surplus <> (nth > required) AND (held OR nth <= required)))
      AND slot.state || '' = 'open'
), removed AS (
    DELETE FROM judgments_slot slot WHERE slot.id = ANY(ARRAY(SELECT id FROM ranked WHERE nth > required AND NOT held))
      AND slot.state || '' = 'open' AND slot.lease_until <= %(at)s
)
INSERT INTO judgments_slot (query_set_id, judgment_list_id, pair_id, query_position, priority, ordinal, state, lease_until)
SELECT %(query_set)s, %(list)s, affected.id, affected.query_position, affected.priority,
       affected.last + nth, 'open', %(free_since)s
FROM affected CROSS JOIN LATERAL generate_series(1, affected.required - affected.open) nth
ORDER BY affected.id, nth
"""  # noqa: S608 -- nothing but the constant above

# What SETTLE would do, without doing it.
EFFECT = f"""{AFFECTED}
SELECT coalesce(sum(greatest(0, required - open)), 0), coalesce(sum(least(open - held, greatest(0, open - required))), 0),
       coalesce(sum(greatest(0, held - required)), 0)
FROM affected
"""  # noqa: S608

LOCK_OPEN = """
SELECT count(*) FROM (
    SELECT slot.id FROM judgments_slot slot WHERE slot.pair_id = ANY(%(pairs)s::bigint[]) AND slot.state = 'open'
    ORDER BY slot.id FOR UPDATE
) locked
"""

HELD_PAIRS = """
SELECT coalesce(array_agg(DISTINCT slot.pair_id), '{}') FROM judgments_slot slot
WHERE slot.judgment_list_id = %(list)s AND slot.state = 'open' AND NOT slot.surplus
  AND slot.lease_until > to_timestamp(0) AND slot.lease_until > %(at)s
  AND (%(pairs)s::bigint[] IS NULL OR slot.pair_id = ANY(%(pairs)s::bigint[]))
"""

# FILTER, not WHERE, picks the open slots, so that the planner looks slots up by pair. Where it believes that hardly any are
# open, as after adding many in the same transaction, it would else walk through the index of open slots for each pair.
# MATERIALIZED, because for a list that is new to it, it would count everything once for each query.
RECOUNT = f"""
WITH counted AS MATERIALIZED (
    SELECT pair.query_id, coalesce(sum(judged.judgments), 0) AS judgments, coalesce(sum(waiting.open), 0) AS open
    FROM judgments_pair pair
    LEFT JOIN LATERAL (
        SELECT count(*) AS judgments FROM judgments_judgment judgment
        WHERE judgment.pair_id = pair.id AND judgment.gold = '' AND judgment.rater_id <> ALL({MACHINES_LEFT_OUT})
    ) judged ON true
    LEFT JOIN LATERAL (
        SELECT count(*) FILTER (WHERE slot.state = 'open' AND NOT slot.surplus) AS open FROM judgments_slot slot
        WHERE slot.pair_id = pair.id
    ) waiting ON true
    WHERE pair.judgment_list_id = %(list)s {{affected}}
    GROUP BY pair.query_id
)
UPDATE judgments_listquery list_query SET judgment_count = counted.judgments, open_count = counted.open
FROM counted
WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id = counted.query_id
  AND (list_query.judgment_count, list_query.open_count) IS DISTINCT FROM (counted.judgments, counted.open)
"""  # noqa: S608 -- nothing but the constant above
# An array, not a join: with a join the planner may read every pair of the list for a few of them.
OF_THEIR_QUERIES = """
AND pair.query_id = ANY(ARRAY(SELECT DISTINCT query_id FROM judgments_pair WHERE id = ANY(%(pairs)s::bigint[])))
"""
OF_QUERIES = "AND pair.query_id = ANY(%(queries)s::bigint[])"
RECOUNT_ALL = RECOUNT.format(affected="")
RECOUNT_SOME = RECOUNT.format(affected=OF_THEIR_QUERIES)
RECOUNT_QUERIES = RECOUNT.format(affected=OF_QUERIES)


def effect(judgment_list: JudgmentList, *, at: datetime) -> tuple[int, int, int]:
    """What `settle` would do to the whole list: slots to add, free ones to remove, and surplus ones that raters hold.

    Changes nothing and waits for nobody.
    """
    ((added, removed, held),) = rows(EFFECT, **_rules(judgment_list), at=at, pairs=None)
    return int(added), int(removed), int(held)


def settle(judgment_list: JudgmentList, *, at: datetime, pair_ids: Sequence[int] | None) -> None:
    """Gives each pair one open slot per judgment still required; new ones are free.

    Never removes a slot that a rater holds at `at`, and looks a second time at slots that were claimed meanwhile.
    """
    keys = None if pair_ids is None else list(pair_ids)
    values = _rules(judgment_list) | {"at": at, "free_since": FREE, "favorite": None, "pairs": keys}
    run(SETTLE, **values)
    ((claimed,),) = rows(HELD_PAIRS, **values)
    if claimed:
        run(SETTLE, **values | {"pairs": claimed})


def settle_pair(judgment_list: JudgmentList, *, pair_id: int, at: datetime, favorite: int) -> int:
    """Locks and settles the slots of one pair; the slot of `favorite` is the last to become surplus.

    Returns how many more judgments the pair requires now.
    """
    still_required = Slot.objects.required().filter(pair=pair_id)
    before = still_required.count()
    values = {"at": at, "free_since": at, "favorite": favorite, "pairs": [pair_id]}
    run(LOCK_OPEN, **values)
    run(SETTLE, **_rules(judgment_list), **values)
    return still_required.count() - before


def recount(*, list_id: int, pair_ids: Sequence[int] | None) -> None:
    """Recounts judgments and open slots of the queries of these pairs, where many changed at once."""
    if pair_ids is None:
        run(RECOUNT_ALL, list=list_id)
    else:
        run(RECOUNT_SOME, list=list_id, pairs=list(pair_ids))


def recount_queries(*, list_id: int, query_ids: Sequence[int]) -> None:
    """Recounts judgments and open slots of these queries."""
    run(RECOUNT_QUERIES, list=list_id, queries=list(query_ids))


def _rules(judgment_list: JudgmentList) -> dict[str, Any]:
    """How many judgments the list requires of a pair. Reads the scale's level where grades may differ."""
    step = judgment_list.adaptive_step
    if step is not None:
        step = step - TINY if judgment_list.scale.has_order else TINY
    return {
        "query_set": judgment_list.query_set_id,
        "list": judgment_list.pk,
        "overlap": judgment_list.overlap,
        "step": step,
        "most": judgment_list.overlap_most,
    }
