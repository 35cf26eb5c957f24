"""What would be made of all files of a new evaluation together."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from django.utils.text import get_text_list

from evaluation.start.reports.draft_choices import AlikeRater, DraftChoices
from evaluation.start.reports.file_readings import FileReading
from evaluation.start.reports.scale_choice import ScaleChoice
from judgments.files.reports.import_raters import SAME
from touchstone_core.words import counted

SHOWN: Final = 3
FIX: Final = "Fix it and add it again, or leave it out."
CURE: Final = "Choose its encoding or format, fix it and add it again, or leave it out."


def first_examples(examples: Sequence[str]) -> str:
    """The first of them: “q1: “a” and “b”; …”."""
    return "; ".join(examples[:SHOWN]) + ("; …" if len(examples) > SHOWN else "")


@dataclass(slots=True)
class Missing:
    """Queries that judgments or runs name and no file of queries has: texts by ID."""

    judged: dict[str, str] = field(default_factory=dict)
    only_retrieved: dict[str, str] = field(default_factory=dict)
    judgments: int = 0
    create: bool = False

    @property
    def texts(self) -> dict[str, str]:
        return self.judged | self.only_retrieved

    @property
    def sentence(self) -> str:
        """How many there are, and what names them."""
        verb = "isn’t" if len(self.texts) == 1 else "aren’t"
        what = f"{counted(len(self.texts), 'query', 'queries')} that {verb} in a file of queries"
        if not self.judgments:
            return f"The {'files' if self.judged else 'results'} name {what}"
        if self.only_retrieved:
            return f"{counted(self.judgments, 'judgment')} and the results name {what}"
        return f"{counted(self.judgments, 'judgment names', 'judgments name')} {what}"

    @property
    def examples(self) -> list[str]:
        return list(self.texts.values())[:SHOWN]


@dataclass(slots=True)
class DraftReading:
    """All files of a draft. `queries` are those of the files, texts by ID; `run_names` are by file, one for each run of it."""

    files: list[FileReading]
    choices: DraftChoices
    scale: ScaleChoice
    queries: dict[str, str] = field(default_factory=dict)
    missing: Missing = field(default_factory=Missing)
    run_names: dict[str, list[str]] = field(default_factory=dict)
    raters: list[AlikeRater] = field(default_factory=list)
    judgment_count: int = 0
    document_count: int = 0
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.missing.create:
            for one in self.files:
                one.tell_runs_without_query()

    @property
    def rater_decisions(self) -> dict[str, str]:
        """Who the names are that were asked about, and those that they are like, which stay what they are."""
        same = {one.alike: f"{SAME}{one.alike}" for one in self.raters}
        return same | {one.name: one.decision for one in self.raters}

    @property
    def query_count(self) -> int:
        return len(self.queries) + (len(self.missing.texts) if self.missing.create else 0)

    @property
    def run_count(self) -> int:
        """Without those whose queries are all left out."""
        left_out = 0 if self.missing.create else sum(len(one.runs_without_query) for one in self.files)
        return sum(map(len, self.run_names.values())) - left_out

    @property
    def problem_count(self) -> int:
        return sum(one.problem_count for one in self.files) + self.scale.off_scale_count

    @property
    def only_negative(self) -> bool:
        """Whether nothing but negative grades is wrong, for which there is a choice that can leave them out, too."""
        return 0 < self.problem_count == self.scale.negative_count and not self.choices.good_lines

    @property
    def unclear(self) -> list[FileReading]:
        return [one for one in self.files if one.is_unclear]

    @property
    def stubborn(self) -> list[FileReading]:
        """Files with problems that leaving out lines doesn't cure."""
        return [one for one in self.files if one.is_stubborn]

    @property
    def unusable(self) -> list[FileReading]:
        """What one click leaves out. A file whose columns have to be chosen isn't among them: it may be the one that matters."""
        return [one for one in self.files if one.needs_decision and not one.needs_columns]

    @property
    def obstacle(self) -> str:
        """Why nothing can be made yet, and what to do; empty where something can."""
        if len(self.unusable) > 1:
            count = counted(len(self.unusable), "file")
            return f"{count} can’t be used, such as {self.unusable[0].name}. Say what they are, fix them, or leave them out."
        for one in self.unclear:
            if one.needs_columns:
                return f"Choose the columns of {one.name}, or leave it out."
            cure = (CURE if one.kind else FIX) if one.failure else "Choose what it is, or leave it out."
            return f"{one.name} can’t be used. {cure}"
        if self.stubborn:
            return f"{self.stubborn[0].name} has problems. Fix the file and add it again, or leave it out."
        for rater in self.raters:
            if not rater.decision:
                return f"Choose whether “{rater.name}” is “{rater.alike}” or another rater."
        if self.only_negative:
            return "Choose what negative grades mean."
        if self.problem_count and not self.choices.good_lines:
            return f"{counted(self.problem_count, 'problem')} above. Fix the file and add it again, or leave these lines out."
        if not (self.run_count or self.judgment_count or self.query_count):
            return "Add results of a search system, judgments or queries."
        return (
            ""
            if self.query_count
            else "No query is left. Create the missing queries, or add a file of queries."
        )

    @property
    def makes(self) -> str:
        """What the button makes, as “30 queries, 1,200 documents, 1,371 judgments and 2 runs”."""
        counts = (
            (self.query_count, "query", "queries"),
            (self.document_count, "document", ""),
            (self.judgment_count, "judgment", ""),
            (sum(one.decision_count for one in self.files), "decision", ""),
            (self.run_count, "run", ""),
        )
        parts = [counted(count, one, many) for count, one, many in counts if count]
        return get_text_list(parts, "and")
