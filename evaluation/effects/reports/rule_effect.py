"""What other grades would do to runs: worked out in memory, nothing is stored."""

from collections.abc import Sequence

import numpy as np

from evaluation.base.reports.scales import scale_info
from evaluation.effects.reports.effect import Effect, Means, effect
from evaluation.models import Run
from evaluation.scores.sql.judged_runs import GradeColumns, GradeIndex, HitColumns
from evaluation.scores.sql.whole_lists import read_grade_columns, read_hit_columns
from judgments.grades.reports.rules import Changes
from judgments.models import JudgmentList
from touchstone_core.metrics.averages import mean
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import ladder


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
