"""The state of the judgment list that values were computed from, and when."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, Final, Self

from evaluation.models import Evaluation
from evaluation.scores.sql.scores import read_fingerprint_and_grades
from judgments.base.moments import zoned
from judgments.models import JudgmentList, Version
from touchstone_core.formats.spreadsheet import Cell

LIVE: Final = "live"


@dataclass(frozen=True, slots=True)
class State:
    """`revision` numbers a live list's state: equal numbers mean equal grades and weights. A version has a hash instead.
    `computed_at` is None for values that weren't stored but computed for this page."""

    list_name: str
    list_id: int
    grades: int
    revision: int
    computed_at: datetime | None = None
    frozen: Version | None = None

    @property
    def version(self) -> str:
        """“live” or the number of the version, as text."""
        return LIVE if self.frozen is None else str(self.frozen.number)

    @property
    def key(self) -> str:
        """The whole number in hexadecimal digits, or the SHA-256 of a version."""
        return f"{self.revision:016x}" if self.frozen is None else self.frozen.sha256

    @property
    def short(self) -> str:
        """As many digits as people compare."""
        return self.key[-8:] if self.frozen is None else self.frozen.short_hash

    @property
    def computed_text(self) -> str:
        """For files, so that it sorts: `2026-11-21 03:40 UTC`; empty if nothing was stored."""
        return f"{self.computed_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if self.computed_at else ""

    def of(self, evaluation: Evaluation) -> Self:
        """The same for the stored values of this evaluation."""
        return replace(self, revision=evaluation.revision, computed_at=evaluation.computed_at)

    def __str__(self) -> str:
        grades = "1 grade" if self.grades == 1 else f"{self.grades:,} grades"
        moment = f"computed {zoned(self.computed_at)}" if self.computed_at else "computed now"
        if self.frozen is None:
            return f"{self.version}, {grades}, state {self.short}, {moment}"
        return (
            f"{self.frozen}, {grades}, SHA-256 {self.short}…, frozen {zoned(self.frozen.frozen_at)}, {moment}"
        )

    @property
    def cells(self) -> dict[str, Cell]:
        """The last columns of a CSV file, by name."""
        return {
            "list version": self.version,
            "grades": self.grades,
            "state": self.key,
            "computed": self.computed_text,
        }

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.list_id,
            "name": self.list_name,
            "version": self.version,
            "grades": self.grades,
            "state": self.key,
            "computed": self.computed_at.astimezone(UTC).isoformat() if self.computed_at else None,
            **({"frozen": self.frozen.frozen_at.astimezone(UTC).isoformat()} if self.frozen else {}),
        }


def list_state(judgment_list: JudgmentList, version: Version | None = None) -> State:
    """The current state of the list, or that of a version. One query at most."""
    if version is not None:
        return State(
            judgment_list.name, judgment_list.pk, version.grade_count, version.fingerprint, frozen=version
        )
    revision, grades = read_fingerprint_and_grades(judgment_list.pk)
    return State(judgment_list.name, judgment_list.pk, grades, revision)


def table_state(judgment_list: JudgmentList, version: Version | None, rows: Iterable[Evaluation]) -> State:
    """The state of the list that the rows were computed from. One query, or two without rows."""
    timed = [row for row in rows if row.computed_at is not None]
    newest = max(timed, key=attrgetter("computed_at"), default=None)
    state = list_state(judgment_list, version)
    return state.of(newest) if newest else state
