"""Which scale fits the grades of some files, and what is to become of grades that don't fit."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from evaluation.start.reports.draft_choices import DraftChoices
from judgments.base.digits import written
from judgments.files.reports.import_grades import GradePolicy, Grades
from judgments.models import Scale
from touchstone_core.formats import cells
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import Report

FOUND: Final = "found"
"""Stands for a scale of the grades that were found."""
MOST_LEVELS: Final = 10
MOST_DISTINCT: Final = 1_000
WITHOUT_GRADES: Final = "TREC 0–3"
WHOLE: Final = ("Binary", "TREC 0–2", "TREC 0–3", "Five grades 0–4", "Five stars 1–5")
SHARES, LARGE = "Continuous 0–1", "Slider 0–100"


@dataclass(slots=True)
class GradeCounts:
    """How often each grade occurs, as it is written in the files. Beyond a thousand different ones only their range is kept."""

    texts: Counter[str] = field(default_factory=Counter)
    least: float | None = None
    greatest: float | None = None
    rest: int = 0

    def add(self, record: JudgmentRecord) -> None:
        if not record.grade_text:
            return
        if record.grade is not None:
            self.least = record.grade if self.least is None else min(self.least, record.grade)
            self.greatest = record.grade if self.greatest is None else max(self.greatest, record.grade)
        if record.grade_text in self.texts or len(self.texts) < MOST_DISTINCT:
            self.texts[record.grade_text] += 1
        else:
            self.rest += 1

    def add_all(self, other: "GradeCounts") -> None:
        self.texts += other.texts
        self.rest += other.rest
        for grade in (other.least, other.greatest):
            if grade is not None:
                self.least = grade if self.least is None else min(self.least, grade)
                self.greatest = grade if self.greatest is None else max(self.greatest, grade)

    @property
    def values(self) -> list[float]:
        """Different grades that are numbers, without negative ones."""
        numbers = {cells.number(text) for text in self.texts}
        return sorted(number for number in numbers if number is not None and number >= 0)

    @property
    def labels(self) -> list[str]:
        return sorted(text for text in self.texts if cells.number(text) is None)

    @property
    def has_negative(self) -> bool:
        return self.least is not None and self.least < 0

    @property
    def range_in_words(self) -> str:
        """“0–3”, or the labels; empty for none."""
        if self.least is not None and self.greatest is not None:
            dash = "–" if self.least >= 0 else " to "
            ends = (written(self.least).replace("-", "−"), written(self.greatest))
            return ends[1] if self.least == self.greatest else dash.join(ends)
        return ", ".join(self.labels[:5])


@dataclass(frozen=True, slots=True)
class ScaleChoice:
    """`name` of the scale, its key in forms, and the keys and names that may be chosen.

    `off_scale` are grades that it lacks, with their numbers. `levels` are the grades of a scale of their own.
    """

    key: str
    name: str
    options: list[tuple[str, str]]
    off_scale: list[tuple[str, int]] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)
    has_negative: bool = False
    has_between: bool = False

    @property
    def negative_count(self) -> int:
        """How many of `off_scale` wait for the choice of what negative grades mean."""
        return sum(count for text, count in self.off_scale if (cells.number(text) or 0) < 0)

    @property
    def off_scale_count(self) -> int:
        return sum(count for _, count in self.off_scale)


def choose_scale(grades: GradeCounts, choices: DraftChoices, presets: Sequence[Scale]) -> ScaleChoice:
    """The scale that was chosen, else the first that has all grades."""
    own_levels = grades.values if _may_have_own(grades) else []
    options = [(str(scale.pk), scale.name) for scale in presets]
    if own_levels:
        options.append((FOUND, f"A scale of its own: {', '.join(map(written, own_levels))}"))
    key = choices.scale if choices.scale in dict(options) else _suggested(grades, presets, own_levels)
    policy = GradePolicy(choices.negative, choices.between)
    scale = next((one for one in presets if str(one.pk) == key), None)
    strict = _off_scale(grades, scale, GradePolicy(choices.negative))
    return ScaleChoice(
        key=key,
        name=scale.name if scale else dict(options)[key],
        options=options,
        off_scale=_off_scale(grades, scale, policy),
        levels=own_levels if key == FOUND else [],
        has_negative=grades.has_negative,
        has_between=bool(
            scale and not scale.continuous and any(_is_between(text, scale) for text, _ in strict)
        ),
    )


def _may_have_own(grades: GradeCounts) -> bool:
    levels = grades.values
    return 2 <= len(levels) <= MOST_LEVELS and not grades.labels and all(map(cells.is_moderate, levels))


def _suggested(grades: GradeCounts, presets: Sequence[Scale], own_levels: Sequence[float]) -> str:
    by_name = {scale.name: scale for scale in presets}
    values = grades.values
    if grades.labels:
        knows_all = (
            scale
            for scale in presets
            if {label.casefold() for label in grades.labels} <= Grades(scale).labels.keys()
        )
        return str(next(knows_all, by_name[WITHOUT_GRADES]).pk)
    if not values:
        return str(by_name[WITHOUT_GRADES].pk)
    for name in WHOLE:
        scale = by_name[name]
        if set(values) <= {grade.value for grade in scale.grades.all()}:
            return str(scale.pk)
    if grades.greatest is not None and grades.greatest <= 1:
        return str(by_name[SHARES].pk)
    return FOUND if own_levels else str(by_name[LARGE].pk)


def _off_scale(grades: GradeCounts, scale: Scale | None, policy: GradePolicy) -> list[tuple[str, int]]:
    """Grades that would be refused, with their numbers, the most frequent first."""
    if scale is None:  # of its own levels, which has all but the negative ones
        refused = [
            (text, count) for text, count in grades.texts.most_common() if (cells.number(text) or 0) < 0
        ]
        return refused if not policy.negative else []
    known, report = Grades(scale, policy), Report()

    def is_refused(text: str) -> bool:
        errors = report.errors.total
        known.answer(JudgmentRecord(0, "", "", text, cells.number(text)), report)
        return report.errors.total > errors

    off = [(text, count) for text, count in grades.texts.most_common() if is_refused(text)]
    ends = [end for end in (grades.least, grades.greatest) if end is not None and is_refused(repr(end))]
    return [*off, ("others", grades.rest)] if grades.rest and ends else off


def _is_between(text: str, scale: Scale) -> bool:
    number, values = cells.number(text), [grade.value for grade in scale.grades.all()]
    return number is not None and bool(values) and min(values) < number < max(values)
