"""What a rule, a rater or a version does to the values of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from evaluation.base.reports import scale_info
from evaluation.models import Evaluation, Run
from evaluation.scores.sql.judged_runs import (
    GradeColumns,
    GradeIndex,
    HitColumns,
    read_grade_columns,
    read_hit_columns,
)
from judgments.grades.reports import Changes
from judgments.models import JudgmentList, Version
from judgments.raters.reports.leave_one_out import RaterCount, without_each
from touchstone_core.comparison.values import DASH, Value, value, words
from touchstone_core.formats.columns import Column
from touchstone_core.metrics.averages import mean
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import ladder

Means: TypeAlias = Mapping[str, float | None]
"""Mean NDCG by ideal."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A value before and after, and how much it rose."""

    was: Value
    now: Value
    change: str


@dataclass(frozen=True, slots=True)
class Effect:
    """By run, the best NDCG-global first; `changed_runs` have another NDCG, `flips` pairs of runs another order by NDCG-global."""

    rows: list[tuple[Run, list[Pair]]]
    changed_runs: int
    flips: int


def stored_means(
    judgment_list: JudgmentList, runs: Sequence[Run], formula: Formula, version: Version | None
) -> dict[int, Means]:
    """By run, of evaluations that are up to date. One query."""
    evaluations = Evaluation.objects.filter(judgment_list=judgment_list, version=version, run__in=runs)
    return {one.run_id: means_of(one) for one in evaluations.filter(formula=formula.key)}


def means_of(evaluation: Evaluation) -> Means:
    return {ideal: getattr(evaluation, f"ndcg_{ideal}") for ideal in IDEALS}


def effect(runs: Sequence[Run], was: Mapping[int, Means], now: Mapping[int, Means]) -> Effect:
    best_first = sorted(runs, key=lambda run: (-(rounded_mean(now[run.pk]["global"]) or 0), run.name))
    rows = [(run, [_pair(was[run.pk][ideal], now[run.pk][ideal]) for ideal in IDEALS]) for run in best_first]
    changed = sum(_shown_means(was[run.pk]) != _shown_means(now[run.pk]) for run in runs)
    flips = _flips(
        [(rounded_mean(was[run.pk]["global"]), rounded_mean(now[run.pk]["global"])) for run in runs]
    )
    return Effect(rows, changed, flips)


def rounded_mean(mean: float | None) -> float | None:
    """The mean as the table shows it: sums of the same values in another order differ in their last digits."""
    return None if mean is None else round(mean, 4)


def _shown_means(means: Means) -> list[float | None]:
    return [rounded_mean(mean) for mean in means.values()]


def _pair(was: float | None, now: float | None) -> Pair:
    change = DASH if was is None or now is None else f"{round(now - was, 4) + 0:+.4f}"
    return Pair(value(was), value(now, share=now), change.replace("-", "−").replace("+0.0000", "0"))


def _flips(values: Sequence[tuple[float | None, float | None]]) -> int:
    complete = [(was, now) for was, now in values if was is not None and now is not None]
    return sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in combinations(complete, 2))


def effect_on_runs(
    judgment_list: JudgmentList, runs: Sequence[Run], formula: Formula, changes: Changes
) -> Effect:
    """The means of runs, whose hits are up to date, under the live grades and with these changes.

    Raises MetricsError for a formula that the list's scale does not allow.
    """
    was, now = means_with(judgment_list, runs, formula, [None, changes])
    return effect(runs, was, now)


def means_with(
    judgment_list: JudgmentList, runs: Sequence[Run], formula: Formula, variants: Sequence[Changes | None]
) -> list[dict[int, Means]]:
    """For each of the `variants` of the live grades the means by run. Grades and hits are read once for all of them."""
    grades = read_grade_columns(judgment_list.pk)
    scale = scale_info(judgment_list.scale)
    indexes = [
        GradeIndex(grades if other is None else with_changes(grades, other), scale) for other in variants
    ]
    means: list[dict[int, Means]] = [{} for _ in variants]
    keys = (judgment_list.query_set_id, judgment_list.pk)
    for run_id, hits in read_hit_columns(*keys, [run.pk for run in runs]):
        for index, own in zip(indexes, means, strict=True):
            own[run_id] = _means(index, hits, formula)
    return means


def with_changes(grades: GradeColumns, changes: Changes) -> GradeColumns:
    """The grades with these changes; queries without a grade left are gone."""
    query = np.concatenate([grades.query, changes.queries])
    document = np.concatenate([grades.document, changes.documents])
    value = np.concatenate([grades.value, changes.values])
    later = np.arange(len(query)) >= len(grades.query)
    order = np.lexsort((later, document, query))
    query, document, value = query[order], document[order], value[order]
    last = np.ones(len(query), dtype=np.bool_)  # of two grades of one pair
    last[:-1] = (query[1:] != query[:-1]) | (document[1:] != document[:-1])
    is_grade = last & ~np.isnan(value)
    return GradeColumns(query[is_grade], document[is_grade], value[is_grade])


def _means(index: GradeIndex, hits: HitColumns, formula: Formula) -> Means:
    values = ladder(index.join(hits), formula)
    return {ideal: mean(values.ndcg(ideal)) for ideal in IDEALS}


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
