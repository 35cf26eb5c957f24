"""What an admin should look at in a list, for its overview: queries, raters, and the agreement as it was last computed."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from judgments.agreement.reports.agreement import reading
from judgments.models import AgreementHeadline, JudgmentList
from judgments.overview.reports.outlook import nth_query
from judgments.overview.sql.activity import Daily
from judgments.overview.sql.worth import CANNOT, DIFFER, FEW, WorthALook, worth_a_look
from judgments.raters.reports.accuracy import rater_accuracy
from judgments.raters.reports.raters import ALARMS
from judgments.raters.sql.recent import Recent

EACH = 5
MOST_RATERS = 12


@dataclass(frozen=True, slots=True)
class Known:
    """The agreement as it was last computed. `behind` judgments have come or gone since then."""

    figures: dict[str, Any]
    at: datetime
    behind: int

    @property
    def reading(self) -> str:
        return reading(self.figures["alpha"], self.figures.get("level", "ordinal"))


def known_agreement(judgment_list: JudgmentList, judgments: int) -> Known | None:
    """None where it never was computed. Costs nothing where the list was read with `select_related("agreement_headline")`.

    `judgments` are those of the list now. A judgment that was changed leaves their number, and the headline, as it was.
    """
    try:
        kept = judgment_list.agreement_headline
    except AgreementHeadline.DoesNotExist:
        return None
    return Known(kept.figures, kept.computed_at, abs(judgments - kept.judgments))


def queries_worth_a_look(judgment_list: JudgmentList, *, pairs: int) -> dict[str, list[WorthALook]]:
    """The worst of each kind, EACH at most. One statement. Of long lists disagreement and “cannot judge” are looked for in every nth query."""
    found: dict[str, list[WorthALook]] = {kind: [] for kind in (FEW, DIFFER, CANNOT)}
    for one in worth_a_look(judgment_list.pk, every=nth_query(pairs), most=EACH) if pairs else ():
        found[one.kind].append(one)
    return found


@dataclass(frozen=True, slots=True)
class RaterNow:
    """What a rater gave today and in the last days, and why to look at it; nothing follows from that."""

    rater_id: int
    name: str
    today: int
    days: int
    alarms: list[str]


@dataclass(frozen=True, slots=True)
class RatersNow:
    """`rows` are the first few: those worth a look, then by what they gave. `today` counts all who judged today."""

    rows: list[RaterNow]
    more: int
    today: int
    worth: int


def raters_now(
    judgment_list: JudgmentList, given: Sequence[Daily], recent: Iterable[Recent], *, today: date
) -> RatersNow:
    """Whoever judged in the last days or has an alarm. Two statements."""
    days: dict[int, int] = defaultdict(int)
    now: dict[int, int] = {}
    for one in given:
        days[one.rater_id] += one.judgments
        if one.day == today:
            now[one.rater_id] = one.judgments
    rows = []
    for found in rater_accuracy(judgment_list, recent):
        own, rater = found.rater.pk, found.rater
        if own in days or found.alarms:
            name = rater.user.display_name if rater.user else rater.name
            alarms = [ALARMS[alarm] for alarm in found.alarms]
            rows.append(RaterNow(own, name, now.get(own, 0), days.get(own, 0), alarms))
    rows.sort(key=lambda row: (not row.alarms, -row.today, -row.days, row.name))
    worth = sum(bool(row.alarms) for row in rows)
    return RatersNow(rows[:MOST_RATERS], max(0, len(rows) - MOST_RATERS), len(now), worth)
