"""What other grades would do to runs: worked out in memory, nothing is stored."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter

import numpy as np

from evaluation.ingest.hits import Key
from evaluation.ingest.judged_runs import GradeIndex
from evaluation.ingest.scores import QueryGrades, QueryHits, read_grades, read_hits
from evaluation.metrics.formula import IDEALS, Formula
from evaluation.metrics.ladder import ladder
from evaluation.metrics.types import Floats
from evaluation.models import Run
from evaluation.reports.effect import Effect, Means, effect
from evaluation.reports.scales import scale_info
from judgments.models import JudgmentList
from judgments.reports.rules import Changes


def effect_on_runs(
    judgment_list: JudgmentList, runs: Sequence[Run], formula: Formula, changes: Changes
) -> Effect:
    """The means of runs, whose hits are up to date, under the live grades and with these changes.

    Raises MetricsError for a formula that the list's scale does not allow.
    """
    was, now = means_with(judgment_list, runs, formula, [{}, changes])
    return effect(runs, was, now)


def means_with(
    judgment_list: JudgmentList, runs: Sequence[Run], formula: Formula, variants: Sequence[Changes]
) -> list[dict[int, Means]]:
    """For each of the `variants` of the live grades the means by run. Grades and hits are read once for all of them."""
    queries = list(judgment_list.list_queries.values_list("query_id", flat=True))
    grades = read_grades(judgment_list.pk, queries)
    scale = scale_info(judgment_list.scale)
    indexes = [GradeIndex(changed(grades, changes).values(), scale) for changes in variants]
    keys = [Key(query, run.pk) for run in runs for query in queries]
    by_run = groupby(read_hits(judgment_list.query_set_id, keys), attrgetter("run_id"))
    means: list[dict[int, Means]] = [{} for _ in variants]
    without = {run.pk for run in runs}
    for run_id, found in by_run:
        hits = list(found)
        without.remove(run_id)
        for index, own in zip(indexes, means, strict=True):
            own[run_id] = _means(index, hits, formula)
    for run_id in without:  # these have no ranking for any of the queries
        for index, own in zip(indexes, means, strict=True):
            own[run_id] = _means(index, [], formula)
    return means


def changed(grades: Mapping[int, QueryGrades], changes: Changes) -> dict[int, QueryGrades]:
    """The grades with these changes, in the order of the documents' ids; queries without a grade left are gone."""
    found = dict(grades)
    for query, own in changes.items():
        known = grades.get(query, QueryGrades(query, [], []))
        merged = dict(zip(known.documents, known.values, strict=True)) | dict(own)
        kept = sorted((document, value) for document, value in merged.items() if value is not None)
        found.pop(query, None)
        if kept:
            found[query] = QueryGrades(
                query, [document for document, _ in kept], [value for _, value in kept]
            )
    return found


def _means(index: GradeIndex, hits: Sequence[QueryHits], formula: Formula) -> Means:
    scored = ladder(index.join(hits), formula)
    return {ideal: _mean(scored.ndcg(ideal)) for ideal in IDEALS}


def _mean(values: Floats) -> float | None:
    kept = values[~np.isnan(values)]
    return float(kept.mean()) if kept.size else None
