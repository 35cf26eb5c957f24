"""Raters of the files of a new evaluation: which names differ in case only, and who gave a grade twice."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from judgments.files.reports.import_raters import SAME, WORDS
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import Report

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
            report.error(record.line, "grade", answer, expected, kind="twice in the file")
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
        """Empty if it is the one for other files, which have gone."""
        decision = self.decisions.get(name, "")
        return decision if decision in (*WORDS, f"{SAME}{alike}") else ""
