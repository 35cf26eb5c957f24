"""Brings the stored values of further measures up to date, as `scores` does for the four NDCGs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from django.db import transaction

from evaluation.models import MeasureEvaluation
from evaluation.scores.actions.pruning import any_of, forget_measures
from evaluation.scores.actions.rescoring import Batch, MakeRows, Row, insert_missing, rescore, store_by_copy
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.sql.scores import MEASURE_SCORES, read_fingerprint
from evaluation.scores.sql.summaries import NOT_ROUNDED, store_measure_summaries, stored_digits
from judgments.models.access import MemberQuerySet
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.averages import round_half_up
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.measure import Measure

# Measures by their canonical text and the decimals that values are rounded to.
ByText: TypeAlias = Mapping[tuple[str, int], Measure]


def bring_measures_up_to_date(scoring: ScoringRequest) -> None:
    """Updates the values of the measures to the current grades, as `bring_up_to_date` does for the NDCGs.

    The number of statements grows neither with the measures nor with the runs or queries. Without measures, none.

    Raises MetricsError for a measure that the list's scale or grades don't allow.
    """
    if not measures_are_up_to_date(scoring):
        score_outdated_measures(scoring)


def score_outdated_measures(scoring: ScoringRequest, most: int | None = None) -> None:
    """`bring_measures_up_to_date` without its first look. Raises TooManyScoresError where more than `most` values would have to be made."""
    by_text, query_set_id = _by_text(scoring), scoring.judgment_list.query_set_id
    with transaction.atomic():
        rows = _evaluations(scoring)
        keys = [(run_id, *measure) for run_id in scoring.run_ids for measure in sorted(by_text)]
        new = insert_missing(rows, scoring, ("run_id", "measure", "digits"), keys)
        evaluations = list(rows.select_for_update(no_key=True).order_by("pk"))
        found = rescore(scoring, evaluations, MEASURE_SCORES, _maker(by_text), most)
        if stale := [one.pk for one in found.stale]:
            store_by_copy(MEASURE_SCORES, query_set_id, found, found.stale, found.rows)
            store_measure_summaries(query_set_id, stale, found.state.fingerprint, scoring.version)
    if new:
        forget_measures(judgment_list=scoring.judgment_list)


def measures_are_up_to_date(scoring: ScoringRequest) -> bool:
    """Whether `bring_measures_up_to_date` would find nothing to do. Two statements; without measures, none."""
    if not scoring.measures:
        return True
    fingerprint = read_fingerprint(scoring.judgment_list.pk, scoring.version)
    return _is_complete(_evaluations(scoring).filter(revision=fingerprint), scoring)


def measures_are_scored(scoring: ScoringRequest) -> bool:
    """Whether each run has values of each measure, current or not. One statement; without measures, none."""
    return not scoring.measures or _is_complete(_evaluations(scoring), scoring)


def _by_text(scoring: ScoringRequest) -> ByText:
    return {(str(one.measure), stored_digits(one.digits)): one.measure for one in scoring.measures}


def _evaluations(scoring: ScoringRequest) -> MemberQuerySet[MeasureEvaluation]:
    return MeasureEvaluation.objects.filter(
        any_of(_by_text(scoring)),
        judgment_list=scoring.judgment_list,
        version=scoring.version,
        run__in=scoring.run_ids,
    )


def _is_complete(evaluations: MemberQuerySet[MeasureEvaluation], scoring: ScoringRequest) -> bool:
    """Whether there is one of each run and measure."""
    return evaluations.count() == len(scoring.run_ids) * len(_by_text(scoring))


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
