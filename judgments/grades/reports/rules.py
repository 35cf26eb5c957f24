"""What another consensus rule would make of a list's grades."""

from dataclasses import dataclass
from typing import Final, Self

from judgments.grades.sql.consensus import Changes as Changes
from judgments.grades.sql.consensus import look_ahead
from judgments.grades.sql.explanations import explanations
from judgments.models import JudgmentList
from touchstone_core.grades.consensus import ConsensusRule


@dataclass(frozen=True, slots=True)
class GradeEffect:
    """Grades that would be there, be other ones, or be gone; `examples` say how the first of them would come to be."""

    changes: Changes
    examples: list[str]

    @classmethod
    def of(cls, changes: Changes, rule: ConsensusRule, *, most: int, **more: int) -> Self:
        """With up to so many examples. One statement."""
        found = explanations(changes.examples(most), rule)
        return cls(changes, list(dict.fromkeys(how for _, how in found.values())), **more)


EXAMPLES: Final = 5


def effect_of_rule(judgment_list: JudgmentList, rule: str, tie: str) -> GradeEffect:
    """Writes nothing. Two statements, of which one reads every judgment of the list once."""
    asked = ConsensusRule(rule, tie)
    return GradeEffect.of(look_ahead(list_id=judgment_list.pk, rule=asked), asked, most=EXAMPLES)
