"""Previews another consensus rule for a list."""

from dataclasses import dataclass
from typing import Final, Self

from judgments.grades.sql.consensus import Changes as Changes
from judgments.grades.sql.consensus import look_ahead
from judgments.grades.sql.explanations import explanations
from judgments.models import JudgmentList
from touchstone_core.grades.rules import ConsensusRule, Rule, Tie


@dataclass(frozen=True, slots=True)
class GradeEffect:
    """The grades that a change would add, change or remove; `examples` explain the first of them."""

    changes: Changes
    examples: list[str]

    @classmethod
    def of(cls, changes: Changes, rule: ConsensusRule, *, most: int, **more: int) -> Self:
        """With at most so many examples. One statement."""
        sentences = (how for _, how in explanations(changes.examples(most), rule).values())
        return cls(changes, list(dict.fromkeys(sentences)), **more)


EXAMPLES: Final = 5


def effect_of_rule(judgment_list: JudgmentList, rule: str, tie: str) -> GradeEffect:
    """Writes nothing. Two statements, one of which reads every judgment of the list once."""
    consensus_rule = ConsensusRule(Rule(rule), Tie(tie))
    changes = look_ahead(list_id=judgment_list.pk, rule=consensus_rule)
    return GradeEffect.of(changes, consensus_rule, most=EXAMPLES)
