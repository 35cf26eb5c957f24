"""A rater's work in a list: the share that is theirs, what may be handed out to them now, and how practice went."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import fmean
from typing import NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce

from judgments.base.moments import range_of_time
from judgments.judging.reports.own_judgments import midnight
from judgments.judging.sql import draws, slots
from judgments.lists.reports.lists import able_accounts
from judgments.models import (
    Assignment,
    AssignmentMode,
    Gold,
    Judgment,
    JudgmentList,
    RaterQueue,
    Scale,
    Skip,
    User,
)

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
    def when_done(self) -> "Share":
        """Where the queue has nothing left for the rater, it knows more than an estimate from the counts of the list."""
        return replace(self, remaining=0, estimated=False)

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


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many judgments a rater may still give in a list, None for any number; `reason` explains why there are none."""

    remaining: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NothingLeft:
    """Why there is no pair to show: `archived`, `paused`, `unassigned`, `quota`, `empty`, `skipped`, `held` or `done`."""

    reason: str
    skip_count: int = 0
    until: datetime | None = None
    paused_by: str = ""
    paused_at: datetime | None = None
    note: str = ""
    quota: int | None = None
    judged: int = 0


def allowance(judgment_list: JudgmentList, user: User, judgment_count: int) -> Allowance:
    """Reads the assignment if raters are named. `judgment_count` is how many judgments the rater has given in the list."""
    if judgment_list.assignment == AssignmentMode.OPEN:
        return Allowance()
    assignment = Assignment.objects.filter(judgment_list=judgment_list, user=user).first()
    if assignment is None:
        return Allowance(0, "unassigned")
    if assignment.quota is None:
        return Allowance()
    remaining = max(0, assignment.quota - judgment_count)
    return Allowance(remaining, "" if remaining else "quota")


def nothing_left(*, judgment_list: JudgmentList, user: User, at: datetime) -> NothingLeft:
    """Why a claim returned no pairs."""
    if judgment_list.query_set.archived_at:
        return NothingLeft("archived")
    if judgment_list.paused:
        return NothingLeft(
            "paused",
            paused_by=judgment_list.paused_by.display_name if judgment_list.paused_by else "",
            paused_at=judgment_list.paused_at,
            note=judgment_list.pause_note,
        )
    queue = RaterQueue.objects.filter(judgment_list=judgment_list, rater__user=user).first()
    judgment_count = queue.judgment_count if queue else 0
    if reason := allowance(judgment_list, user, judgment_count).reason:
        return NothingLeft(reason, quota=judgment_count if reason == "quota" else None)
    if queue is None or not judgment_list.list_queries.filter(pair_count__gt=0).exists():
        return NothingLeft("empty")
    place = slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at)
    if skip_count := slots.count_skipped(place):
        return NothingLeft("skipped", skip_count=skip_count)
    if until := slots.next_lease_end(place):
        return NothingLeft("held", until=until)
    return NothingLeft("done", judged=judgment_count)


MOST_EXAMPLES = 5


def practice_summary(*, judgment_list: JudgmentList, user: User, at: datetime) -> str:
    """How many practice answers were right, and which were wrong; empty while practice goes on."""
    queue = RaterQueue.objects.get(judgment_list=judgment_list, rater__user=user)
    if not _is_over(judgment_list, queue, at):
        return ""
    practice = Judgment.objects.filter(judgment_list=judgment_list, rater=queue.rater_id, gold=Gold.PRACTICE)
    answers = list(practice.select_related("pair__gold", "pair__document").order_by("pk"))
    scale = judgment_list.scale
    wrong = [answer for answer in answers if not scale.is_right(answer.value, answer.pair.gold.right_values)]
    sentences = [f"Practice is over. You got {len(answers) - len(wrong)} of {len(answers)} right."]
    sentences += [_in_words(scale, answer) for answer in wrong[:MOST_EXAMPLES]]
    if (more := len(wrong) - MOST_EXAMPLES) > 0:
        sentences.append(f"You missed {more} more.")
    return " ".join(sentences)


def _is_over(judgment_list: JudgmentList, queue: RaterQueue, at: datetime) -> bool:
    """Whether enough practice pairs were answered, or no gold pair is left to practice on."""
    if queue.practice_count >= judgment_list.onboarding:
        return True
    place = slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at)
    waiting = any(pair.practice for pair in draws.gold_waiting(place))
    return not waiting and not draws.gold_pool(place, position=slots.START, limit=1)


def _in_words(scale: Scale, answer: Judgment) -> str:
    right = scale.name_of(answer.pair.gold.value)
    return f"“{str(answer.pair.document)[:60]}” is {right}, but you chose {scale.in_words(answer)}."
