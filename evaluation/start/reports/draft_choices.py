"""What a person may choose for a new evaluation: for each of its files, and for all of them together."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from judgments.files.reports.import_raters import EXTERNAL, SAME
from judgments.files.reports.imports import COLUMNS, READABLE, Choices, KeptChoices
from touchstone_core.formats import detection
from touchstone_core.formats.file_format import Format
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import Report
from touchstone_core.formats.runs.declarations import FORMATS as RUN_FORMATS
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.runs.table_runs import run_columns
from touchstone_core.formats.tables import Column

LEFT_OUT: Final = "skip"
CREATE, LEAVE = "create", "leave"
KINDS: Final[Mapping[str, str]] = {
    detection.RUN: "Results (runs)",
    detection.JUDGMENTS: "Judgments",
    detection.QUERIES: "Queries",
    detection.DOCUMENTS: "Documents",
    LEFT_OUT: "Leave this file out",
}
FORMATS: Final[Mapping[str, Mapping[str, Format]]] = {detection.RUN: RUN_FORMATS, **READABLE}
SCHEMAS: Final[Mapping[str, tuple[Column, ...]]] = {detection.RUN: run_columns(Options()), **COLUMNS}


@dataclass(frozen=True, slots=True)
class FileChoices(KeptChoices):
    """How a person wants a file to be read, and its runs to be called. The empty text stands for “find out yourself”."""

    kind: str = ""
    encoding: str = ""
    format: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    run_names: list[str] = field(default_factory=list)
    header_line: int = 0

    @property
    def is_any(self) -> bool:
        """Whether somebody chose how it is read."""
        return bool(self.encoding or self.format or self.columns or self.header_line)

    def run_name(self, place: int) -> str:
        """The name that was chosen for the run at this place of the file; empty where none was."""
        return self.run_names[place] if place < len(self.run_names) else ""

    def of_kind(self, kind: str) -> "FileChoices":
        """Without a format and columns that were chosen for another kind."""
        columns = {column.target for column in SCHEMAS.get(kind, ())}
        return replace(
            self,
            kind=kind,
            format=self.format if self.format in FORMATS.get(kind, {}) else "",
            columns={target: header for target, header in self.columns.items() if target in columns},
        )


@dataclass(frozen=True, slots=True)
class DraftChoices(KeptChoices):
    """What a person chose for all files together. The empty text stands for what we suggest.

    `missing`: whether queries that no file of queries has are made. `scale` is the key of a preset, or `found`. `negative` and
    `between` are as in `GradePolicy`. `raters` says who the names are that differ in case only, as in `Raters`.
    """

    missing: str = ""
    scale: str = ""
    good_lines: bool = False
    negative: str = ""
    between: str = ""
    raters: dict[str, str] = field(default_factory=dict)


def import_choices(choices: FileChoices, all_choices: DraftChoices) -> Choices:
    """As the imports of single files take them. Queries and documents that judgments name are made."""
    return Choices(
        encoding=choices.encoding,
        format=choices.format,
        columns=choices.columns,
        header_line=choices.header_line,
        good_lines=all_choices.good_lines,
        create_missing=True,
        negative=all_choices.negative,
        between=all_choices.between,
        documents=True,
    )


Given: TypeAlias = dict[tuple[str, str, str], str]
"""Answers of a file by query, document and rater."""


@dataclass(frozen=True, slots=True)
class AlikeRater:
    """A name of the files that differs in case only from another, `alike`: of the account, or of the files. `decision` may be empty."""

    name: str
    judgments: int
    alike: str
    decision: str = ""


class DraftRaters:
    """Counts the judgments under each name."""

    def __init__(self, account: str, decisions: Mapping[str, str]) -> None:
        self.account = account
        self.decisions = decisions
        self.counts: Counter[str] = Counter()

    def is_new(self, query_id: str, rater: str, record: JudgmentRecord, given: Given, report: Report) -> bool:
        """Counts a judgment. Whether its file has `given` no earlier one of the pair by the same rater.

        Reports one that says otherwise.
        """
        self.counts[rater] += 1
        decision = self.decisions.get(rater, "")
        rater = decision.removeprefix(SAME) if decision.startswith(SAME) else rater
        key, answer = (query_id, record.document, rater), record.grade_text or record.reason
        if key not in given:
            given[key] = answer
            return True
        if given[key] != answer:
            expected = f"the only answer of a rater to this pair (an earlier line says {given[key]})"
            report.error(record.line, record.grade_column, answer, expected, kind="twice in the file")
        return False

    def alike(self) -> list[AlikeRater]:
        """Those that nobody has decided on first."""
        first = {self.account.casefold(): self.account}
        names = [name for name, _ in self.counts.most_common()]
        for name in names:
            first.setdefault(name.casefold(), name)
        different = [(name, first[name.casefold()]) for name in names if first[name.casefold()] != name]
        found = [
            AlikeRater(name, self.counts[name], alike, self._decision(name, alike))
            for name, alike in different
        ]
        return sorted(found, key=lambda one: bool(one.decision))

    def _decision(self, name: str, alike: str) -> str:
        """Empty if it is the one for other files, which have gone, or by an earlier release, which let it be a machine."""
        decision = self.decisions.get(name, "")
        return decision if decision in (EXTERNAL, f"{SAME}{alike}") else ""
