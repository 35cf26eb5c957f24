"""What a grade of a file means on a scale, and what to do with grades that the scale does not have."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from judgments.base.digits import written
from judgments.models import Reason, Scale
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import Report

REFUSE: Final = ""
PAIR: Final = "pair"
CANNOT_JUDGE: Final = "cannot-judge"
LOWEST: Final = "lowest"
LEAVE_OUT: Final = "leave-out"
NEAREST: Final = "nearest"
NEGATIVE_GRADE: Final = "negative grade"
"""The kind of the problem."""

NEGATIVE: Final[Mapping[str, str]] = {
    REFUSE: "Refuse the file",
    PAIR: "A pair to be judged (in the pool, not judged)",
    CANNOT_JUDGE: "“Cannot judge”: the document is missing or broken",
    LOWEST: "The lowest grade of the scale",
    LEAVE_OUT: "Leave the line out",
}
BETWEEN: Final[Mapping[str, str]] = {
    REFUSE: "Refuse the file",
    NEAREST: "The nearest grade, or the lower of two that are equally near",
}
NEGATIVE_HINT: Final = "; or choose what a negative grade means: a pair to be judged, “cannot judge”, the lowest grade, or leave it out"
NEGATIVE_DECISION: Final = (REFUSE, LOWEST, LEAVE_OUT)
"""What there is to choose for decisions: each of them is a grade."""
NEGATIVE_DECISION_HINT: Final = "; or choose what a negative grade means: the lowest grade, or leave it out"
BETWEEN_HINT: Final = "; or choose the nearest grade"
BECOMES: Final[Mapping[str, tuple[str, str]]] = {
    PAIR: ("it becomes a pair to be judged", "negative grade: to be judged"),
    CANNOT_JUDGE: ("it becomes “cannot judge”", "negative grade: cannot judge"),
    LOWEST: ("it becomes the lowest grade", "negative grade: lowest grade"),
    LEAVE_OUT: ("the line is left out", "negative grade: left out"),
}


@dataclass(frozen=True, slots=True)
class GradePolicy:
    """Keys of `NEGATIVE` and `BETWEEN`: what becomes of grades that the scale lacks."""

    negative: str = REFUSE
    between: str = REFUSE

    @property
    def of_decisions(self) -> "GradePolicy":
        """A decision that would become no grade is left out."""
        return self if self.negative in NEGATIVE_DECISION else replace(self, negative=LEAVE_OUT)


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """A grade or a reason; neither for a pair to be judged."""

    value: float | None = None
    reason: str = ""


TO_BE_JUDGED: Final = FileAnswer()


class Grades:
    """Reads grades as people write them: the value, the label, or the label's initial where only one has it.

    Without a `policy` there is nothing to choose, and no sentence says so.
    """

    def __init__(
        self, scale: Scale, policy: GradePolicy | None = None, negative_hint: str = NEGATIVE_HINT
    ) -> None:
        self.scale = scale
        self.policy = policy or GradePolicy()
        self._negative_hint, self._between_hint = (negative_hint, BETWEEN_HINT) if policy else ("", "")
        grades = list(scale.grades.all())
        self.values = sorted(grade.value for grade in grades)
        self.known = {value: FileAnswer(value) for value in self.values}
        initials = Counter(grade.label[:1].casefold() for grade in grades)
        self.labels = {
            grade.label[:1].casefold(): grade.value
            for grade in grades
            if initials[grade.label[:1].casefold()] == 1
        } | {grade.label.casefold(): grade.value for grade in grades}
        grade_names = ", ".join(f"{written(grade.value)} ({grade.label})" for grade in grades)
        if scale.continuous:
            grade_names = f"a number from {written(scale.minimum)} to {written(scale.maximum)}"
        self.expected = f"a grade of the scale “{scale.name}”: {grade_names}"
        self.least = scale.minimum if scale.continuous or not grades else self.values[0]
        self.greatest = scale.maximum if scale.continuous or not grades else self.values[-1]

    def answer(self, record: JudgmentRecord, report: Report) -> FileAnswer | None:
        """None for a grade that is refused or left out; the report says which."""
        grade = record.grade
        if grade is None:
            value = self.labels.get(record.grade_text.casefold())
            return (
                FileAnswer(value) if value is not None else self._refuse(record, report, "not on the scale")
            )
        if self.scale.continuous and self.least <= grade <= self.greatest:
            return FileAnswer(grade)
        return self.known.get(grade) or self._off_scale(record, grade, report)

    def _off_scale(self, record: JudgmentRecord, grade: float, report: Report) -> FileAnswer | None:
        if grade < 0 and grade < self.least:
            return self._negative(record, report)
        if record.grade_text.casefold() in self.labels:
            return FileAnswer(self.labels[record.grade_text.casefold()])
        if grade < self.least:
            return self._refuse(record, report, "below the scale")
        if grade > self.greatest:
            return self._refuse(record, report, "above the scale")
        if not self.scale.has_order:
            return self._refuse(record, report, "not on the scale")
        return self._between(record, grade, report)

    def _negative(self, record: JudgmentRecord, report: Report) -> FileAnswer | None:
        policy = self.policy.negative
        if policy not in BECOMES:
            return self._refuse(record, report, NEGATIVE_GRADE, self._negative_hint)
        words, kind = BECOMES[policy]
        report.warn(record.line, record.grade_column, record.grade_text, f"0 or more ({words})", kind=kind)
        if policy == CANNOT_JUDGE:
            return FileAnswer(reason=str(Reason.DOCUMENT_MISSING.value))
        return {PAIR: TO_BE_JUDGED, LOWEST: FileAnswer(self.least)}.get(policy)

    def _between(self, record: JudgmentRecord, grade: float, report: Report) -> FileAnswer | None:
        if self.policy.between != NEAREST:
            return self._refuse(record, report, "between two grades", self._between_hint)
        value = min(self.values, key=lambda value: (abs(value - grade), value))
        hint = f"a grade of the scale (it becomes {written(value)})"
        report.warn(
            record.line,
            record.grade_column,
            record.grade_text,
            hint,
            kind="between two grades: nearest grade",
        )
        return FileAnswer(value)

    def _refuse(self, record: JudgmentRecord, report: Report, kind: str, hint: str = "") -> FileAnswer | None:
        report.error(record.line, record.grade_column, record.grade_text, self.expected + hint, kind=kind)
        return None
