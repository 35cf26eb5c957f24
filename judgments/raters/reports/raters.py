"""The raters of a list, for its admins: what each has given and holds, who is named, and what gold pairs say."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from judgments.models import (
    Assignment,
    Exclusion,
    Gold,
    GoldDraw,
    Judgment,
    JudgmentList,
    Level,
    Membership,
    Rater,
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

ALARMS = {
    "decline": "Known answers: fewer of the latest 40 are right than of those before.",
    "higher": "Grades higher than before, compared with what others give to the same pairs.",
    "lower": "Grades lower than before, compared with what others give to the same pairs.",
    "hasty": "Faster than nine of ten judgments here, besides.",
}

VERDICTS = {"good": "at ease with it", "bad": "not at ease yet", "open": "too few to say"}
MOST_DISTANCES = 6
NONE_YET = "none yet"


@dataclass(frozen=True, slots=True)
class Totals:
    """All judgments of a rater in the list; those of gold pairs are among them."""

    judgments: int = 0
    extra: int = 0
    cannot_judge: int = 0
    practice: int = 0
    seen: datetime | None = None

    @property
    def cannot_percent(self) -> int:
        return round(100 * self.cannot_judge / max(1, self.judgments + self.practice))


@dataclass(slots=True)
class RaterRow:
    """`held` are the slots that are leased now; `gold_held` gold pairs drawn and not answered (they look the same to the rater)."""

    rater: Rater
    totals: Totals = field(default_factory=Totals)
    skips: int = 0
    held: list[Slot] = field(default_factory=list)
    gold_held: int = 0
    accuracy: RaterAccuracy | None = None
    assignment: Assignment | None = None
    exclusion: Exclusion | None = None
    repeats: SelfAgreement | None = None
    ordered: bool = True

    @property
    def name(self) -> str:
        return self.rater.user.display_name if self.rater.user else self.rater.name

    @property
    def until(self) -> datetime | None:
        return max((slot.lease_until for slot in self.held), default=None)

    @property
    def median_seconds(self) -> float | None:
        median = self.accuracy.median_ms if self.accuracy else None
        return None if median is None else median / 1000

    @property
    def alarms(self) -> list[str]:
        return [ALARMS[alarm] for alarm in self.accuracy.alarms] if self.accuracy else []

    @property
    def holds(self) -> int:
        return len(self.held) + self.gold_held

    @property
    def gold_in_words(self) -> str:
        """The share of known answers that were right, with what it may truly be; no share below twenty."""
        found = self.accuracy
        return _share_in_words(found.hits, found.answers, found.interval) if found else NONE_YET

    @property
    def repeats_in_words(self) -> str:
        """The share of repeats that got the same grade again, as with known answers."""
        found = self.repeats
        return _share_in_words(found.same, found.graded, found.interval) if found else NONE_YET

    @property
    def repeat_details_in_words(self) -> str:
        """How far the two grades lie apart, from twenty repeats on, and how many repeats could not be judged."""
        found = self.repeats
        if found is None:
            return ""
        cannot = f"{found.cannot_judge} × cannot judge" if found.cannot_judge else ""
        apart = f"{found.distance:.2f} apart on average" if self.ordered and found.enough else ""
        return ", ".join(filter(None, (apart, cannot)))

    @property
    def practice_in_words(self) -> str:
        found = self.accuracy
        if found is None or not found.practice:
            return ""
        return f"practice: {found.practice_hits} of {found.practice}, {VERDICTS[found.practice_verdict]}"

    @property
    def distances_in_words(self) -> str:
        """Known answers that were off, by how far: “1 × −2, 3 × +1”; their mean where hardly two are alike."""
        found = {distance: count for distance, count in self._distances.items() if distance}
        if len(found) > MOST_DISTANCES:
            total = sum(abs(distance) * count for distance, count in found.items())
            return f"{total / sum(self._distances.values()):.2g} on average"
        return ", ".join(f"{count} × {_off(distance)}" for distance, count in found.items())

    @property
    def _distances(self) -> dict[float, int]:
        return self.accuracy.distances if self.accuracy else {}


def _share_in_words(hits: int, answers: int, interval: Interval) -> str:
    if not answers:
        return NONE_YET
    counts = f"{hits} of {answers}"
    if answers < ENOUGH:
        return f"{counts}: too few to judge"
    return f"{counts}, {100 * hits / answers:.0f} % ({100 * interval.low:.0f}–{100 * interval.high:.0f} %)"


def _off(distance: float) -> str:
    return f"{distance:+g}".replace("-", "−")


def raters_of(judgment_list: JudgmentList, named: Iterable[Assignment], *, at: datetime) -> list[RaterRow]:
    """Everyone who has judged, skipped, holds something or is in the queue, the last seen first. Eight statements."""
    totals = _totals(judgment_list)
    accuracy = {one.rater.pk: one for one in rater_accuracy(judgment_list)}
    held = _held(judgment_list, at)
    excluded = standing_exclusions(judgment_list)
    repeats = self_agreement(judgment_list)
    assignments = {one.user_id: one for one in named}
    rows = [
        RaterRow(
            rater,
            totals.get(rater.pk, Totals()),
            rater.put_off,
            held.get(rater.pk, []),
            rater.drawn,
            accuracy.get(rater.pk),
            assignments.get(rater.user_id),
            excluded.get(rater.pk),
            repeats.get(rater.pk),
            is_ordered(judgment_list),
        )
        for rater in _raters(judgment_list, {*totals, *accuracy, *held})
    ]
    oldest = datetime.min.replace(tzinfo=at.tzinfo)
    return sorted(rows, key=lambda row: (row.totals.seen or oldest, row.name), reverse=True)


def _raters(judgment_list: JudgmentList, known: Collection[int]) -> Iterable[Any]:
    """These raters and those in the queue, with `put_off` and `drawn`: how much each has put off, and holds as gold."""
    entered = RaterQueue.objects.filter(judgment_list=judgment_list)
    raters = Rater.objects.filter(query_set=judgment_list.query_set_id).select_related("user")
    return raters.filter(Q(pk__in=known) | Q(pk__in=entered.values("rater"))).annotate(
        put_off=_count(Skip.objects.filter(judgment_list=judgment_list)),
        drawn=_count(GoldDraw.objects.filter(judgment_list=judgment_list, answered=False)),
    )


def _count(rows: QuerySet[Any]) -> Coalesce:
    """How many of `rows` are the rater's."""
    own = rows.filter(rater=OuterRef("pk")).order_by().values("rater")
    return Coalesce(Subquery(own.annotate(count=Count("pk")).values("count")), 0)


