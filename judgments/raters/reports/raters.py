"""The raters of a list, for its admins: their work, the pairs they hold, assignments, and accuracy on gold pairs."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from judgments.models import (
    Assignment,
    Exclusion,
    Gold,
    GoldDraw,
    Judgment,
    JudgmentList,
    Membership,
    Rater,
    RaterKind,
    RaterQueue,
    Skip,
    Slot,
    SlotState,
    User,
)
from judgments.raters.reports.accuracy import RaterAccuracy, rater_accuracy
from judgments.raters.reports.exclusions import standing_exclusions
from judgments.raters.reports.self_agreement import SelfAgreement, self_agreement
from touchstone_core.grades.accuracy import ENOUGH, Interval

VERDICTS = {"good": "ready", "bad": "needs more practice", "open": "too few to say"}
MOST_DISTANCES = 6
NONE_YET = "none yet"


@dataclass(frozen=True, slots=True)
class Totals:
    """All judgments of a rater in the list, including gold pairs."""

    judgments: int = 0
    extra: int = 0
    cannot_judge: int = 0
    practice: int = 0
    last_at: datetime | None = None

    @property
    def cannot_percent(self) -> str:
        """Of all answers. A few among many aren’t said to be none."""
        percent = 100 * self.cannot_judge / max(1, self.judgments + self.practice)
        return "< 1" if 0 < percent < 1 else f"{percent:.0f}"


@dataclass(slots=True)
class RaterRow:
    """`leases` are the slots that the rater holds; `gold_leases` counts gold pairs not answered yet, which look the same."""

    rater: Rater
    totals: Totals = field(default_factory=Totals)
    skips: int = 0
    leases: list[Slot] = field(default_factory=list)
    gold_leases: int = 0
    accuracy: RaterAccuracy | None = None
    assignment: Assignment | None = None
    exclusion: Exclusion | None = None
    repeats: SelfAgreement | None = None
    has_order: bool = True
    is_member: bool = True

    @property
    def has_left(self) -> bool:
        """Whether the rater has an account that can't judge here any more, because it was removed from the members."""
        user = self.rater.user
        return user is not None and not user.is_superuser and not self.is_member

    @property
    def is_machine(self) -> bool:
        return self.rater.kind == RaterKind.MACHINE

    @property
    def counting_machine(self) -> bool:
        """Whether it's a machine whose grades are in the list's, so that they can't be compared with people's."""
        return self.is_machine and self.exclusion is None

    @property
    def name(self) -> str:
        return self.rater.display_name

    @property
    def until(self) -> datetime | None:
        return max((slot.lease_until for slot in self.leases), default=None)

    @property
    def median_seconds(self) -> float | None:
        median = self.accuracy.median_ms if self.accuracy else None
        return None if median is None else median / 1000

    @property
    def flags(self) -> list[str]:
        return self.accuracy.flag_sentences if self.accuracy else []

    @property
    def lease_count(self) -> int:
        return len(self.leases) + self.gold_leases

    @property
    def gold_in_words(self) -> str:
        """The share of correct answers to gold pairs with its confidence interval; only a count below twenty."""
        gold = self.accuracy
        return _share_in_words(gold.hits, gold.answers, gold.interval) if gold else NONE_YET

    @property
    def repeats_in_words(self) -> str:
        """The share of repeats with the same grade, in the same form."""
        repeats = self.repeats
        return _share_in_words(repeats.same, repeats.grades, repeats.interval) if repeats else NONE_YET

    @property
    def repeat_details_in_words(self) -> str:
        """The mean distance of the two grades, from twenty repeats on, and the number of repeats without a grade."""
        repeats = self.repeats
        if repeats is None:
            return ""
        cannot = f"{repeats.cannot_judge} × cannot judge" if repeats.cannot_judge else ""
        apart = f"{repeats.distance:.2f} apart on average" if self.has_order and repeats.enough else ""
        return ", ".join(filter(None, (apart, cannot)))

    @property
    def practice_in_words(self) -> str:
        gold = self.accuracy
        if gold is None or not gold.practice:
            return ""
        return f"practice: {gold.practice_hits} of {gold.practice}, {VERDICTS[gold.practice_verdict]}"

    @property
    def distances_in_words(self) -> str:
        """How far wrong answers were off: “1 × −2, 3 × +1”, or their mean if there are many different distances."""
        all_distances = self.accuracy.distances if self.accuracy else {}
        distances = {distance: count for distance, count in all_distances.items() if distance}
        if len(distances) > MOST_DISTANCES:
            total = sum(abs(distance) * count for distance, count in distances.items())
            return f"{total / sum(all_distances.values()):.2g} on average"
        return ", ".join(
            f"{count} × {f'{distance:+g}'.replace('-', '−')}" for distance, count in distances.items()
        )


