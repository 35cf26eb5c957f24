"""Judgments of a pair, for tests of pages."""

from judgments.files.actions.imports import import_judgments
from judgments.files.reports.imports import OpenedFile
from judgments.files.reports.judgment_imports import Terms
from tests import factories as make
from touchstone_core.formats.judgments.judgments import JudgmentRecord


def judge(judgment_list, *values, at=make.NOW):
    """Every value by another rater, for one pair."""
    records = [
        JudgmentRecord(line, "q1", "d1", f"{value}", float(value), rater=f"rater {line}")
        for line, value in enumerate(values)
    ]
    import_judgments(
        judgment_list=judgment_list, file=OpenedFile(records), at=at, terms=Terms(create_missing=True)
    )
