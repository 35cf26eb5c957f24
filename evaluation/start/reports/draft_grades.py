"""Grades of the files of a new evaluation: which pairs they judge, and where a later file judges one again."""

from collections import Counter
from collections.abc import Sequence

from evaluation.start.reports.draft_readings import SHOWN
from judgments.models import MAX_OVERLAP
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.words import counted


class DraftGrades:
    """`by_query` has, by query and document, the first grade, its file, and how many judgments there are."""

    def __init__(self) -> None:
        self.by_query: dict[str, dict[str, tuple[float | None, str, int]]] = {}

    def add(self, query_id: str, record: JudgmentRecord, file: str) -> str | None:
        """None, or for a pair of an earlier file: its grade in both if these are different numbers, else an empty text."""
        grades = self.by_query.setdefault(query_id, {})
        first, first_file, count = grades.get(record.document, (record.grade, file, 0))
        grades[record.document] = (first, first_file, count + 1)
        if first_file == file:
            return None
        if first is None or record.grade is None or first == record.grade:
            return ""
        return f"{record.query} / {record.document}: {first:g} and {record.grade:g}"

    @property
    def overlap(self) -> int:
        """How many raters most pairs have."""
        counts = Counter(count for grades in self.by_query.values() for _, _, count in grades.values())
        return min(max(counts, key=lambda count: (counts[count], count), default=1), MAX_OVERLAP)


def judged_again_words(again: Sequence[str]) -> str:
    """What `add` returned for the judgments of a file whose pairs an earlier file has."""
    different = [words for words in again if words]
    grades = f", {len(different):,} with another grade ({first_of(different)})" if different else ""
    verb = "it counts" if len(again) == 1 else "they count"
    return (
        f"{counted(len(again), 'judgment')} of pairs that an earlier file has{grades}: {verb} as another rater’s, "
        "and the list takes the median."
    )


def first_of(examples: Sequence[str]) -> str:
    """The first examples: “q1: “a” and “b”; …”."""
    return "; ".join(examples[:SHOWN]) + ("; …" if len(examples) > SHOWN else "")
