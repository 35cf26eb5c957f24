"""Versions in numbers."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Q

from judgments.lists.reports.lists import rule_in_words
from judgments.lists.sql import versions as sql
from judgments.models import ConsensusGrade, Grade, JudgmentList, Version


def live_counts(judgment_list: JudgmentList) -> dict[str, Any]:
    """How many grades freezing now would include and leave out, and by which rule. One query."""
    counts = ConsensusGrade.objects.filter(judgment_list=judgment_list).aggregate(
        grades=Count("value"), undecided=Count("pk", filter=Q(undecided=True))
    )
    return {**counts, "rule": rule_in_words(judgment_list)}


def since_last(judgment_list: JudgmentList) -> tuple[Version, sql.ChangeCounts] | None:
    """The latest version, and how many live grades differ from it; None without versions. Two queries."""
    last = judgment_list.versions.order_by("-number").first()
    if last is None:
        return None
    return last, sql.count_differences(list_id=judgment_list.pk, earlier=last.pk, later=None)


def grade_counts(version: Version) -> list[tuple[Grade, int, float]]:
    """Grades of a version from low to high, each with count and percentage; nothing for a scale without levels. Two queries."""
    if version.scale.continuous:
        return []
    counts = sql.count_grades(version.pk)
    return [
        (grade, counts.get(grade.value, 0), 100 * counts.get(grade.value, 0) / version.grade_count)
        for grade in version.scale.grades.all()
    ]


def hashed_text(version: Version) -> Iterator[str]:
    """The text of the version's hash."""
    return sql.canonical_lines(version.pk)
