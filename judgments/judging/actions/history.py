"""Earlier answers. Append-only."""

from datetime import datetime
from uuid import UUID

from judgments.base.errors import JudgmentsError
from judgments.models import Judgment, JudgmentHistory

ANSWER = ("value", "reason", "comment", "evidence", "confidence", "view", "place")
"""The fields of an answer, which go to the history and come back together."""


class RequestReusedError(JudgmentsError):
    def __init__(self) -> None:
        super().__init__("This answer was already used for another document. Load the page again.")


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
