"""Gold pairs drawn for a rater, and where documents stand within their queries for this rater."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from judgments.judging.sql.slots import Held, Place

# Not what the rater has judged, has been given, holds, or put off. Those of the query at `position` come first.
POOL = """
SELECT pair.id, list_query.position - (list_query.priority::bigint << 32)
FROM judgments_goldpair gold
JOIN judgments_pair pair ON pair.id = gold.pair_id
JOIN judgments_listquery list_query
  ON list_query.judgment_list_id = pair.judgment_list_id AND list_query.query_id = pair.query_id
WHERE gold.judgment_list_id = %(list)s AND gold.retired_at IS NULL
  AND NOT EXISTS (SELECT FROM judgments_golddraw draw WHERE draw.pair_id = pair.id AND draw.rater_id = %(rater)s)
  AND NOT EXISTS (SELECT FROM judgments_slot slot WHERE slot.pair_id = pair.id AND slot.rater_id = %(rater)s)
  AND NOT EXISTS (SELECT FROM judgments_skip skip WHERE skip.pair_id = pair.id AND skip.rater_id = %(rater)s)
  AND NOT EXISTS (
      SELECT FROM judgments_judgment judgment WHERE judgment.pair_id = pair.id AND judgment.rater_id = %(rater)s
  )
ORDER BY (list_query.position - (list_query.priority::bigint << 32) = %(position)s) DESC,
         hashint8extended(pair.id, %(seed)s)
LIMIT %(limit)s
"""

# What the rater has judged otherwise waits no more: an import may have brought the judgment while the pair was drawn.
DRAWN = """
SELECT draw.pair_id, draw.query_position, draw.priority, skip.at, draw.after, true, draw.practice
FROM judgments_golddraw draw
LEFT JOIN judgments_skip skip ON skip.pair_id = draw.pair_id AND skip.rater_id = draw.rater_id
WHERE draw.rater_id = %(rater)s AND draw.judgment_list_id = %(list)s AND NOT draw.answered
  AND NOT EXISTS (
      SELECT FROM judgments_judgment judgment WHERE judgment.pair_id = draw.pair_id AND judgment.rater_id = draw.rater_id
  )
ORDER BY draw.id
"""

NUMBERS = """
SELECT list_query.position, list_query.pair_count, (
    SELECT count(*) FROM judgments_pair pair
    JOIN judgments_judgment judgment ON judgment.pair_id = pair.id AND judgment.rater_id = %(rater)s
    WHERE pair.judgment_list_id = %(list)s AND pair.query_id = list_query.query_id
)
FROM judgments_listquery list_query
WHERE list_query.judgment_list_id = %(list)s AND list_query.position = ANY(%(positions)s::int[])
"""


def pool(place: Place, *, position: int, limit: int) -> list[tuple[int, int]]:
    """Gold pairs that this rater has not met, with the positions of their queries."""
    return _rows(POOL, place.values(position=position, limit=limit))


def drawn(place: Place) -> list[Held]:
    """What was drawn for this rater and waits for an answer, in the order of drawing."""
    return [Held(*row) for row in _rows(DRAWN, place.values())]


def numbers(place: Place, positions: Sequence[int]) -> dict[int, tuple[int, int]]:
    """For queries by position: how many pairs they have, and how many of them this rater has judged."""
    rows = _rows(NUMBERS, place.values(positions=list(positions)))
    return {position: (pairs, judged) for position, pairs, judged in rows}


def _rows(statement: str, values: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
