"""From several judgments to one grade."""

from collections.abc import Mapping, Sequence

from django.db import transaction

from judgments.base.sql import locks
from judgments.grades.actions.model_fits import ask_for_fit
from judgments.grades.sql import consensus as sql
from judgments.log.actions import record_act
from judgments.models import JudgmentList, Rater, Verb


@transaction.atomic
def change_rule(*, judgment_list: JudgmentList, rule: str, tie: str) -> int:
    """Applies another rule to every grade; gives the number of grades that changed in value.

    What it would change beforehand says judgments.grades.reports.rules.
    """
    locks.lock_list(judgment_list.pk)
    stored = JudgmentList.objects.select_for_update(no_key=True).get(pk=judgment_list.pk)
    before = {"rule": stored.rule, "tie": stored.tie}
    judgment_list.rule, judgment_list.tie = rule, tie
    judgment_list.save(update_fields=["rule", "tie"])
    record_act(
        Verb.RULE_CHANGED,
        f"list {stored}",
        judgment_list=judgment_list,
        before=before,
        after={"rule": rule, "tie": tie},
    )
    return refresh_within(judgment_list=judgment_list)


def tell_queries(*, judgment_list: JudgmentList, gained: Mapping[int, int]) -> None:
    """What follows from changed grades: scores that count as stale, and a model that is computed anew."""
    if judgment_list.consensus_rule.has_model:
        ask_for_fit(judgment_list=judgment_list, rule=judgment_list.rule)
    sql.tell_queries(list_id=judgment_list.pk, gained=gained)


def refresh_within(
    *,
    judgment_list: JudgmentList,
    pair_ids: Sequence[int] | None = None,
    rater: Rater | None = None,
    gained: dict[int, int] | None = None,
) -> int:
    """Brings the consensus grades of these pairs, of a rater's, or of the whole list, up to date. Returns how many changed in value.

    The action that calls it holds the list or the pairs, and has read the list since. The revision of each query with a
    changed value grows, so that its scores count as stale. With `gained`, what follows from the grades waits until `tell_queries` is given it, when the list is held. Where the
    rule is a model's, its grades are read as they are, and a worker is asked to compute them anew.
    """
    if judgment_list.consensus_rule.has_model and gained is None:
        ask_for_fit(judgment_list=judgment_list, rule=judgment_list.rule)
    return sql.refresh(
        list_id=judgment_list.pk,
        rule=judgment_list.consensus_rule,
        pair_ids=pair_ids,
        rater_id=rater.pk if rater else None,
        gained=gained,
    )
