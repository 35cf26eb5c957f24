"""Combines several judgments into one grade."""

from collections.abc import Mapping, Sequence

from django.db import transaction

from judgments.base.sql import locks
from judgments.grades.actions.model_fits import ask_for_fit
from judgments.grades.sql import consensus as sql
from judgments.log.actions import record_act
from judgments.models import JudgmentList, Rater, Verb


@transaction.atomic
def change_rule(*, judgment_list: JudgmentList, rule: str, tie: str) -> int:
    """Applies another rule to every grade. Returns how many grades changed in value.

    judgments.grades.reports shows beforehand what it would change.
    """
    locks.lock_list(judgment_list.pk)
    current = JudgmentList.objects.select_for_update(no_key=True).get(pk=judgment_list.pk)
    before = {"rule": current.rule, "tie": current.tie}
    judgment_list.rule, judgment_list.tie = rule, tie
    judgment_list.save(update_fields=["rule", "tie"])
    record_act(
        Verb.RULE_CHANGED,
        f"list {current}",
        judgment_list=judgment_list,
        before=before,
        after={"rule": rule, "tie": tie},
    )
    return refresh_within(judgment_list=judgment_list)


def tell_queries(*, judgment_list: JudgmentList, count_changes: Mapping[int, int]) -> None:
    """Marks scores of changed grades as stale, and asks for a new fit of the model."""
    if judgment_list.consensus_rule.has_model:
        ask_for_fit(judgment_list=judgment_list, rule=judgment_list.rule)
    sql.tell_queries(list_id=judgment_list.pk, count_changes=count_changes)


def refresh_within(
    *,
    judgment_list: JudgmentList,
    pair_ids: Sequence[int] | None = None,
    rater: Rater | None = None,
    count_changes: dict[int, int] | None = None,
) -> int:
    """Brings the consensus grades of these pairs, of a rater's, or of the whole list, up to date. Returns how many changed in value.

    The action that calls it holds the list or the pairs, and has read the list since. The revision of each query with a
    changed value grows, so that its scores count as stale. With `count_changes`, the caller passes it to `tell_queries`
    when it holds the list. If the rule reads a model, the model's current grades are used, and a worker is asked for a
    new fit.
    """
    if judgment_list.consensus_rule.has_model and count_changes is None:
        ask_for_fit(judgment_list=judgment_list, rule=judgment_list.rule)
    return sql.refresh(
        list_id=judgment_list.pk,
        rule=judgment_list.consensus_rule,
        pair_ids=pair_ids,
        rater_id=rater.pk if rater else None,
        count_changes=count_changes,
    )
