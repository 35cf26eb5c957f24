"""What leaving a rater out of the consensus would change, or taking the rater back in."""

from dataclasses import dataclass
from typing import Final, cast

from judgments.consensus import Rule, Tie
from judgments.ingest import consensus as sql
from judgments.ingest.foresight import foresee
from judgments.models import Exclusion, Judgment, JudgmentList, Rater
from judgments.reports.rules import GradeEffect


@dataclass(frozen=True, slots=True)
class ExclusionEffect(GradeEffect):
    """Of `pairs` that the rater judged."""

    pairs: int


EXAMPLES: Final = 3


def effect_of_exclusion(judgment_list: JudgmentList, rater: Rater, *, excluded: bool) -> ExclusionEffect:
    """What becomes of the grades with the rater `excluded`, or included. Writes nothing; reads the rater's pairs once."""
    rule, tie = cast(Rule, judgment_list.rule), cast(Tie, judgment_list.tie)
    trial = sql.Trial(excluded=rater.pk) if excluded else sql.Trial(included=rater.pk)
    changes = foresee(list_id=judgment_list.pk, rule=rule, tie=tie, rater_id=rater.pk, trial=trial)
    first = changes.examples(EXAMPLES)
    examples = sql.told(list_id=judgment_list.pk, rule=rule, tie=tie, pair_ids=first, trial=trial)
    pairs = Judgment.objects.filter(judgment_list=judgment_list, rater=rater).count()
    return ExclusionEffect(changes, examples, pairs)


def standing_exclusions(judgment_list: JudgmentList) -> dict[int, Exclusion]:
    """By rater; who decided it is read along."""
    standing = Exclusion.objects.standing().filter(judgment_list=judgment_list)
    return {one.rater_id: one for one in standing.select_related("by")}
