"""The consequences of one saved or withdrawn judgment: consensus, further slots, counts."""

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
class Change:
    """How many more judgments count toward the overlap, and how many more slots are open.

    `check_slots`: the pair may have more or fewer open slots than it still requires.
    """

    check_slots: bool
    judgments: int = 0
    more_open: int = 0


@contextmanager
def following(queue: RaterQueue, pair: Pair, at: datetime) -> Iterator[Change]:
    """Within, judgments or slots of the pair change. Afterwards everything that depends on them is brought up to date.

    Where the list asks for another rater when grades differ, the pair's slots follow its answers; this rater's slot is
    the last to be removed. The row of the query is written last, since every rater of the query needs it.
    """
    change = Change(check_slots=queue.judgment_list.adaptive_step is not None)
    yield change
    if change.check_slots:
        before = required_slots.count_open([pair.pk])
        required_slots.settle_pair(
            rules_of(queue.judgment_list), pair_id=pair.pk, at=at, favorite=queue.rater_id
        )
        change.more_open += required_slots.count_open([pair.pk]) - before
    refresh_within(judgment_list=queue.judgment_list, pair_ids=[pair.pk])
    saving.count(
        list_id=pair.judgment_list_id,
        query_id=pair.query_id,
        judgments=change.judgments,
        more_open=change.more_open,
    )
