"""What another state of the grades does to the values of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from evaluation.models import Evaluation, Run
from judgments.models import JudgmentList, Version
from touchstone_core.comparison.values import DASH, Value, value
from touchstone_core.metrics.formula import IDEALS, Formula

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
