"""What an answer must be, and what follows from one that is saved or withdrawn: history, which is append-only; consensus, further slots, counts."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F

from judgments.base.digits import written
from judgments.base.errors import JudgmentsError
from judgments.grades.actions.consensus import refresh_within
from judgments.lists.sql import required_slots
from judgments.models import (
    ANSWER_FIELDS,
    Evidence,
    Judgment,
    JudgmentHistory,
    JudgmentList,
    ListQuery,
    Method,
    Pair,
    RaterQueue,
    Reason,
    Scale,
    View,
)
from touchstone_core.words import tidied

MOST_MS = 2**31 - 1
MOST_PASSAGES, LONGEST_QUOTE, LONGEST_FIELD, LONGEST_COMMENT = 20, 2_000, 100, 2_000


class AnswerError(JudgmentsError):
    """An answer that isn't on the scale, is missing or double, or lacks the required evidence."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Facts about an answer that the client sends. `active_ms` counts a visible page up to a minute after the last input.

    Each is a column of Judgment and a field of AnswerForm. The script measures the first four in
    static/js/judging/clock.js; the others are hidden fields of the card. To add a fact, add it there, here and to the model.
    """

    active_ms: int | None = None
    wall_ms: int | None = None
    method: str = Method.CLICK
    device: str = ""
    view: str = View.DOCUMENT
    place: int | None = None

    def details(self) -> dict[str, Any]:
        return {
            "active_ms": _within_limits(self.active_ms),
            "wall_ms": _within_limits(self.wall_ms),
            "method": self.method if self.method in Method.values else Method.CLICK,
            "device": self.device[:10],
            "view": self.view if self.view in (View.DOCUMENT, View.LIST) else "",
            "place": _within_limits(self.place) or None,
        }


def validate(
    judgment_list: JudgmentList,
    scale: Scale,
    *,
    value: float | None,
    reason: str,
    comment: str,
    evidence: Sequence[Mapping[str, Any]],
    confidence: int | None,
) -> dict[str, Any]:
    """The answer as it is stored. Drops evidence and confidence that the list doesn't ask for. Raises AnswerError."""
    _check_grade(scale, value, reason)
    if confidence not in (None, 1, 2, 3):
        raise AnswerError("Say how sure you are in three steps, from 1 to 3.")
    comment = tidied(comment)
    if len(comment) > LONGEST_COMMENT:
        raise AnswerError(
            f"Shorten the comment: it has {len(comment):,} characters, and {LONGEST_COMMENT:,} is the most."
        )
    return {
        "value": value,
        "reason": reason,
        "comment": comment,
        "evidence": _valid_evidence(judgment_list, value, evidence),
        "confidence": confidence if judgment_list.confidence else None,
    }


def _check_grade(scale: Scale, value: float | None, reason: str) -> None:
    if (value is None) == (not reason):
        raise AnswerError("Choose one grade, or say why the document can’t be judged.")
    if value is None:
        if reason not in Reason.values:
            raise AnswerError(f"“{reason}” isn’t one of the reasons why a document can’t be judged.")
        return
    check_on_scale(scale, value)


def check_on_scale(scale: Scale, value: float) -> None:
    """Raises AnswerError if the value isn't a grade of the scale."""
    if scale.continuous:
        if not scale.minimum <= value <= scale.maximum:
            low, high = written(scale.minimum), written(scale.maximum)
            raise AnswerError(f"The grade must be between {low} and {high}.")
    elif value not in {grade.value for grade in scale.grades.all()}:
        raise AnswerError(f"{written(value)} isn’t a grade of the scale “{scale.name}”.")


def _valid_evidence(
    judgment_list: JudgmentList, value: float | None, evidence: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    if judgment_list.evidence == Evidence.OFF:
        return []
    passages = [_passage(passage) for passage in evidence]
    if len(passages) > MOST_PASSAGES:
        raise AnswerError(f"You can mark at most {MOST_PASSAGES} passages.")
    if not passages and evidence_required(judgment_list, value):
        raise AnswerError("Mark the passage that made you decide: this grade needs evidence.")
    return passages


def evidence_required(judgment_list: JudgmentList, value: float | None) -> bool:
    """Whether an answer with this grade needs a passage; a reason for not judging never does."""
    if value is None or judgment_list.evidence != Evidence.REQUIRED:
        return False
    return not judgment_list.evidence_grades or value in judgment_list.evidence_grades


def _passage(passage: Mapping[str, Any]) -> dict[str, Any]:
    """A passage: the document's field, the words, and where in its text they begin and end (None where unknown)."""
    field, quote = passage.get("field"), passage.get("quote")
    start, end = passage.get("start"), passage.get("end")
    if not (isinstance(field, str) and isinstance(quote, str) and quote.strip()):
        raise AnswerError("A marked passage has no text. Mark it again.")
    is_range = isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= MOST_MS
    if not is_range and (start, end) != (None, None):
        raise AnswerError("A marked passage ends before it begins. Mark it again.")
    return {
        "field": field[:LONGEST_FIELD],
        "quote": quote.strip()[:LONGEST_QUOTE],
        "start": start,
        "end": end,
    }


def _within_limits(number: int | None) -> int | None:
    return None if number is None else min(max(number, 0), MOST_MS)


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
        batch_id=judgment.batch_id,
        **{name: getattr(judgment, name) for name in ANSWER_FIELDS},
    )


def set_answer(judgment: Judgment, history: JudgmentHistory) -> None:
    """Gives the judgment the earlier answer, unsaved. If that came by an import, undoing the import takes it back again."""
    for name in ANSWER_FIELDS:
        setattr(judgment, name, getattr(history, name))
    judgment.batch_id = history.batch_id


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
