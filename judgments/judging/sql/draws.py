"""Gold pairs and hidden repeats: which can be drawn for a rater, and which wait for an answer. And progress by query."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from judgments.judging.sql.slots import HeldPair, Place

APART: Final = 50
"""At least this many answers lie between the two: raters remember nearer ones, and the browser keeps 40 cards."""
ANOTHER_DAY: Final = timedelta(hours=12)
"""Pairs judged at least this long ago come first."""
LATEST: Final = 1_000
"""At most this many judgments are considered, the latest that are far enough back."""

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
GOLD_WAITING = """
SELECT draw.pair_id, draw.query_position, draw.priority, skip.at, draw.after, true, draw.practice
FROM judgments_golddraw draw
LEFT JOIN judgments_skip skip ON skip.pair_id = draw.pair_id AND skip.rater_id = draw.rater_id
WHERE draw.rater_id = %(rater)s AND draw.judgment_list_id = %(list)s AND NOT draw.answered
  AND NOT EXISTS (
      SELECT FROM judgments_judgment judgment WHERE judgment.pair_id = draw.pair_id AND judgment.rater_id = draw.rater_id
  )
ORDER BY draw.id
"""

# Graded on this screen, blind, by the current guidelines, and not changed within the last APART answers. The number
# goes into the order too: the seed alone orders the documents of a query, so it would favor those that came first.
PICK = """
WITH recent AS (
    SELECT judgment.id, judgment.created_at FROM judgments_judgment judgment
    WHERE judgment.judgment_list_id = %(list)s AND judgment.rater_id = %(rater)s
    ORDER BY judgment.id DESC OFFSET %(apart)s - 1 LIMIT 1
), earlier AS (
    SELECT judgment.pair_id, judgment.updated_at FROM judgments_judgment judgment
    WHERE judgment.judgment_list_id = %(list)s AND judgment.rater_id = %(rater)s
      AND judgment.id < (SELECT id FROM recent) AND judgment.updated_at <= (SELECT created_at FROM recent)
      AND judgment.value IS NOT NULL AND judgment.gold = '' AND judgment.method <> 'import'
      AND judgment.guidelines_version = %(guidelines)s
      AND NOT EXISTS (
          SELECT FROM judgments_repeatdraw draw
          WHERE draw.pair_id = judgment.pair_id AND draw.rater_id = judgment.rater_id
      )
    ORDER BY judgment.id DESC LIMIT %(latest)s
), pick AS MATERIALIZED (
    SELECT earlier.pair_id FROM earlier
    ORDER BY (earlier.updated_at <= %(another_day)s) DESC,
             hashint8extended(earlier.pair_id, %(seed)s::bigint # %(number)s::bigint)
    LIMIT 1
)
SELECT pair.id, list_query.position - (list_query.priority::bigint << 32)
FROM pick
JOIN judgments_pair pair ON pair.id = pick.pair_id
JOIN judgments_listquery list_query
  ON list_query.judgment_list_id = pair.judgment_list_id AND list_query.query_id = pair.query_id
"""

# Not those whose judgment was changed or withdrawn since the draw: the rater has just looked at the document. A file may have
# changed it with an earlier time. Not those of other guidelines: they may be why the rater answers differently.
REPEATS_WAITING = """
SELECT draw.pair_id, draw.query_position, draw.priority, NULL::timestamptz, draw.after, true, false, draw.card
FROM judgments_repeatdraw draw
JOIN judgments_judgment judgment ON judgment.pair_id = draw.pair_id AND judgment.rater_id = draw.rater_id
WHERE draw.rater_id = %(rater)s AND draw.judgment_list_id = %(list)s AND NOT draw.answered
  AND draw.put_off_at IS NULL AND judgment.updated_at <= draw.drawn_at
  AND judgment.guidelines_version = %(guidelines)s AND judgment.method <> 'import'
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


def gold_pool(place: Place, *, position: int, limit: int) -> list[tuple[int, int]]:
    """Gold pairs that are new to this rater, with the positions of their queries."""
    return [(pair_id, of_query) for pair_id, of_query in place.rows(POOL, position=position, limit=limit)]


def gold_waiting(place: Place) -> list[HeldPair]:
    """The gold pairs that were drawn for this rater and wait for an answer, in the order of drawing."""
    return [HeldPair(*row) for row in place.rows(GOLD_WAITING)]


def pick_repeat(place: Place, *, guidelines: int, number: int) -> tuple[int, int] | None:
    """A pair for this rater to judge again, with the position of its query; None while there is none."""
    limits = {"another_day": place.at - ANOTHER_DAY, "apart": APART, "latest": LATEST}
    picks = place.rows(PICK, guidelines=guidelines, number=number, **limits)
    return next(((pair_id, position) for pair_id, position in picks), None)


def repeats_waiting(place: Place, *, guidelines: int) -> list[HeldPair]:
    """The repeats that were drawn for this rater and wait for an answer, in the order of drawing."""
    return [HeldPair(*row) for row in place.rows(REPEATS_WAITING, guidelines=guidelines)]


def progress(place: Place, positions: Sequence[int]) -> dict[int, tuple[int, int]]:
    """For queries by position: how many pairs they have, and how many of them this rater has judged."""
    counts = place.rows(PROGRESS, positions=list(positions))
    return {position: (pairs, judged) for position, pairs, judged in counts}
