"""The sentences that explain grades: “2, 3, 3: median 3”."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from judgments.grades.sql.explanations import explanations, facts_from
from judgments.models import ConsensusGrade, VersionGrades
from touchstone_core.grades.consensus import explain

OUTDATED_NOTE: Final = "made before its judgments or its model changed"


def explain_values(values: Mapping[int, float | None]) -> dict[int, str]:
    """By pair, why it has this grade or none, from the current judgments and decisions. One statement.

    A grade that doesn't follow from them will soon be refreshed. After a list was copied, for example, its model is missing.
    """
    return {
        pair: how if value == values[pair] else OUTDATED_NOTE
        for pair, (value, how) in explanations(list(values)).items()
    }


def explain_grades(grades: Iterable[ConsensusGrade | None]) -> None:
    """Sets `how` of each grade. One statement."""
    by_pair = {grade.pair_id: grade for grade in grades if grade is not None}
    for pair_id, how in explain_values({key: grade.value for key, grade in by_pair.items()}).items():
        by_pair[pair_id].how = how


def frozen_explanations(grades: VersionGrades) -> Iterator[str]:
    """Explains the grades of a query in a version, by its rule. Older versions have the sentences themselves."""
    if grades.facts is None:
        yield from grades.how
        return
    rule = grades.version.consensus_rule
    for facts, frozen_value in zip(grades.facts, grades.values, strict=True):
        value, how = explain(facts_from(facts), rule)
        yield how if value == frozen_value else OUTDATED_NOTE