def _totals(judgment_list: JudgmentList) -> dict[int, Totals]:
    rows = (
        Judgment.objects.filter(judgment_list=judgment_list)
        .order_by()
        .values_list("rater")
        .annotate(
            given=Count("pk", filter=~Q(gold=Gold.PRACTICE)),
            beyond=Count("pk", filter=Q(extra=True)),
            cannot=Count("pk", filter=~Q(reason="")),
            practice=Count("pk", filter=Q(gold=Gold.PRACTICE)),
            seen=Max("updated_at"),
        )
    )
    return {rater: Totals(*counts) for rater, *counts in rows}


def _held(judgment_list: JudgmentList, at: datetime) -> dict[int, list[Slot]]:
    found: dict[int, list[Slot]] = defaultdict(list)
    slots = Slot.objects.filter(
        judgment_list=judgment_list, state=SlotState.OPEN, rater__isnull=False, lease_until__gt=at
    )
    shown = slots.select_related("pair__query", "pair__document").defer(
        "pair__document__body", "pair__document__fields"
    )
    for slot in shown.order_by("lease_until", "pk"):
        found[slot.rater_id or 0].append(slot)
    return found


def assignments_of(judgment_list: JudgmentList) -> list[Assignment]:
    """Who is named, by user name."""
    return list(judgment_list.assignments.select_related("user").order_by("user__username"))


def assignable(judgment_list: JudgmentList, named: list[Assignment]) -> list[User]:
    """The members of the query set who are not named yet, raters first."""
    members = Membership.objects.filter(query_set=judgment_list.query_set_id)
    others = members.exclude(user__in=[one.user_id for one in named]).select_related("user")
    found = sorted(others, key=lambda one: (one.role != "rater", one.user.username))
    return [one.user for one in found]


def is_ordered(judgment_list: JudgmentList) -> bool:
    """Whether it makes sense to say how far off an answer is."""
    return judgment_list.scale.level != Level.NOMINAL
