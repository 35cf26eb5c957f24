"""Decisions of files for a new evaluation: they are about pairs that other files bring, and are checked before anything is made."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from evaluation.start.reports.file_readings import SHOWN_EXAMPLES, FileReading
from judgments.files.reports.import_decisions import FileDecisions
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import Report

OF_THE_FILES: Final = "a pair that another of these files has"


class DraftDecisions:
    """Those of each file by themselves as they are read, then all of them against the pairs of all files."""

    def __init__(self) -> None:
        self._by_file: dict[str, tuple[FileDecisions, Report]] = {}
        self._places: dict[str, int] = {}

    def add(self, file: str, query_id: str, record: JudgmentRecord) -> None:
        """Whether the scale has its grade is asked later, for all grades together."""
        if file not in self._by_file:
            report = Report()
            self._by_file[file] = FileDecisions(report), report
        decisions, _ = self._by_file[file]
        decisions.add(record, self._places.setdefault(query_id, len(self._places)), record.grade or 0.0)

    def tell(self, readings: Iterable[FileReading], pairs: Mapping[str, Collection[str]]) -> None:
        """Tells the readings how many decisions are good, and what is wrong with the others. `pairs`: documents by query."""
        queries = list(self._places)

        def is_known(place: int, document: str) -> bool:
            return document in pairs.get(queries[place], ())

        for reading in readings:
            if reading.key in self._by_file:
                decisions, report = self._by_file[reading.key]
                reading.decision_count = decisions.keep(is_known, OF_THE_FILES)
                reading.problems += report.errors.causes(SHOWN_EXAMPLES)
