"""What becomes of runs when one rater after the other is left out of their grades. Nothing is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from evaluation.effects.reports.effect import Means, rounded_mean
from evaluation.effects.reports.rule_effect import means_with
from evaluation.models import Run
from judgments.grades.reports.rules import Changes
from judgments.models import JudgmentList
from judgments.raters.reports.leave_one_out import RaterCount, without_each
from touchstone_core.comparison.values import value, words
from touchstone_core.formats.columns import Column
from touchstone_core.metrics.formula import Formula

IDEAL: Final = "global"
MOST_RATERS: Final = 20
MOST_RUNS: Final = 20
AT_ONCE: Final = 1_000_000
"""Hits and grades that are scored for one page: the judgments of the list, times its runs, for each rater."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Two runs whose order turns: `better` was better, with all raters by `was`, without the rater by `now` (below 0)."""

    rater: RaterCount
    better: Run
    worse: Run
    was: float
    now: float


@dataclass(frozen=True, slots=True)
class RaterEffect:
    """`changes` of the mean by run, None where there is no mean before or after; `most` is the largest of them."""

    rater: RaterCount
    grades: Changes
    changes: list[float | None]
    turns: list[Turn]

    @property
    def most(self) -> float:
        return max((abs(change) for change in self.changes if change is not None), default=0.0)


class Change(NamedTuple):
    """The mean of a run with all raters and without one; None where there is no mean."""

    rater: RaterCount
    run: Run
    mean: float | None
    change: float | None

    @property
    def without(self) -> float | None:
        return None if self.change is None or self.mean is None else self.mean + self.change


@dataclass(frozen=True, slots=True)
class RaterEffects:
    """`runs` are the best first, each with its mean under the grades of all raters; `raters` in the order in which they were given, each with a change for each of the runs."""

    runs: list[tuple[Run, float | None]]
    raters: list[RaterEffect]

    @property
    def turns(self) -> list[Turn]:
        return [turn for one in self.raters for turn in one.turns]

    @property
    def changes(self) -> list[Change]:
        return [
            Change(one.rater, run, mean, change)
            for one in self.raters
            for (run, mean), change in zip(self.runs, one.changes, strict=True)
        ]


TURNS: Final[list[Column[Turn]]] = [
    Column("rater", "", "rater__name", words, label="Without", numeric=False),
    Column("better", "", "better__name", words, label="Better with all", numeric=False, term="run"),
    Column("worse", "", "worse__name", words, label="Better without", numeric=False, term="run"),
    Column("difference", "", "was", value, label="Ahead by, with all", term="difference"),
    Column("difference_without", "", "now", value, label="Without", term="difference"),
]
CHANGES: Final[list[Column[Change]]] = [
    Column("rater", "", "rater__name"),
    Column("run", "", "run__name"),
    Column("mean", "", "mean"),
    Column("without", "", "without"),
    Column("change", "", "change"),
]


def raters_at_once(judgments: int, runs: int) -> int:
    """How many raters may be left out for one page, so that it stays quick: MOST_RATERS at most, one at least."""
    return max(1, min(MOST_RATERS, AT_ONCE // max(1, judgments * (1 + runs))))


def effect_of_raters(
    judgment_list: JudgmentList, runs: Sequence[Run], formula: Formula, raters: Sequence[RaterCount]
) -> RaterEffects:
    """Of runs whose hits are up to date. Four statements, whatever the number of raters and runs.

    Raises MetricsError for a formula that the list's scale does not allow.
    """
    grades = without_each(judgment_list, [one.rater_id for one in raters])
    changes_by_rater = [grades[one.rater_id] for one in raters]
    was, *without = means_with(judgment_list, runs, formula, [None, *changes_by_rater])
    best_first = sorted(runs, key=lambda run: (-(rounded_mean(was[run.pk][IDEAL]) or 0), run.name))
    return RaterEffects(
        [(run, was[run.pk][IDEAL]) for run in best_first],
        [
            RaterEffect(rater, changes, _changes(best_first, was, now), _turns(rater, best_first, was, now))
            for rater, changes, now in zip(raters, changes_by_rater, without, strict=True)
        ],
    )


def _changes(runs: Sequence[Run], was: Mapping[int, Means], now: Mapping[int, Means]) -> list[float | None]:
    changes = []
    for run in runs:
        before, after = was[run.pk][IDEAL], now[run.pk][IDEAL]
        changes.append(None if before is None or after is None else after - before)
    return changes


def _turns(
    rater: RaterCount, runs: Sequence[Run], was: Mapping[int, Means], now: Mapping[int, Means]
) -> list[Turn]:
    """Every two runs, of which the first is the better one, that change their order."""
    turns = []
    for better, worse in combinations(runs, 2):
        values = (was[better.pk], was[worse.pk], now[better.pk], now[worse.pk])
        first, second, third, fourth = (rounded_mean(value[IDEAL]) for value in values)
        if None in (first, second, third, fourth):
            continue
        before, after = (first or 0) - (second or 0), (third or 0) - (fourth or 0)
        if before * after < 0:
            turns.append(Turn(rater, better, worse, before, after))
    return turns
