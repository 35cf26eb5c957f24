"""What leaving a rater out of the consensus would change, or taking the rater back in."""

from dataclasses import dataclass
from typing import Final

from judgments.grades.reports.rules import GradeEffect
from judgments.grades.sql.consensus import look_ahead
from judgments.models import Exclusion, Judgment, JudgmentList, Rater


@dataclass(frozen=True, slots=True)
class ExclusionEffect(GradeEffect):
    """Of `pairs` that the rater judged."""

    pairs: int


EXAMPLES: Final = 3


def effect_on_grades(judgment_list: JudgmentList, rater: Rater) -> ExclusionEffect:
    """What would become of the grades of the rater's pairs, as judgments count now. Reads these pairs once."""
    rule = judgment_list.consensus_rule
    pairs = Judgment.objects.filter(judgment_list=judgment_list, rater=rater).count()
    changes = look_ahead(list_id=judgment_list.pk, rule=rule, rater_id=rater.pk)
    return ExclusionEffect.of(changes, rule, most=EXAMPLES, pairs=pairs)


def standing_exclusions(judgment_list: JudgmentList) -> dict[int, Exclusion]:
    """By rater; who decided it is read along."""
    standing = Exclusion.objects.standing().filter(judgment_list=judgment_list)
    return {one.rater_id: one for one in standing.select_related("by")}
