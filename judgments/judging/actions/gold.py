"""Gold pairs for one rater: for practice first, then mixed in. The caller has locked the rater's place in the list."""

import hashlib
from collections.abc import Collection, Sequence

from judgments.judging.sql import draws, slots
from judgments.models import GoldDraw, Handout, RaterQueue

FIRST = -(2**63)


def practice(queue: RaterQueue, place: slots.Place, count: int) -> list[slots.HeldPair]:
    """Up to `count` gold pairs to practice on; empty when practice is over or no gold pair is left."""
    remaining = queue.judgment_list.onboarding - queue.practice_count
    if remaining <= 0:
        return []
    pairs = [pair for pair in draws.gold_waiting(place) if pair.practice]
    missing = min(count, remaining) - len(pairs)
    return pairs + [_draw(place, *pick, practice=True) for pick in _pool(place, slots.START, missing)]


def waiting_gold_pairs(queue: RaterQueue, place: slots.Place) -> list[slots.HeldPair]:
    """The gold pairs that were mixed in before and wait for an answer."""
    if not queue.judgment_list.gold_rate:
        return []
    return [pair for pair in draws.gold_waiting(place) if not pair.practice]


def mix_in(
    queue: RaterQueue, place: slots.Place, pairs: Sequence[slots.HeldPair], fresh: Collection[int]
) -> list[slots.HeldPair]:
    """Draws a gold pair before each of the `fresh` pairs whose number the seed chooses.

    A gold pair of the same query comes right there, one of another query after the query on the screen.
    """
    rate, answers = queue.judgment_list.gold_rate, sum(pair.repeat is None for pair in pairs)
    number = queue.judgment_count + answers - len(fresh)
    gold: list[slots.HeldPair] = []
    before: slots.HeldPair | None = None
    for pair in pairs:
        if pair.pair_id in fresh:
            while is_due(f"{queue.seed} {(number := number + 1)}", rate):
                if not (picks := _pool(place, pair.query_position, 1)):
                    return gold
                pair_id, position = picks[0]
                after, priority = place_before(pair, before, position)
                gold.append(_draw(place, pair_id, position, after=after, priority=priority))
        before = pair
    return gold


def place_before(pair: slots.HeldPair, before: slots.HeldPair | None, position: int) -> tuple[int, int]:
    """`after` and `priority` of a draw from the query at `position` that comes between two pairs, or first in its query."""
    if before and not before.is_draw and not before.skipped_at and position == before.query_position:
        return before.shuffle, before.priority
    return FIRST, pair.priority


def is_due(text: str, rate: int, of: int = 100) -> bool:
    """Whether chance chooses this `text`, at odds of `rate` in `of`. The same text always gets the same answer."""
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % of < rate


def _pool(place: slots.Place, position: int, limit: int) -> list[tuple[int, int]]:
    return draws.gold_pool(place, position=position, limit=limit) if limit > 0 else []


def _draw(
    place: slots.Place,
    pair_id: int,
    position: int,
    *,
    after: int = FIRST,
    priority: int = 0,
    practice: bool = False,
) -> slots.HeldPair:
    GoldDraw.objects.create(
        judgment_list_id=place.list_id,
        rater_id=place.rater_id,
        pair_id=pair_id,
        query_position=position,
        after=after,
        priority=priority,
        practice=practice,
        drawn_at=place.at,
    )
    # The pair may have been drawn for this rater before.
    Handout.objects.bulk_create([Handout(pair_id=pair_id, rater_id=place.rater_id)], ignore_conflicts=True)
    return slots.HeldPair(pair_id, position, priority, None, after, is_draw=True, practice=practice)
