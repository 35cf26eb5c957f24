"""Takes pairs out of a list, with what goes with them. Cost grows with these pairs only."""

from collections.abc import Sequence
from typing import Final

from judgments.base.sql import copy

# Raters claim without a lock on the list, and skip slots that are locked.
_LOCK_SLOTS: Final = """
SELECT count(*) FROM (
    SELECT FROM judgments_slot WHERE pair_id = ANY(%(pairs)s::bigint[]) ORDER BY id FOR UPDATE
) locked
"""
_GOING: Final = """
CREATE TEMP TABLE touchstone_going ON COMMIT DROP AS
SELECT id, query_id, document_id FROM judgments_pair WHERE id = ANY(%(pairs)s::bigint[])
"""
_COUNT: Final = """
CREATE TEMP TABLE touchstone_going_query ON COMMIT DROP AS
SELECT going.query_id, count(*) AS pairs, coalesce(sum(slots.open), 0) AS open
FROM touchstone_going going CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE slot.state = 'open' AND NOT slot.surplus) AS open
    FROM judgments_slot slot WHERE slot.pair_id = going.id
) slots
GROUP BY going.query_id
"""
GO_WITH_PAIR: Final = (
    *("judgments_slot", "judgments_skip", "judgments_handout", "judgments_golddraw", "judgments_repeatdraw"),
    *("judgments_goldpair", "judgments_consensusgrade", "judgments_modelgrade"),
)
"""Rows of an unjudged pair. Judgments and decisions aren't among them: the database keeps a pair that has one."""
# Of what only undone imports said. It may only be deleted together with its pair, as with a list.
_DELETE_HISTORY: Final = """
SELECT set_config('touchstone.deleting', 'yes', true);
DELETE FROM judgments_judgmenthistory WHERE pair_id IN (SELECT id FROM touchstone_going) AND batch_id IS NOT NULL;
SELECT set_config('touchstone.deleting', '', true)
"""
_DELETE_KEPT_FIELDS: Final = """
DELETE FROM judgments_keptfields kept USING touchstone_going going
WHERE kept.judgment_list_id = %(list)s AND kept.query_id = going.query_id AND kept.document_id = going.document_id
"""
_DELETE_PAIRS: Final = "DELETE FROM judgments_pair WHERE id IN (SELECT id FROM touchstone_going)"
_LEAVE_LIST: Final = """
DELETE FROM judgments_listquery list_query USING touchstone_going_query going
WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id = going.query_id
  AND list_query.pair_count = going.pairs
"""
_RECOUNT: Final = """
UPDATE judgments_listquery list_query
SET pair_count = list_query.pair_count - going.pairs, open_count = list_query.open_count - going.open,
    revision = list_query.revision + 1, pairs_revision = list_query.pairs_revision + 1
FROM touchstone_going_query going
WHERE list_query.judgment_list_id = %(list)s AND list_query.query_id = going.query_id
"""
_QUERIES: Final = "SELECT coalesce(array_agg(query_id), '{}') FROM touchstone_going_query"


def lock_slots(pair_ids: Sequence[int]) -> None:
    """Waits for raters who are taking these pairs, and keeps further ones from them."""
    copy.run(_LOCK_SLOTS, pairs=list(pair_ids))


def remove(*, list_id: int, pair_ids: Sequence[int]) -> tuple[list[int], int]:
    """Deletes these pairs with all that goes with them, and counts anew.

    The queries of these pairs, and how many of them left the list with their last one.
    """
    copy.drop("touchstone_going", "touchstone_going_query")
    copy.run(_GOING, pairs=list(pair_ids))
    copy.run("ANALYZE touchstone_going")
    copy.run(_COUNT)
    for table in GO_WITH_PAIR:
        copy.run(f"DELETE FROM {table} WHERE pair_id IN (SELECT id FROM touchstone_going)")  # noqa: S608
    copy.run(_DELETE_KEPT_FIELDS, list=list_id)
    copy.run(_DELETE_HISTORY)
    copy.run(_DELETE_PAIRS)
    gone = copy.run(_LEAVE_LIST, list=list_id)
    copy.run(_RECOUNT, list=list_id)
    return list(copy.value(_QUERIES)), gone
