"""Hidden repeats: which pair a rater sees again, and which repeats wait for an answer."""

from datetime import timedelta
from typing import Final

from judgments.base.sql.copy import rows
from judgments.judging.sql.slots import HeldPair, Place

APART: Final = 50
"""At least this many answers lie between the two: raters remember nearer ones, and the browser keeps 40 cards."""
ANOTHER_DAY: Final = timedelta(hours=12)
"""Pairs judged at least this long ago come first."""
LATEST: Final = 1_000
"""At most this many judgments are considered, the latest that are far enough back."""

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

# Not those whose judgment was changed or withdrawn since the draw: the rater has just looked at the document.
WAITING = """
SELECT draw.pair_id, draw.query_position, draw.priority, NULL::timestamptz, draw.after, true, false, draw.card
FROM judgments_repeatdraw draw
JOIN judgments_judgment judgment ON judgment.pair_id = draw.pair_id AND judgment.rater_id = draw.rater_id
WHERE draw.rater_id = %(rater)s AND draw.judgment_list_id = %(list)s AND NOT draw.answered
  AND draw.put_off_at IS NULL AND judgment.updated_at <= draw.drawn_at
ORDER BY draw.id
"""


def pick(place: Place, *, guidelines: int, number: int) -> tuple[int, int] | None:
    """A pair for this rater to judge again, with the position of its query; None while there is none."""
    values = place.values(guidelines=guidelines, number=number, another_day=place.at - ANOTHER_DAY)
    return next(
        ((pair_id, position) for pair_id, position in rows(PICK, **values, apart=APART, latest=LATEST)), None
    )


def waiting(place: Place) -> list[HeldPair]:
    """The repeats that were drawn for this rater and wait for an answer, in the order of drawing."""
    return [HeldPair(*row) for row in rows(WAITING, **place.values())]
