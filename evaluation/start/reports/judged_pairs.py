"""Which pairs the files of a new evaluation judge, and where a later file judges one again."""

from collections import Counter, defaultdict

from evaluation.start.reports.draft_readings import first_examples
from judgments.models import MAX_OVERLAP
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.words import counted


class JudgedPairs:
    """`by_query` has, by query and document, the first grade, its file, and how many judgments there are."""

    def __init__(self) -> None:
        self.by_query: dict[str, dict[str, tuple[float | None, str, int]]] = {}
        self._repeats: Counter[str] = Counter()
        self._differences: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, query_id: str, record: JudgmentRecord, file: str) -> None:
        """Grades of two files are compared by their numbers, labels not at all."""
        grades = self.by_query.setdefault(query_id, {})
        first, first_file, count = grades.get(record.document, (record.grade, file, 0))
        grades[record.document] = (first, first_file, count + 1)
        if first_file == file:
            return
        self._repeats[file] += 1
        if first is not None and record.grade is not None and first != record.grade:
            words = f"{record.query} / {record.document}: {first:g} and {record.grade:g}"
            self._differences[file].append(words)

    def notes(self, file: str) -> list[str]:
        """What is to be said of the pairs of a file that an earlier one has; empty without any."""
        repeats, differences = self._repeats[file], self._differences[file]
        if not repeats:
            return []
        grades = (
            f", {len(differences):,} with another grade ({first_examples(differences)})"
            if differences
            else ""
        )
        verb = "it counts" if repeats == 1 else "they count"
        return [
            f"{counted(repeats, 'judgment')} of pairs that an earlier file has{grades}: {verb} as another rater’s, "
            "and the list takes the median."
        ]

    @property
    def overlap(self) -> int:
        """How many raters most pairs have."""
        counts = Counter(count for grades in self.by_query.values() for _, _, count in grades.values())
        return min(max(counts, key=lambda count: (counts[count], count), default=1), MAX_OVERLAP)
