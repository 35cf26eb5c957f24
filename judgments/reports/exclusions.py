"""What leaving a rater out of the consensus would change, or taking the rater back in."""

from dataclasses import dataclass
from typing import cast

from judgments.consensus import Rule, Tie
from judgments.ingest import consensus as sql
from judgments.models import Exclusion, Judgment, JudgmentList, Rater


@dataclass(frozen=True, slots=True)
class ExclusionEffect:
    """Of `pairs` that the rater judged: grades that would be there, be other ones, or be gone; first examples of how."""

    pairs: int
    added: int
    changed: int
    removed: int
    examples: list[str]

    @property
    def total(self) -> int:
        return self.added + self.changed + self.removed


EXAMPLES = 3


def effect_of_exclusion(judgment_list: JudgmentList, rater: Rater, *, excluded: bool) -> ExclusionEffect:
    """What becomes of the grades with the rater `excluded`, or included. Writes nothing; reads the rater's pairs once."""
    judged = Judgment.objects.filter(judgment_list=judgment_list, rater=rater).order_by()
    pairs = list(judged.values_list("pair", flat=True))
    found = sql.preview(
        list_id=judgment_list.pk,
        rule=cast(Rule, judgment_list.rule),
        tie=cast(Tie, judgment_list.tie),
        pair_ids=pairs,
        trial=sql.Trial(excluded=rater.pk) if excluded else sql.Trial(included=rater.pk),
    )
    kinds = {"added": 0, "changed": 0, "removed": 0}
    examples: list[str] = []
    for one in found:
        kinds["added" if one.was is None else "removed" if one.value is None else "changed"] += 1
        if one.found is not None and len(examples) < EXAMPLES and one.found.how not in examples:
            examples.append(one.found.how)
    return ExclusionEffect(len(pairs), **kinds, examples=examples)


def standing_exclusions(judgment_list: JudgmentList) -> dict[int, Exclusion]:
    """By rater; who decided it is read along."""
    standing = Exclusion.objects.standing().filter(judgment_list=judgment_list)
    return {one.rater_id: one for one in standing.select_related("by")}
