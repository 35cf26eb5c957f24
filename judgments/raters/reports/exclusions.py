"""What changes if a rater is left out of the consensus, or counts again."""

from dataclasses import dataclass
from typing import Final

from judgments.grades.reports import GradeEffect
from judgments.grades.sql.consensus import look_ahead
from judgments.models import Exclusion, Judgment, JudgmentList, Rater


@dataclass(frozen=True, slots=True)
class ExclusionEffect(GradeEffect):
    """The effect on `pairs`, which is the number of pairs that the rater judged."""

    pairs: int


EXAMPLES: Final = 3


def effect_on_grades(judgment_list: JudgmentList, rater: Rater) -> ExclusionEffect:
    """How the grades of the rater's pairs would change with the judgments that count now. Reads these pairs once."""
    rule = judgment_list.consensus_rule
    pairs = Judgment.objects.filter(judgment_list=judgment_list, rater=rater).count()
    changes = look_ahead(list_id=judgment_list.pk, rule=rule, rater_id=rater.pk)
    return ExclusionEffect.of(changes, rule, most=EXAMPLES, pairs=pairs)


def standing_exclusions(judgment_list: JudgmentList) -> dict[int, Exclusion]:
    """By rater, with the admins who decided."""
    standing = judgment_list.exclusions.standing()
    return {one.rater_id: one for one in standing.select_related("by")}
