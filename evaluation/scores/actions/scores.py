"""Brings stored scores up to date with the grades, and keeps totals in step."""

from collections.abc import Iterator, Sequence

import numpy as np
from django.db import transaction

from evaluation.models import Evaluation
from evaluation.scores.actions.pruning import forget_formulas
from evaluation.scores.actions.rescoring import (
    Batch,
    MakeRows,
    NewScores,
    Row,
    insert_missing,
    rescore,
    store_by_copy,
)
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.sql.scores import SCORES
from evaluation.scores.sql.storing import Key, replace_few, sum_anew
from evaluation.scores.sql.summaries import store_further_averages
from evaluation.scores.sql.up_to_date import (
    Freshness,
    LockedEvaluation,
    lock,
    outdate_uncovered,
    read_freshness,
)
from judgments.models.access import MemberQuerySet
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.coverage import covered_share
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import LOSSES, Ladder, ladder
from touchstone_core.metrics.types import Floats, Ints, Mask


def bring_up_to_date(scoring: ScoringRequest) -> None:
    """Updates the evaluations of the runs under the formula to the current grades.

    With a version of the list, to its frozen grades. Those never change, so neither do their scores.

    One statement where nothing has changed, otherwise a number that doesn't grow with runs, queries or documents. Only what
    changed is scored again. The evaluations are locked meanwhile: of two page views, one computes and the other waits.
    Under READ COMMITTED each statement sees a newer database than the one before. Hence the order: first the revisions,
    then hits and grades. A score may use a grade newer than its revision, and is then computed again at the next view. It
    can never use an older one.

    Raises MetricsError for a formula that the list's scale doesn't allow.
    """
    freshness = freshness_of(scoring)
    if freshness.outdated:
        score_outdated(scoring, freshness)


def score_outdated(scoring: ScoringRequest, freshness: Freshness, most: int | None = None) -> None:
    """`bring_up_to_date` after its first look. Raises TooManyScoresError where more than `most` scores would have to be made."""
    formula, query_set_id = scoring.formula, scoring.judgment_list.query_set_id
    those = scoring.judgment_list.pk, scoring.version, formula.key, scoring.run_ids
    with transaction.atomic():
        if freshness.missing:
            keys = [(run_id, formula.key) for run_id in scoring.run_ids]
            insert_missing(_evaluations(scoring), scoring, ("run_id", "formula"), keys)
        evaluations = lock(*those)
        if short := [one.pk for one in evaluations if one.is_short]:
            outdate_uncovered(query_set_id, short)
        if short or any(one.has_waited for one in evaluations):
            evaluations = lock(*those)
        found = rescore(scoring, evaluations, SCORES, _maker(formula), most)
        _store(query_set_id, found, formula.cutoff)
        if scoring.every_average:
            stale, current = {one.pk for one in found.stale}, found.state.fingerprint
            further = [one.pk for one in evaluations if one.pk in stale or one.further_revision != current]
            store_further_averages(query_set_id, further, scoring.version)
    if freshness.missing:
        forget_formulas(judgment_list=scoring.judgment_list)


def _store(query_set_id: int, found: NewScores[LockedEvaluation], cutoff: int) -> None:
    """Adjusts totals where few queries have changed, and sums the others anew.

    Under READ COMMITTED a query may be deleted at any time, with its scores. If it went before the state was read, the totals
    aren't adjusted. If it goes later, they hold a number of queries that the next visit finds no more.
    """
    few = [one for one in found.stale if _has_few_changes(one, found)]
    if few:
        keys = [Key(one.pk, one.run_id, query) for one in few for query in found.changes(one) or (None,)]
        replace_few(query_set_id, keys, found.rows, found.state.fingerprint, cutoff)
    adjusted = {one.pk for one in few}
    if anew := [one for one in found.stale if one.pk not in adjusted]:
        rows = (row for row in found.rows if row[1] not in adjusted)
        store_by_copy(SCORES, query_set_id, found, anew, rows)
        sum_anew(query_set_id, [one.pk for one in anew], found.state.fingerprint, cutoff)


def _has_few_changes(one: LockedEvaluation, found: NewScores[LockedEvaluation]) -> bool:
    return one.has_totals(found.state.queries) and 2 * len(found.changes(one)) <= one.judged_queries


def is_up_to_date(scoring: ScoringRequest) -> bool:
    """Whether `bring_up_to_date` would have nothing to do. One statement."""
    return not freshness_of(scoring).outdated


def freshness_of(scoring: ScoringRequest) -> Freshness:
    """What `bring_up_to_date` would have to do. One statement."""
    those = scoring.judgment_list.pk, scoring.version, scoring.formula.key, scoring.run_ids
    return read_freshness(*those, every_average=scoring.every_average)


def is_scored(scoring: ScoringRequest) -> bool:
    """Whether each run has scores, current or not. One statement."""
    return _evaluations(scoring).count() == len(scoring.run_ids)


def _evaluations(scoring: ScoringRequest) -> MemberQuerySet[Evaluation]:
    return Evaluation.objects.filter(
        judgment_list=scoring.judgment_list,
        version=scoring.version,
        formula=scoring.formula.key,
        run__in=scoring.run_ids,
    )


def _maker(formula: Formula) -> MakeRows[LockedEvaluation]:
    def make_rows(
        by_run: Sequence[Sequence[LockedEvaluation]], batch: Batch, runs: JudgedRun
    ) -> Iterator[Row]:
        values = zip(*_columns(runs, ladder(runs, formula)), strict=True)
        queries = batch.index.queries
        for (one,) in by_run:  # there is one of each run and formula
            for query, row in zip(queries, values, strict=False):  # the next run goes on with the rest
                yield one.query_set_id, one.pk, query, batch.revisions[query], *row

    return make_rows


def _columns(run: JudgedRun, steps: Ladder) -> Iterator[list[int | float | None]]:
    """The values of each query, in the order of SCORES."""
    yield nullable(run.retrieved, run.answered)
    for column in (steps.shown, steps.judged, *map(steps.ideal, IDEALS)):
        yield column.tolist()
    yield nullable(steps.dcg, steps.counted)
    for ideal in IDEALS:
        values = steps.ndcg(ideal)
        yield nullable(values, ~np.isnan(values))
    for value in (*map(steps.loss, LOSSES), steps.judged_at_k):
        yield nullable(value, steps.counted)
    yield covered_share(run, steps.formula.discounts(), steps.formula.cutoff).tolist()


def nullable(values: Floats | Ints, present: Mask) -> list[int | float | None]:
    """The values, with None where they aren't `present`."""
    return [value if there else None for value, there in zip(values.tolist(), present.tolist(), strict=True)]
