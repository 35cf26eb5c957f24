"""Judgments of a pair, for tests of pages."""

from judgments.actions.imports import import_judgments
from judgments.formats.judgments import JudgmentRecord
from tests import factories as make


def judge(judgment_list, *values, at=make.NOW):
    """Every value by another rater, for one pair."""
    records = [
        JudgmentRecord(line, "q1", "d1", f"{value}", float(value), rater=f"rater {line}")
        for line, value in enumerate(values)
    ]
    import_judgments(
        judgment_list=judgment_list, records=records, rater_name=None, create_missing=True, at=at
    )
