"""Answers in words."""

from judgments.base.digits import written as written
from judgments.models import Judgment, Reason, RepeatAnswer, Scale


def name_of(scale: Scale, value: float | None, reason: str) -> str:
    """An answer in words: the grade's label, the number on a continuous scale, the reason."""
    if value is None:
        return str(Reason(reason).label)
    labels = {grade.value: grade.label for grade in scale.grades.all()}
    return labels.get(value) or written(value)


def answer_in_words(scale: Scale, judgment: Judgment | RepeatAnswer) -> str:
    """The grade's name, or that it cannot be judged, with the reason."""
    name = name_of(scale, judgment.value, judgment.reason)
    return f"Cannot judge ({name})" if judgment.reason else name
