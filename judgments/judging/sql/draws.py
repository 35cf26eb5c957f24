"""Gold pairs drawn for a rater, and how far this rater has come in each query."""

from collections.abc import Sequence

from judgments.base.sql.copy import rows
from judgments.judging.sql.slots import HeldPair, Place

# No pairs that the rater has judged, was handed, holds or skipped. Those of the query at `position` come first.
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

# Not those that the rater has judged otherwise: an import may have brought the judgment after the draw.
WAITING = """
SELECT draw.pair_id, draw.query_position, draw.priority, skip.at, draw.after, true, draw.practice
FROM judgments_golddraw draw
LEFT JOIN judgments_skip skip ON skip.pair_id = draw.pair_id AND skip.rater_id = draw.rater_id
WHERE draw.rater_id = %(rater)s AND draw.judgment_list_id = %(list)s AND NOT draw.answered
  AND NOT EXISTS (
      SELECT FROM judgments_judgment judgment WHERE judgment.pair_id = draw.pair_id AND judgment.rater_id = draw.rater_id
  )
ORDER BY draw.id
"""

PROGRESS = """
SELECT list_query.position, list_query.pair_count, (
    SELECT count(*) FROM judgments_pair pair
    JOIN judgments_judgment judgment ON judgment.pair_id = pair.id AND judgment.rater_id = %(rater)s
    WHERE pair.judgment_list_id = %(list)s AND pair.query_id = list_query.query_id
)
FROM judgments_listquery list_query
WHERE list_query.judgment_list_id = %(list)s AND list_query.position = ANY(%(positions)s::int[])
"""


def pool(place: Place, *, position: int, limit: int) -> list[tuple[int, int]]:
    """Gold pairs that are new to this rater, with the positions of their queries."""
    return [
        (pair_id, of_query)
        for pair_id, of_query in rows(POOL, **place.values(position=position, limit=limit))
    ]


def waiting(place: Place) -> list[HeldPair]:
    """The gold pairs that were drawn for this rater and wait for an answer, in the order of drawing."""
    return [HeldPair(*row) for row in rows(WAITING, **place.values())]


def progress(place: Place, positions: Sequence[int]) -> dict[int, tuple[int, int]]:
    """For queries by position: how many pairs they have, and how many of them this rater has judged."""
    counts = rows(PROGRESS, **place.values(positions=list(positions)))
    return {position: (pairs, judged) for position, pairs, judged in counts}
