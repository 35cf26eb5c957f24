"""What follows from one saved or withdrawn judgment: consensus, further slots, counts."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from judgments.grades.actions.consensus import refresh_within
from judgments.judging.sql import saving
from judgments.lists.actions.pairs import rules_of
from judgments.lists.sql import required_slots
from judgments.models import Pair, RaterQueue


@dataclass(slots=True)
class Following:
    """What changed: judgments that count toward the overlap, and slots that are wanted still; to be added to the counts.

    `unsettled` says that there may be more or fewer slots than are wanted.
    """

    unsettled: bool
    judgments: int = 0
    more_open: int = 0


@contextmanager
def following(queue: RaterQueue, pair: Pair, at: datetime) -> Iterator[Following]:
    """What is done within changes judgments or slots of the pair; afterwards all that depends on them is right.

    The pair's further slots follow its answers where the list asks for one more where they differ. The row of the
    query is written last, since every rater of the query needs it.
    """
    change = Following(unsettled=queue.judgment_list.adaptive_step is not None)
    yield change
    if change.unsettled:
        change.more_open += _settled(queue, pair, at)
    refresh_within(judgment_list=queue.judgment_list, pair_ids=[pair.pk])
    saving.count(
        list_id=pair.judgment_list_id,
        query_id=pair.query_id,
        judgments=change.judgments,
        more_open=change.more_open,
    )


def _settled(queue: RaterQueue, pair: Pair, at: datetime) -> int:
    """Brings the slots of the pair up to date; how many more judgments are wanted. This rater's slot is the last to go."""
    before = required_slots.count_open([pair.pk])
    required_slots.settle_pair(rules_of(queue.judgment_list), pair_id=pair.pk, at=at, favorite=queue.rater_id)
    return required_slots.count_open([pair.pk]) - before
