"""What another consensus rule would make of a list's grades."""

from dataclasses import dataclass
from typing import Final, cast

from judgments.consensus import Rule, Tie
from judgments.ingest import consensus as sql
from judgments.ingest.foresight import Changes as Changes
from judgments.ingest.foresight import foresee
from judgments.models import JudgmentList


@dataclass(frozen=True, slots=True)
class GradeEffect:
    """Grades that would be there, be other ones, or be gone; `examples` say how the first of them would come to be."""

    changes: Changes
    examples: list[str]

    @property
    def added(self) -> int:
        return self.changes.added

    @property
    def changed(self) -> int:
        return self.changes.changed

    @property
    def removed(self) -> int:
        return self.changes.removed

    @property
    def total(self) -> int:
        return len(self.changes.pairs)


EXAMPLES: Final = 5


def effect_of_rule(judgment_list: JudgmentList, rule: str, tie: str) -> GradeEffect:
    """Writes nothing. Two statements, of which one reads every judgment of the list once."""
    asked, broken = cast(Rule, rule), cast(Tie, tie)
    changes = foresee(list_id=judgment_list.pk, rule=asked, tie=broken)
    examples = sql.told(list_id=judgment_list.pk, rule=asked, tie=broken, pair_ids=changes.examples(EXAMPLES))
    return GradeEffect(changes, examples)
