"""Random scenes as rows of the database, and averages in plain Python."""

import statistics
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import strategies as st

from evaluation.models import Run
from judgments.models import JudgmentList, Query, Scale
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking
from tests.touchstone_core.metrics.scenes import Scene

WEIGHT = st.sampled_from([0.0, 1.0, 2.5, 1000.0])


def store(scene: Scene, weights: Sequence[float]) -> tuple[JudgmentList, Run, dict[str, Query]]:
    """The scene as a judgment list and a run; the queries have these weights in turn."""
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=_scale(scene))
    run = make.make_run(query_set)
    names = dict.fromkeys([*scene.judgments, *scene.rankings])
    queries = {
        name: make.make_query(query_set, name, weight=weights[place % len(weights)])
        for place, name in enumerate(names)
    }
    for name, grades in scene.judgments.items():
        make_grades(judgment_list, queries[name], grades)
    for name, ranking in scene.rankings.items():
        make_ranking(run, queries[name], ranking)
    return judgment_list, run, queries


def _scale(scene: Scene) -> Scale:
    scale = Scale.objects.create(name=f"Scale {Scale.objects.count()}")
    for place, (value, gain) in enumerate((scene.scale.gains or {}).items()):
        scale.grades.create(value=value, label=f"level {value:g}", gain=gain, key=str(place))
    return scale


def three_averages(values: Sequence[float], weights: Sequence[float]) -> list[Any]:
    """Mean, median and weighted mean, nearly, of values of which those that are NaN are left out."""
    kept = [(value, weight) for value, weight in zip(values, weights, strict=True) if value == value]
    if not kept:
        return [None] * 3
    total = sum(weight for _, weight in kept)
    weighted = sum(value * weight for value, weight in kept) / total if total else None
    plain = [value for value, _ in kept]
    return [near(sum(plain) / len(plain)), near(statistics.median(plain)), near(weighted)]


def near(value: float | None) -> Any:
    """Equal to what differs from it by rounding alone."""
    return None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)
