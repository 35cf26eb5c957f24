"""A rater's own share of a list, as the rating screen shows it: judgments so far, pairs left, and the time left."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean
from typing import NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce

from judgments.base.moments import range_of_time
from judgments.judging.reports.own_judgments import midnight
from judgments.lists.reports import able_accounts
from judgments.models import Assignment, AssignmentMode, Judgment, JudgmentList, RaterQueue, Skip, User

ACTIVE = timedelta(days=7)
LATEST = 100
ENOUGH_TIMES = 20


@dataclass(frozen=True, slots=True)
class Share:
    """How many `judgments` a rater gave in a list, without practice, and how many are `remaining` for this rater.

    `estimated`: others judge the same pairs, so `remaining` is an estimate. `seconds` is the mean active time of the
    rater's latest 100 judgments here, None before 20 of them were timed. `today` counts all lists. `can_undo`: there is an
    act in this list that the rater can take back.
    """

    judgments: int
    remaining: int
    estimated: bool
    seconds: float | None
    today: int
    can_undo: bool

    @property
    def total(self) -> int:
        return self.judgments + self.remaining

    @property
    def time_left(self) -> str:
        """“25 min”, “1.5 h”; empty if it is unknown or nothing is left."""
        if self.seconds is None or not self.remaining:
            return ""
        hours = self.remaining * self.seconds / 3600
        return range_of_time(hours, hours)


class _Rater(NamedTuple):
    judgments: int = 0
    is_at_work: bool = False


def own_share(*, judgment_list: JudgmentList, user: User, at: datetime) -> Share:
    """At most three statements; their cost depends on the queries and raters of the list, and on the judgments of today.

    The judgments still required are divided among the raters who can give them, in proportion to how many each may
    still give: the pairs that the rater hasn't judged, or the rest of the quota if that is less. If raters are named,
    only they count, otherwise those who judged here in the last seven days. Raters who can't judge any more don't count.
    """
    pairs, required, today, times, can_undo = _facts(judgment_list, user, at)
    raters = _raters(judgment_list, at)
    capacities = _capacities(judgment_list, user, pairs, raters)
    mine = capacities.pop(user.pk, 0)
    others, remaining = sum(capacities.values()), min(mine, required)
    if remaining and others:
        remaining = min(remaining, max(1, round(required * mine / (mine + others))))
    return Share(
        judgments=raters.get(user.pk, _Rater()).judgments,
        remaining=remaining,
        estimated=bool(remaining and others),
        seconds=fmean(times) / 1000 if len(times) >= ENOUGH_TIMES else None,
        today=today,
        can_undo=can_undo,
    )


def _raters(judgment_list: JudgmentList, at: datetime) -> dict[int, _Rater]:
    """By account, the raters who have opened the list."""
    own = Judgment.objects.filter(judgment_list=judgment_list, rater=OuterRef("rater"))
    able = able_accounts(judgment_list).filter(pk=OuterRef("rater__user"))
    queues = (
        RaterQueue.objects.filter(judgment_list=judgment_list, rater__user__isnull=False)
        .annotate(last=Subquery(own.order_by("-pk").values("created_at")[:1]), is_able=Exists(able))
        .values_list("rater__user", "judgment_count", "last", "is_able")
    )
    return {
        user: _Rater(count, is_able and last is not None and last >= at - ACTIVE)
        for user, count, last, is_able in queues
    }


def _capacities(
    judgment_list: JudgmentList, user: User, pairs: int, raters: Mapping[int, _Rater]
) -> dict[int, int]:
    """By account: how many judgments this rater and the others may still give, each as if alone."""
    quotas: dict[int, int | None]
    if judgment_list.assignment == AssignmentMode.OPEN:
        quotas = dict.fromkeys({account for account, rater in raters.items() if rater.is_at_work} | {user.pk})
    else:
        assignments = Assignment.objects.filter(judgment_list=judgment_list)
        able = assignments.filter(Q(user=user) | Q(user__in=able_accounts(judgment_list)))
        quotas = dict(able.values_list("user", "quota"))
    return {
        account: max(
            0, (pairs if quota is None else min(pairs, quota)) - raters.get(account, _Rater()).judgments
        )
        for account, quota in quotas.items()
    }


def _facts(judgment_list: JudgmentList, user: User, at: datetime) -> tuple[int, int, int, list[int], bool]:
    """Pairs and required judgments of the list, judgments of today, the rater's latest active times here (ms), and whether
    the rater put off a document here or has judgments, also from a file.
    """
    own = Judgment.objects.real().filter(judgment_list=judgment_list, rater__user=user)
    latest = own.filter(active_ms__gt=0).order_by("-pk").values("active_ms")[:LATEST]
    since_midnight = Judgment.objects.real().filter(rater__user=user, created_at__gte=midnight(at))
    today = since_midnight.order_by().values("rater__user").annotate(count=Count("pk")).values("count")
    rows = JudgmentList.objects.filter(pk=judgment_list.pk).values_list(
        Coalesce(Sum("list_queries__pair_count"), 0),
        Coalesce(Sum("list_queries__open_count"), 0),
        Coalesce(Subquery(today), 0),
        ArraySubquery(latest),
        Exists(own),
        Exists(Skip.objects.filter(judgment_list=OuterRef("pk"), rater__user=user)),
    )
    pairs, required, done_today, times, has_judged, has_put_off = rows.get()
    return pairs, required, done_today, times, has_judged or has_put_off
