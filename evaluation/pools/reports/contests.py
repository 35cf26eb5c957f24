"""How far raters are who decide between two runs, and how that ended."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q
from django.db.models import QuerySet as Rows

from evaluation.models import Contest
from evaluation.pools.reports.deciding import Standing
from judgments.models import JudgmentList
from touchstone_core.deciding.outlook import Outlook
from touchstone_core.metrics.formula import Formula
from touchstone_core.words import counted

MOST_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class ContestStanding(Standing):
    """What the worker knew at its last look."""

    contest: Contest

    @classmethod
    def of(cls, contest: Contest) -> "ContestStanding":
        figures = contest.outlook
        return cls(
            runs=(contest.baseline, contest.run),
            formula=Formula.from_key(contest.formula),
            outlook=Outlook.from_json(figures),
            overlap=contest.judgment_list.overlap,
            decided=contest.outcome == Contest.Outcome.DECIDED,
            waiting=figures["waiting"],
            unknown=figures["unknown"],
            contest=contest,
        )

    @property
    def sentence(self) -> str:
        contest = self.contest
        match contest.outcome:
            case "":
                progress = (
                    f"{contest.judgments_requested:,} of at most {contest.budget:,} judgments requested"
                )
                return f"Adding pairs until it’s decided {contest}: {progress}."
            case Contest.Outcome.FAILED:
                return contest.failure
            case Contest.Outcome.DECIDED:
                better = f"{self.ahead} is better than {self.behind}"
                answer = f"{contest.baseline} and {contest.run} are even" if self.is_even else better
                return f"Decided: {answer} on these queries."
            case _:
                return f"Not decided {contest} after {counted(contest.judgments_requested, 'judgment')}."


def latest_contest(judgment_list: JudgmentList) -> ContestStanding | None:
    """The one that goes on, or else the last one that ended. One statement."""
    contest = _with_all(Contest.objects.filter(judgment_list=judgment_list)).order_by("-pk").first()
    return ContestStanding.of(contest) if contest else None


def latest_contests(lists: Iterable[JudgmentList], *, since: datetime) -> list[ContestStanding]:
    """Those that go on, and those that ended by themselves since then; the newest first. One statement."""
    ended = Q(ended_at__gte=since) & ~Q(outcome=Contest.Outcome.STOPPED)
    of_lists = Contest.objects.filter(Q(outcome="") | ended, judgment_list__in=[one.pk for one in lists])
    return [ContestStanding.of(one) for one in _with_all(of_lists).order_by("-pk")[:MOST_SHOWN]]


def _with_all(contests: Rows[Contest]) -> Rows[Contest]:
    return contests.select_related("judgment_list", "baseline", "run")
