"""Another rater is asked about a pair that its raters have judged, and whether one can be."""

from datetime import datetime

from django.db import transaction

from judgments.agreement.actions.adjudication import lock_pair
from judgments.agreement.reports.rater_requests import rater_request
from judgments.base.errors import JudgmentsError
from judgments.lists.actions.deciding import record_decision
from judgments.lists.actions.pairs import settle
from judgments.models import JudgmentList, Pair, User, Verb


class RaterRequestError(JudgmentsError):
    """No other rater can be asked about a pair; the text says why."""


@transaction.atomic
def ask_another(*, judgment_list: JudgmentList, pair_id: int, user: User, at: datetime) -> None:
    """Requires a judgment more of a pair than it has, whatever its list requires, and gives it to a rater who hasn't judged it.

    Raises UnknownPairError for a pair of another list, and RaterRequestError if the pair waits for a rater already, is a gold pair or
    decided, if raters haven't judged it yet, or if there is nobody left to ask.
    """
    pair = lock_pair(judgment_list, pair_id)
    now = rater_request(judgment_list, pair_id, user)
    if now.why_not:
        raise RaterRequestError(now.why_not)
    _require(pair, now.judgments + 1, at)
    record_decision(Verb.RATER_ASKED, pair, before={}, after={"judgments": now.judgments + 1})


@transaction.atomic
def stop_asking(*, judgment_list: JudgmentList, pair_id: int, at: datetime) -> bool:
    """Requires no more judgments of the pair than its list does. A rater who has it on the screen may still judge it.

    False if nobody was asked, or has judged it since. Raises UnknownPairError for a pair of another list.
    """
    pair = lock_pair(judgment_list, pair_id)
    if not rater_request(judgment_list, pair_id, None).is_asked:
        return False
    before: dict[str, object] = {"judgments": pair.least_judgments}
    _require(pair, 0, at)
    record_decision(Verb.RATER_NOT_ASKED, pair, before=before)
    return True


def _require(pair: Pair, judgments: int, at: datetime) -> None:
    pair.least_judgments = judgments
    pair.save(update_fields=["least_judgments"])
    settle(pair.judgment_list, at=at, pair_ids=[pair.pk])
