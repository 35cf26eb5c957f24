"""Takes pairs out of a list that nobody has judged (ADR 81)."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from judgments.base.sql import locks
from judgments.lists.reports.removal import removable_pairs
from judgments.lists.sql import pairs, removing
from judgments.log.actions import record_act
from judgments.models import JudgmentList, Verb


@transaction.atomic
def remove_pairs(
    *,
    judgment_list: JudgmentList,
    pair_ids: Sequence[int],
    at: datetime,
) -> int:
    """Removes those of these pairs that are `removable_pairs`, with their slots; how many.

    Queries without a pair leave the list. Other counts and the order of judging follow. Queries and documents stay in the
    query set. A pair that a rater takes at this very moment stays, too.
    """
    locks.wait_briefly()
    locks.lock_list(judgment_list.pk)
    mine = judgment_list.pairs.filter(pk__in=pair_ids).order_by("pk")
    keys = list(removable_pairs(mine, at).values_list("pk", flat=True))
    removing.lock_slots(keys)
    # Once more: somebody may have taken one while we waited for its slot.
    keys = list(removable_pairs(mine.filter(pk__in=keys), at).values_list("pk", flat=True))
    if not keys:
        return 0
    queries, gone = removing.remove(list_id=judgment_list.pk, pair_ids=keys)
    pairs.order_queries(list_id=judgment_list.pk, query_ids=queries)
    facts = {"pairs": len(keys)} | ({"queries": gone} if gone else {})
    record_act(Verb.PAIRS_REMOVED, f"list {judgment_list}", judgment_list=judgment_list, before=facts)
    return len(keys)
