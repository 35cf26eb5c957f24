"""How judging between two runs that goes on by itself stands."""

from dataclasses import dataclass

from evaluation.models import Contest
from evaluation.pools.reports.deciding import Standing
from judgments.models import JudgmentList
from touchstone_core.deciding.outlook import Outlook
from touchstone_core.metrics.formula import Formula


@dataclass(frozen=True, slots=True)
class ContestStanding(Standing):
    """What the worker knew at its last look."""

    contest: Contest

    @classmethod
    def of(cls, contest: Contest) -> "ContestStanding":
        known = dict(contest.outlook)
        waiting, unknown = known.pop("waiting"), known.pop("unknown")
        return cls(
            runs=(contest.baseline, contest.run),
            formula=Formula.from_key(contest.formula),
            outlook=Outlook(**known),
            decided=contest.outcome == Contest.Outcome.DECIDED,
            waiting=waiting,
            unknown=unknown,
            contest=contest,
        )

    @property
    def judgments_left(self) -> int:
        return self.outlook.about_left(self.contest.judgment_list.overlap)


def latest_contest(judgment_list: JudgmentList) -> ContestStanding | None:
    """The one that goes on, or else the last one that ended. One statement."""
    contests = Contest.objects.filter(judgment_list=judgment_list)
    found = contests.select_related("judgment_list", "baseline", "run", "started_by").order_by("-pk").first()
    return ContestStanding.of(found) if found else None
