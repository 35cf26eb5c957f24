"""Brings the stored values of further measures up to date, as `scores` does for the four NDCGs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from django.db import transaction

from evaluation.models import MeasureEvaluation, Run
from evaluation.scores.actions.pruning import any_of, forget_measures
from evaluation.scores.actions.rescoring import Batch, MakeRows, Row, insert_missing, rescore, store_by_copy
from evaluation.scores.sql.scores import MEASURE_SCORES, read_fingerprint
from evaluation.scores.sql.summaries import NOT_ROUNDED, store_measure_summaries, stored_digits
from judgments.models import JudgmentList, Version
from judgments.models.access import MemberQuerySet
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.averages import round_half_up
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.measure import Measure

# Measures by their canonical text and the decimals that values are rounded to.
ByText: TypeAlias = Mapping[tuple[str, int], Measure]


def bring_measures_up_to_date(
    *,
    judgment_list: JudgmentList,
    runs: Iterable[Run],
    measures: Iterable[tuple[Measure, int | None]],
    version: Version | None = None,
) -> None:
    """Updates the values of these measures to the current grades, as `bring_up_to_date` does for the NDCGs.

    Each measure comes with the decimals that every query's value is rounded to before averaging, or None.
    The number of statements grows neither with the measures nor with the runs or queries. Without measures, none.

    Raises MetricsError for a measure that the list's scale or grades don't allow.
    """
    asked: dict[str, Any] = {"judgment_list": judgment_list, "version": version}
    asked |= {"runs": list(runs), "measures": list(measures)}
    if not measures_are_up_to_date(**asked):
        score_outdated_measures(**asked)


def score_outdated_measures(
    *,
    judgment_list: JudgmentList,
    runs: Iterable[Run],
    measures: Iterable[tuple[Measure, int | None]],
    version: Version | None = None,
    most: int | None = None,
) -> None:
    """`bring_measures_up_to_date` without its first look. Raises TooManyScoresError where more than `most` values would have to be made."""
    by_text = _by_text(measures)
    run_ids = sorted({run.pk for run in runs})
    with transaction.atomic():
        rows = _evaluations(judgment_list, version, run_ids, by_text)
        keys = [(run_id, *measure) for run_id in run_ids for measure in sorted(by_text)]
        new = insert_missing(rows, judgment_list, version, ("run_id", "measure", "digits"), keys)
        evaluations = list(rows.select_for_update(no_key=True).order_by("pk"))
        found = rescore(judgment_list, evaluations, MEASURE_SCORES, _maker(by_text), version, most)
        if stale := [one.pk for one in found.stale]:
            query_set_id = judgment_list.query_set_id
            store_by_copy(MEASURE_SCORES, query_set_id, found, found.stale, found.rows)
            store_measure_summaries(query_set_id, stale, found.state.fingerprint, version)
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
    by_text = _by_text(measures)
    return not by_text or not _are_outdated(judgment_list, version, sorted({run.pk for run in runs}), by_text)


def measures_are_scored(
    *,
    judgment_list: JudgmentList,
    runs: Iterable[Run],
    measures: Iterable[tuple[Measure, int | None]],
    version: Version | None = None,
) -> bool:
    """Whether each run has values of each measure, current or not. One statement; without measures, none."""
    by_text, run_ids = _by_text(measures), sorted({run.pk for run in runs})
    if not by_text:
        return True
    return _evaluations(judgment_list, version, run_ids, by_text).count() == len(run_ids) * len(by_text)


def _by_text(measures: Iterable[tuple[Measure, int | None]]) -> ByText:
    return {(str(measure), stored_digits(digits)): measure for measure, digits in measures}


def _evaluations(
    judgment_list: JudgmentList, version: Version | None, run_ids: Sequence[int], by_text: ByText
) -> MemberQuerySet[MeasureEvaluation]:
    return MeasureEvaluation.objects.filter(
        any_of(by_text), judgment_list=judgment_list, version=version, run__in=run_ids
    )


def _are_outdated(
    judgment_list: JudgmentList, version: Version | None, run_ids: Sequence[int], by_text: ByText
) -> bool:
    fingerprint = read_fingerprint(judgment_list.pk, version)
    current = _evaluations(judgment_list, version, run_ids, by_text).filter(revision=fingerprint)
    return current.count() < len(run_ids) * len(by_text)


def _maker(by_text: ByText) -> MakeRows[MeasureEvaluation]:
    def make_rows(
        by_run: Sequence[Sequence[MeasureEvaluation]], batch: Batch, runs: JudgedRun
    ) -> Iterator[Row]:
        queries = batch.index.queries
        texts = {(one.measure, one.digits) for group in by_run for one in group}
        values = {text: _values(by_text[text], text[1], runs) for text in texts}
        for place, group in enumerate(by_run):
            of_run = slice(place * len(queries), (place + 1) * len(queries))
            for one in group:
                for query, value in zip(queries, values[one.measure, one.digits][of_run], strict=True):
                    yield one.query_set_id, one.pk, query, batch.revisions[query], value

    return make_rows


def _values(measure: Measure, digits: int, run: JudgedRun) -> list[float | None]:
    try:
        values = measure.values(run)
    except MetricsError as error:
        raise MetricsError(f"{measure} has no value here. {error}") from error
    values = values if digits == NOT_ROUNDED else round_half_up(values, digits)
    return [None if np.isnan(value) else value for value in values.tolist()]