def _share_in_words(hits: int, answers: int, interval: Interval) -> str:
    if not answers:
        return NONE_YET
    counts = f"{hits} of {answers}"
    if answers < ENOUGH:
        return f"{counts}: too few to judge"
    return f"{counts}, {100 * hits / answers:.0f} % ({100 * interval.low:.0f}–{100 * interval.high:.0f} %)"


def raters_of(
    judgment_list: JudgmentList, assignments: Iterable[Assignment], *, at: datetime
) -> list[RaterRow]:
    """Everyone who judged, skipped, holds a pair or is in the queue; the last to judge comes first. Eight statements."""
    totals = _totals(judgment_list)
    accuracy = {one.rater.pk: one for one in rater_accuracy(judgment_list)}
    leases = _leases(judgment_list, at)
    exclusions = standing_exclusions(judgment_list)
    repeats = self_agreement(judgment_list)
    by_user = {one.user_id: one for one in assignments}
    rows = [
        RaterRow(
            rater,
            totals.get(rater.pk, Totals()),
            rater.skip_count,
            leases.get(rater.pk, []),
            rater.gold_leases,
            accuracy.get(rater.pk),
            by_user.get(rater.user_id),
            exclusions.get(rater.pk),
            repeats.get(rater.pk),
            judgment_list.scale.has_order,
            rater.is_member,
        )
        for rater in _raters(judgment_list, {*totals, *accuracy, *leases})
    ]
    oldest = datetime.min.replace(tzinfo=at.tzinfo)
    return sorted(rows, key=lambda row: (row.totals.last_at or oldest, row.name), reverse=True)


def _raters(judgment_list: JudgmentList, rater_ids: Collection[int]) -> Iterable[Any]:
    """These raters and those in the queue, each with `is_member` and the number of `skips` and of `gold_leases`."""
    members = Membership.objects.filter(query_set=judgment_list.query_set_id, user=OuterRef("user"))
    queues = RaterQueue.objects.filter(judgment_list=judgment_list)
    raters = Rater.objects.filter(query_set=judgment_list.query_set_id).select_related("user")
    return raters.filter(Q(pk__in=rater_ids) | Q(pk__in=queues.values("rater"))).annotate(
        skip_count=_count(Skip.objects.filter(judgment_list=judgment_list)),
        is_member=Exists(members),
        gold_leases=_count(GoldDraw.objects.filter(judgment_list=judgment_list, answered=False)),
    )


def _count(rows: QuerySet[Any]) -> Coalesce:
    """The number of the rater's `rows`."""
    own = rows.filter(rater=OuterRef("pk")).order_by().values("rater")
    return Coalesce(Subquery(own.annotate(count=Count("pk")).values("count")), 0)


def _totals(judgment_list: JudgmentList) -> dict[int, Totals]:
    rows = (
        Judgment.objects.filter(judgment_list=judgment_list)
        .order_by()
        .values_list("rater")
        .annotate(
            judgments=Count("pk", filter=~Q(gold=Gold.PRACTICE)),
            extras=Count("pk", filter=Q(extra=True)),
            cannot=Count("pk", filter=~Q(reason="")),
            practice=Count("pk", filter=Q(gold=Gold.PRACTICE)),
            last_at=Max("updated_at"),
        )
    )
    return {rater: Totals(*counts) for rater, *counts in rows}


def leased_slots(judgment_list: JudgmentList, at: datetime) -> QuerySet[Slot]:
    return Slot.objects.filter(
        judgment_list=judgment_list, state=SlotState.OPEN, rater__isnull=False, lease_until__gt=at
    )


def _leases(judgment_list: JudgmentList, at: datetime) -> dict[int, list[Slot]]:
    by_rater: dict[int, list[Slot]] = defaultdict(list)
    slots = leased_slots(judgment_list, at).select_related("pair__query", "pair__document")
    slots = slots.defer("pair__document__body", "pair__document__fields")
    for slot in slots.order_by("lease_until", "pk"):
        by_rater[slot.rater_id or 0].append(slot)
    return by_rater


def assignments_of(judgment_list: JudgmentList) -> list[Assignment]:
    """By username."""
    return list(judgment_list.assignments.select_related("user").order_by("user__username"))


def assignable(judgment_list: JudgmentList, assignments: list[Assignment]) -> list[User]:
    """The members of the query set who aren't assigned yet, raters first."""
    members = Membership.objects.filter(query_set=judgment_list.query_set_id).select_related("user")
    others = members.exclude(user__in=[one.user_id for one in assignments])
    return [one.user for one in sorted(others, key=lambda one: (one.role != "rater", one.user.username))]
