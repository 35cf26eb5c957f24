"""What follows from a saved or withdrawn judgment: history, which is append-only; consensus, further slots, counts."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F

from judgments.base.errors import JudgmentsError
from judgments.grades.actions.consensus import refresh_within
from judgments.lists.sql import required_slots
from judgments.models import Judgment, JudgmentHistory, ListQuery, Pair, RaterQueue

ANSWER = ("value", "reason", "comment", "evidence", "confidence", "view", "place")
"""The fields of an answer, which go to the history and come back together."""


class RequestReusedError(JudgmentsError):
    sentence = "This answer was already used for another document. Load the page again."


def remember(
    judgment: Judgment, action: JudgmentHistory.Action, at: datetime, *, undo_id: UUID | None = None
) -> JudgmentHistory:
    """Keeps the current answer before it is replaced or withdrawn."""
    return JudgmentHistory.objects.create(
        query_set_id=judgment.query_set_id,
        pair_id=judgment.pair_id,
        rater_id=judgment.rater_id,
        action=action,
        answered_at=judgment.updated_at,
        replaced_at=at,
        request_id=judgment.request_id,
        undo_id=undo_id,
        **{name: getattr(judgment, name) for name in ANSWER},
    )


def set_answer(judgment: Judgment, history: JudgmentHistory) -> None:
    """Gives the judgment the earlier answer, unsaved."""
    for name in ANSWER:
        setattr(judgment, name, getattr(history, name))


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
        change.more_open += required_slots.settle_pair(
            queue.judgment_list, pair_id=pair.pk, at=at, favorite=queue.rater_id
        )
    refresh_within(judgment_list=queue.judgment_list, pair_ids=[pair.pk])
    ListQuery.objects.filter(judgment_list=pair.judgment_list_id, query=pair.query_id).update(
        judgment_count=F("judgment_count") + change.judgments,
        open_count=F("open_count") + change.more_open,
        judgments_revision=F("judgments_revision") + 1,
    )
