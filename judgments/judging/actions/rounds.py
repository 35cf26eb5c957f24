"""The order in which a rater goes through the queries of a list. A round runs once from the first query to the last.

Slots that become free behind the rater are found by the time when they did, so that nothing is scanned twice: the cost of a
claim depends on what happened since the round began, not on the length of the list. A rater with nothing left starts a
new round now and then, for slots that were missed, such as one that another transaction had locked and released.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial

from judgments.judging.sql import slots
from judgments.models import RaterQueue

AGAIN = timedelta(minutes=2)
MARGIN = timedelta(minutes=10)
"""The clocks of two machines may differ, and a slow transaction commits after the time that it wrote."""


def further_queries(
    queue: RaterQueue, place: slots.Place, *, idle: bool, with_skipped: bool
) -> Iterator[int]:
    """Positions of queries with a slot for this rater, the next first. Moves the queue's round on, unsaved.

    `idle` means that the rater holds nothing.
    """
    due = idle and queue.round_over and place.at - (queue.round_since or place.at) > AGAIN
    if queue.round_since is None or due:
        queue.round_since, queue.round_position, queue.round_over = place.at, slots.START, False
    if not queue.round_over:
        for position in _positions(slots.next_position, place, queue.round_position):
            queue.round_position = position
            yield position
        queue.round_over = True
    since = queue.round_since - MARGIN
    yield from _positions(partial(slots.returned_position, since=since), place)
    if with_skipped:
        yield from _positions(slots.skipped_position, place)


def _positions(
    position_after: Callable[..., int | None], place: slots.Place, after: int | None = slots.START
) -> Iterator[int]:
    while (after := position_after(place, after=after)) is not None:
        yield after
