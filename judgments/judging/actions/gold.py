"""Gold pairs for one rater: for practice first, then mixed in. For actions that hold the rater's place in the list."""

import hashlib
from collections.abc import Collection, Sequence

from judgments.judging.sql import draws, slots
from judgments.models import GoldDraw, Handout, RaterQueue

FIRST = -(2**63)


def practice(queue: RaterQueue, place: slots.Place, count: int) -> list[slots.Held]:
    """Up to `count` gold pairs to practice on; empty once practice is over, or when there is no further gold pair."""
    left = queue.judgment_list.onboarding - queue.practice_count
    if left <= 0:
        return []
    held = [one for one in draws.drawn(place) if one.practice]
    missing = min(count, left) - len(held)
    return held + [_draw(place, *found, practice=True) for found in _pool(place, slots.START, missing)]


def drawn(queue: RaterQueue, place: slots.Place) -> list[slots.Held]:
    """What was mixed in before and waits for an answer."""
    if not queue.judgment_list.gold_rate:
        return []
    return [one for one in draws.drawn(place) if not one.practice]


def mix_in(
    queue: RaterQueue, place: slots.Place, held: Sequence[slots.Held], fresh: Collection[int]
) -> list[slots.Held]:
    """Draws a gold pair before each of the `fresh` pairs of what is held where the seed chose its number for one.

    One of the same query stands right there; one of another query comes after the query on the screen.
    """
    rate, answers = queue.judgment_list.gold_rate, sum(one.repeat is None for one in held)
    nth = queue.judgment_count + answers - len(fresh)
    gold: list[slots.Held] = []
    before: slots.Held | None = None
    for one in held:
        if one.pair_id in fresh:
            while is_due(f"{queue.seed} {(nth := nth + 1)}", rate):
                if not (found := _pool(place, one.query_position, 1)):
                    return gold
                pair_id, position = found[0]
                after, priority = place_before(one, before, position)
                gold.append(_draw(place, pair_id, position, after=after, priority=priority))
        before = one
    return gold


def place_before(one: slots.Held, before: slots.Held | None, position: int) -> tuple[int, int]:
    """`after` and `priority` of a pair of the query at `position` that is to come between two, or first of its query."""
    if before and not before.drawn and not before.skipped_at and position == before.query_position:
        return before.shuffle, before.priority
    return FIRST, one.priority


def is_due(what: str, rate: int, of: int = 100) -> bool:
    """Whether chance, the same for the same words, chooses this with a chance of `rate` in `of`."""
    digest = hashlib.blake2b(what.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % of < rate


def _pool(place: slots.Place, position: int, limit: int) -> list[tuple[int, int]]:
    return draws.pool(place, position=position, limit=limit) if limit > 0 else []


def _draw(
    place: slots.Place,
    pair_id: int,
    position: int,
    *,
    after: int = FIRST,
    priority: int = 0,
    practice: bool = False,
) -> slots.Held:
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
    Handout.objects.bulk_create(
        [Handout(pair_id=pair_id, rater_id=place.rater_id)], ignore_conflicts=True
    )  # was drawn before
    return slots.Held(pair_id, position, priority, None, after, drawn=True, practice=practice)
