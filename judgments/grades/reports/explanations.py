"""The sentences that say how grades came to be: “2, 3, 3: median 3”."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from judgments.grades.sql.explanations import explanations, facts_from
from judgments.models import ConsensusGrade, VersionGrades
from touchstone_core.grades.consensus import ConsensusRule, explain

OUTDATED: Final = "made before its judgments or its model changed"


def explained(values: Mapping[int, float | None]) -> dict[int, str]:
    """By pair, how it has this grade, or none, from the judgments and decisions as they are. One statement.

    A grade that does not follow from them is about to be made anew, as after a list was copied, whose model is not.
    """
    found = explanations(list(values))
    return {pair: how if value == values[pair] else OUTDATED for pair, (value, how) in found.items()}


def explain_grades(grades: Iterable[ConsensusGrade | None]) -> None:
    """Sets `how` of each that there is. One statement."""
    by_pair = {grade.pair_id: grade for grade in grades if grade is not None}
    for pair_id, how in explained({key: grade.value for key, grade in by_pair.items()}).items():
        by_pair[pair_id].how = how


def frozen_explanations(frozen: VersionGrades) -> Iterator[str]:
    """How the grades of a query came to be that a version holds, by its rule; as it was written down in older versions."""
    if frozen.facts is None:
        yield from frozen.how
        return
    rule = ConsensusRule(frozen.version.rule, frozen.version.tie)
    for facts, stored in zip(frozen.facts, frozen.values, strict=True):
        value, how = explain(facts_from(facts), rule)
        yield how if value == stored else OUTDATED
