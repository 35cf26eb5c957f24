"""What a file of decisions means in one list: the grades of its pairs, and which decisions these would replace."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils import timezone

from judgments.base.digits import written
from judgments.files.sql.decisions import StandingDecision, standing_decisions
from judgments.models import Cause, JudgmentList
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import Report

CAUSES: Final = {cause.value.casefold(): cause.value for cause in Cause} | {
    str(cause.label).casefold(): cause.value for cause in Cause
}

HEADINGS: Final = ("Query", "Document", "Grade", "Cause", "Note")
OF_THE_LIST: Final = "a pair of this list (add it at Pairs, or import its judgments first)"


@dataclass(frozen=True, slots=True)
class FileDecision:
    """A decision of a file on a grade of the scale; `at` is None if the file doesn't say when."""

    line: int
    query: str
    document: str
    value: float
    cause: str
    note: str
    at: datetime | None

    @property
    def pair_in_words(self) -> str:
        return f"{self.query}, {self.document}"

    def is_as(self, found: StandingDecision) -> bool:
        """Whether it's what stands already."""
        same = (self.value, self.cause, self.note.strip()) == (found.value, found.cause, found.note)
        return same and self.at in (None, found.at)

    @property
    def row(self) -> list[str]:
        """For the preview, under HEADINGS."""
        return [
            self.query,
            self.document,
            written(self.value),
            str(Cause(self.cause).label),
            self.note,
        ]


@dataclass(frozen=True, slots=True)
class DecisionChanges:
    """The good decisions with the keys of their pairs: `new` ones, and those that `replace` others. `unchanged` stand already."""

    new: list[tuple[int, FileDecision]]
    replace: list[tuple[int, FileDecision]]
    unchanged: int

    @property
    def to_write(self) -> list[tuple[int, FileDecision]]:
        return [*self.new, *self.replace]


class FileDecisions:
    """The decisions of one file, checked one by one as they are read, and against the list by `resolve`.

    One without a time replaces only what stood when the file came, if that is known: who sent it hasn't seen what came later.
    """

    def __init__(self, report: Report, came_at: datetime | None = None) -> None:
        self._report, self._came_at = report, came_at
        self._by_pair: dict[tuple[int, str], FileDecision] = {}

    def __bool__(self) -> bool:
        return bool(self._by_pair)

    def add(self, record: JudgmentRecord, query_id: int, value: float) -> None:
        """Refuses an unknown cause, a time to come, and a pair that an earlier line decides."""
        cause = CAUSES.get(record.cause.casefold())
        if cause is None:
            expected = f"one of these causes: {', '.join(str(one.label) for one in Cause)}"
            self._report.error(record.line, "cause", record.cause, expected, kind="unknown cause")
            return
        decision = FileDecision(
            record.line, record.query, record.document, value, cause, record.comment, record.judged_at
        )
        if decision.at and decision.at > timezone.now():
            expected = "a time that has passed, or none: then it’s the time of the import"
            self._report.error(
                record.line, "decided_at", decision.at.isoformat(), expected, kind="time to come"
            )
            return
        first = self._by_pair.setdefault((query_id, record.document), decision)
        if first is not decision:
            expected = f"decided once (line {first.line} decides it already: remove one of them)"
            self._report.error(
                record.line, "document", decision.pair_in_words, expected, kind="decided twice"
            )

    def first(self, most: int) -> list[list[str]]:
        return [one.row for one in list(self._by_pair.values())[:most]]

    def keep(self, is_known: Callable[[int, str], bool], expected: str) -> int:
        """Takes out what is about other pairs, and returns how many are left; for files that wait for their list."""
        for key in [key for key in self._by_pair if not is_known(*key)]:
            self._refuse_unknown(self._by_pair.pop(key), expected)
        return len(self._by_pair)

    def resolve(self, judgment_list: JudgmentList) -> DecisionChanges:
        """One statement. Takes out what the list lacks, and what is older than what stands; the report says why."""
        wanted = list(self._by_pair)
        found = standing_decisions(judgment_list.query_set_id, judgment_list.pk, wanted) if wanted else {}
        new, replace, unchanged = [], [], 0
        for place, key in enumerate(wanted):
            decision, pair = self._by_pair[key], found.get(place)
            if pair is None:
                self._refuse_unknown(self._by_pair.pop(key), OF_THE_LIST)
            elif pair.at is None:
                new.append((pair.pair_id, decision))
            elif decision.is_as(pair):
                unchanged += 1
            elif self._is_older(decision, pair.at):
                del self._by_pair[key]
            else:
                replace.append((pair.pair_id, decision))
        return DecisionChanges(new, replace, unchanged)

    def _is_older(self, decision: FileDecision, standing: datetime) -> bool:
        at = decision.at or self._came_at
        if at is None or at >= standing:
            return False
        decided = standing.isoformat(timespec="seconds")
        if decision.at:
            column, value = "decided_at", decision.at.isoformat()
            expected = (
                f"later than the list’s own decision of {decided} on {decision.pair_in_words} "
                "(remove the line, or decide the pair on Disagreements)"
            )
        else:
            column, value = "document", decision.pair_in_words
            expected = (
                f"decided before this file came (somebody decided it at {decided}: look at it on Disagreements, "
                "and remove the line or send the file again)"
            )
        self._report.error(decision.line, column, value, expected, kind="older decision")
        return True

    def _refuse_unknown(self, decision: FileDecision, expected: str) -> None:
        self._report.error(decision.line, "document", decision.pair_in_words, expected, kind="unknown pair")
