"""What another consensus rule would make of a list's grades."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from judgments.consensus import Rule, Tie
from judgments.ingest import consensus as sql
from judgments.models import JudgmentList

Changes: TypeAlias = Mapping[int, Mapping[int, float | None]]
"""The new grade, or None, by query and document."""


@dataclass(frozen=True, slots=True)
class RuleEffect:
    """Grades that would be there, be other ones, or be gone; `examples` say how the first of them would come to be."""

    added: int
    changed: int
    removed: int
    changes: Changes
    examples: list[str]

    @property
    def total(self) -> int:
        return self.added + self.changed + self.removed


EXAMPLES = 5


def effect_of_rule(judgment_list: JudgmentList, rule: str, tie: str) -> RuleEffect:
    """Writes nothing. Reads every judgment of the list once."""
    changes: defaultdict[int, dict[int, float | None]] = defaultdict(dict)
    kinds = {"added": 0, "changed": 0, "removed": 0}
    examples: list[str] = []
    for one in sql.preview(list_id=judgment_list.pk, rule=cast(Rule, rule), tie=cast(Tie, tie)):
        changes[one.query_id][one.document_id] = one.value
        kinds["added" if one.was is None else "removed" if one.value is None else "changed"] += 1
        if one.found is not None and len(examples) < EXAMPLES and one.found.how not in examples:
            examples.append(one.found.how)
    return RuleEffect(**kinds, changes=dict(changes), examples=examples)
