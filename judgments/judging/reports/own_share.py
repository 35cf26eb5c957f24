"""A rater's own share of a list, as the rating screen shows it: what was judged, what is left, how long that takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean
from typing import NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from judgments.base.moments import range_of_time
from judgments.judging.reports.own_judgments import midnight
from judgments.models import (
    Assignment,
    AssignmentMode,
    Exclusion,
    Judgment,
    JudgmentList,
    RaterQueue,
    User,
)

ACTIVE = timedelta(days=7)
LATEST = 100
ENOUGH_TIMES = 20


@dataclass(frozen=True, slots=True)
class Share:
    """What a rater `judged` in a list, practice not counted, and how many pairs are `left` for this rater.

    `shared`: others take from the same pairs, so `left` is an estimate. `seconds` is the mean active time of the
    rater's latest 100 judgments here, None before 20 of them have been timed. `today` counts all lists.
    """

    judged: int
    left: int
    shared: bool
    seconds: float | None
    today: int

    @property
    def total(self) -> int:
        return self.judged + self.left

    @property
    def time_left(self) -> str:
        """“25 min”, “1.5 h”; empty where it is not known, or nothing is left."""
        if self.seconds is None or not self.left:
            return ""
        hours = self.left * self.seconds / 3600
        return range_of_time(hours, hours)


class _Rater(NamedTuple):
    judged: int = 0
    active: bool = False
    excluded: bool = False


def own_share(*, judgment_list: JudgmentList, user: User, at: datetime) -> Share:
    """At most three statements; their cost follows the queries and raters of the list, and what the rater judged today.

    The judgments still required are divided among the raters who can give them, in proportion to how many each may
    still give: the pairs that the rater hasn't judged, or what is left of the quota if that is less. Where raters are
    named these are the named ones, else those who judged here in the last seven days. Excluded raters give none.
    """
    pairs, required, today, times = _facts(judgment_list, user, at)
    raters = _at_work(judgment_list, at)
    capacities = _capacities(judgment_list, user, pairs, raters)
    mine = capacities.pop(user.pk, 0)
    others, left = sum(capacities.values()), min(mine, required)
    if left and others:
        left = min(left, max(1, round(required * mine / (mine + others))))
    return Share(
        judged=raters.get(user.pk, _Rater()).judged,
        left=left,
        shared=bool(left and others),
        seconds=fmean(times) / 1000 if len(times) >= ENOUGH_TIMES else None,
        today=today,
    )


def _at_work(judgment_list: JudgmentList, at: datetime) -> dict[int, _Rater]:
    """By account, the raters who have opened the list."""
    own = Judgment.objects.filter(judgment_list=judgment_list, rater=OuterRef("rater"))
    excluded = Exclusion.objects.standing().filter(judgment_list=judgment_list, rater=OuterRef("rater"))
    queues = (
        RaterQueue.objects.filter(judgment_list=judgment_list, rater__user__isnull=False)
        .annotate(last=Subquery(own.order_by("-pk").values("created_at")[:1]), excluded=Exists(excluded))
        .values_list("rater__user", "judgment_count", "last", "excluded")
    )
    return {
        user: _Rater(judged, last is not None and last >= at - ACTIVE, excluded)
        for user, judged, last, excluded in queues
    }


def _capacities(
    judgment_list: JudgmentList, user: User, pairs: int, raters: Mapping[int, _Rater]
) -> dict[int, int]:
    """By account: how many judgments this rater and the others may still give, if the list were theirs alone."""
    quotas: dict[int, int | None]
    if judgment_list.assignment == AssignmentMode.OPEN:
        quotas = dict.fromkeys({one for one, rater in raters.items() if rater.active} | {user.pk})
    else:
        named = Assignment.objects.filter(judgment_list=judgment_list)
        quotas = dict(named.values_list("user", "quota"))
    capacities = {}
    for one, quota in quotas.items():
        rater = raters.get(one, _Rater())
        if one == user.pk or not rater.excluded:
            capacities[one] = max(0, (pairs if quota is None else min(pairs, quota)) - rater.judged)
    return capacities


def _today(user: User, at: datetime) -> QuerySet[Judgment]:
    return Judgment.objects.real().filter(rater__user=user, created_at__gte=midnight(at))


def _facts(judgment_list: JudgmentList, user: User, at: datetime) -> tuple[int, int, int, list[int]]:
    """Pairs and required judgments of the list, judgments of today, and the rater's latest active times here (ms)."""
    own = Judgment.objects.real().filter(judgment_list=judgment_list, rater__user=user, active_ms__gt=0)
    latest = own.order_by("-pk").values("active_ms")[:LATEST]
    today = _today(user, at).order_by().values("rater__user").annotate(count=Count("pk")).values("count")
    found = JudgmentList.objects.filter(pk=judgment_list.pk).values_list(
        Coalesce(Sum("list_queries__pair_count"), 0),
        Coalesce(Sum("list_queries__open_count"), 0),
        Coalesce(Subquery(today), 0),
        ArraySubquery(latest),
    )
    facts: tuple[int, int, int, list[int]] = found.get()
    return facts
