"""Brings the stored values of further measures up to date, as `scores` does for the four NDCGs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from django.db import transaction
from django.db.models import Q

from evaluation.models import MeasureEvaluation, Run
from evaluation.models.measure import MeasureEvaluationQuerySet
from evaluation.scores.actions.pruning import forget_measures
from evaluation.scores.actions.rescoring import Batch, MakeRows, Row, rescore
from evaluation.scores.sql.measure_scores import NOT_ROUNDED, store_measure_summaries, stored_digits
from evaluation.scores.sql.scores import MEASURE_SCORES, read_fingerprint
from judgments.models import JudgmentList, Version
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.averages import round_half_up
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.measure import Measure

Wanted: TypeAlias = Mapping[tuple[str, int], Measure]


def bring_measures_up_to_date(
    *,
    judgment_list: JudgmentList,
    runs: Iterable[Run],
    measures: Iterable[tuple[Measure, int | None]],
    version: Version | None = None,
) -> None:
    """Makes the values of these measures right for the grades as they are now; what holds of `bring_up_to_date` holds.

    Beside each measure stand the decimals that every query's value is rounded to before any average, or None.
    The number of statements grows neither with the measures nor with the runs or queries. Without measures, none.

    Raises MetricsError for a measure that the list's scale or grades do not allow.
    """
    wanted = _wanted(measures)
    run_ids = sorted({run.pk for run in runs})
    if not wanted or not _outdated(judgment_list, version, run_ids, wanted):
        return
    with transaction.atomic():
        new = _insert_missing(judgment_list, version, run_ids, wanted)
        found = _evaluations(judgment_list, version, run_ids, wanted)
        evaluations = list(found.select_for_update(no_key=True).order_by("pk"))
        rescored = rescore(judgment_list, evaluations, MEASURE_SCORES, _maker(wanted), version)
        store_measure_summaries(judgment_list.query_set_id, *rescored, version)
    if new:
        forget_measures(judgment_list=judgment_list)


def measures_are_up_to_date(
    *,
    judgment_list: JudgmentList,
    runs: Iterable[Run],
    measures: Iterable[tuple[Measure, int | None]],
    version: Version | None = None,
) -> bool:
    """Whether `bring_measures_up_to_date` would find nothing to do. Two statements; without measures, none."""
    wanted = _wanted(measures)
    return not wanted or not _outdated(judgment_list, version, sorted({run.pk for run in runs}), wanted)


def measures_are_scored(
    *,
    judgment_list: JudgmentList,
    runs: Iterable[Run],
    measures: Iterable[tuple[Measure, int | None]],
    version: Version | None = None,
) -> bool:
    """Whether each run has values of each measure, at whatever state of the grades. One statement; without measures, none."""
    wanted, run_ids = _wanted(measures), sorted({run.pk for run in runs})
    if not wanted:
        return True
    return _evaluations(judgment_list, version, run_ids, wanted).count() == len(run_ids) * len(wanted)


def _wanted(measures: Iterable[tuple[Measure, int | None]]) -> Wanted:
    return {(str(measure), stored_digits(digits)): measure for measure, digits in measures}


def _evaluations(
    judgment_list: JudgmentList, version: Version | None, run_ids: Sequence[int], wanted: Wanted
) -> MeasureEvaluationQuerySet:
    chosen = Q()
    for text, digits in wanted:
        chosen |= Q(measure=text, digits=digits)
    found = MeasureEvaluation.objects.filter(chosen, judgment_list=judgment_list, version=version)
    return found.filter(run__in=run_ids)


def _outdated(
    judgment_list: JudgmentList, version: Version | None, run_ids: Sequence[int], wanted: Wanted
) -> bool:
    value = read_fingerprint(judgment_list.pk, version)
    right = _evaluations(judgment_list, version, run_ids, wanted).filter(revision=value).count()
    return bool(right < len(run_ids) * len(wanted))


def _insert_missing(
    judgment_list: JudgmentList, version: Version | None, run_ids: Sequence[int], wanted: Wanted
) -> bool:
    """Whether there were some. In one order, so that two views that insert the same rows cannot wait for each other in a circle."""
    found = _evaluations(judgment_list, version, run_ids, wanted)
    there = set(found.values_list("run_id", "measure", "digits"))
    missing = [
        MeasureEvaluation(
            query_set_id=judgment_list.query_set_id,
            run_id=run_id,
            judgment_list=judgment_list,
            version=version,
            measure=text,
            digits=digits,
        )
        for run_id in run_ids
        for text, digits in sorted(wanted)
        if (run_id, text, digits) not in there
    ]
    MeasureEvaluation.objects.bulk_create(missing, ignore_conflicts=True)
    return bool(missing)


def _maker(wanted: Wanted) -> MakeRows[MeasureEvaluation]:
    def make_rows(evaluations: Sequence[MeasureEvaluation], batch: Batch, run: JudgedRun) -> Iterator[Row]:
        for one in evaluations:
            values = _values(wanted[one.measure, one.digits], one.digits, run)
            for query, value in zip(batch.index.queries, values, strict=True):
                yield one.query_set_id, one.pk, query, batch.changed[query], value

    return make_rows


def _values(measure: Measure, digits: int, run: JudgedRun) -> list[float | None]:
    try:
        values = measure.values(run)
    except MetricsError as error:
        raise MetricsError(f"{measure} has no value here. {error}") from error
    values = values if digits == NOT_ROUNDED else round_half_up(values, digits)
    return [None if np.isnan(value) else value for value in values.tolist()]
