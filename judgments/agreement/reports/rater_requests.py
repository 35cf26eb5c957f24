"""Whether another rater is asked about a pair, or can be."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from judgments.lists.reports.lists import able_accounts
from judgments.models import (
    MAX_OVERLAP,
    Adjudication,
    CountingJudgment,
    GoldPair,
    Judgment,
    JudgmentList,
    Pair,
    Slot,
    User,
)
from judgments.models.access import MemberQuerySet
from touchstone_core.words import counted


@dataclass(frozen=True, slots=True)
class RaterRequest:
    """A pair waits for `waiting` raters; with `is_asked`, for one of them because an admin asked. `judgments` count by now.

    `why_not` says why another one can't be asked; empty if one can be.
    """

    judgments: int
    waiting: int
    is_asked: bool
    why_not: str


def rater_request(judgment_list: JudgmentList, pair_id: int, user: User | None) -> RaterRequest:
    """Of a pair of the list. The `user` asks, and so isn't another rater. One statement."""
    pairs = Pair.objects.filter(pk=pair_id, judgment_list=judgment_list)
    return request_of(with_facts(pairs, judgment_list, user).get())


def with_facts(
    pairs: MemberQuerySet[Pair], judgment_list: JudgmentList, user: User | None
) -> MemberQuerySet[Pair]:
    """Annotates what `request_of` reads."""
    own = Q(pair=OuterRef("pk"))
    judgments = CountingJudgment.objects.filter(own, gold="").order_by().values("pair")
    has_judged = Judgment.objects.filter(pair=OuterRef(OuterRef("pk")), rater__user=OuterRef("pk"))
    others = able_accounts(judgment_list).filter(~Exists(has_judged)).exclude(pk=user.pk if user else 0)
    return pairs.annotate(
        count=Coalesce(Subquery(judgments.annotate(count=Count("pk")).values("count")), 0),
        waiting=waiting_raters(),
        is_gold=Exists(GoldPair.objects.filter(own, retired_at=None)),
        is_decided=Exists(Adjudication.objects.standing().filter(own)),
        has_others=Exists(others),
    )


def request_of(pair: Pair) -> RaterRequest:
    facts = vars(pair)
    is_asked = facts["waiting"] > 0 and pair.least_judgments > facts["count"]
    return RaterRequest(facts["count"], facts["waiting"], is_asked, _why_not(facts))


def waiting_raters() -> Coalesce:
    """For how many raters a pair waits, of rows with the keys of pairs."""
    slots = Slot.objects.required().filter(pair=OuterRef("pk")).order_by()
    return Coalesce(Subquery(slots.values("pair").annotate(count=Count("pk")).values("count")), 0)


def _why_not(facts: Mapping[str, Any]) -> str:
    if facts["is_gold"]:
        return "A gold pair gets no ordinary judgments."
    if facts["is_decided"]:
        return "Its grade is decided. Withdraw the decision first."
    if waiting := facts["waiting"]:
        return f"It waits for {counted(waiting, 'rater')} already."
    if facts["count"] >= MAX_OVERLAP:
        return f"It has {facts['count']} judgments, and {MAX_OVERLAP} are the most."
    if not facts["has_others"]:
        return "Everybody else who can judge this list has judged it or is left out."
    return ""
