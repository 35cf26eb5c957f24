"""In which query a rater goes on. A round leads once from the first query to the last.

Whatever became free behind the rater's back is found by when it did, so that nothing is walked twice: the cost of a
claim follows what happened since the round began, not the length of the list. For who has nothing left a round is
repeated now and then, whatever was missed (a slot that another transaction had locked and gave back, say).
"""

from collections.abc import Iterator
from datetime import timedelta

from judgments.judging.sql import slots
from judgments.models import RaterQueue

AGAIN = timedelta(minutes=2)
MARGIN = timedelta(minutes=10)
"""Clocks of two machines may differ, and what is committed late was stamped before."""


def further_queries(
    queue: RaterQueue, place: slots.Place, *, idle: bool, with_skipped: bool
) -> Iterator[int]:
    """Positions of queries with a slot for this rater, the next first. Moves the queue's round on, unsaved.

    `idle` says that the rater holds nothing.
    """
    repeated = idle and queue.round_over and place.at - (queue.round_since or place.at) > AGAIN
    if queue.round_since is None or repeated:
        queue.round_since, queue.round_position, queue.round_over = place.at, slots.START, False
    if not queue.round_over:
        yield from _rest_of_round(queue, place)
    yield from _returned(queue, place)
    if with_skipped:
        yield from _skipped(place)


def _rest_of_round(queue: RaterQueue, place: slots.Place) -> Iterator[int]:
    while (found := slots.next_position(place, after=queue.round_position)) is not None:
        queue.round_position = found
        yield found
    queue.round_over = True


def _returned(queue: RaterQueue, place: slots.Place) -> Iterator[int]:
    since, after = (queue.round_since or place.at) - MARGIN, slots.START
    while (found := slots.returned_position(place, after=after, since=since)) is not None:
        yield found
        after = found


def _skipped(place: slots.Place) -> Iterator[int]:
    after = slots.START
    while (found := slots.skipped_position(place, after=after)) is not None:
        yield found
        after = found
