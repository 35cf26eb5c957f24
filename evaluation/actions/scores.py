"""Brings stored scores up to date with the judgments they were made from."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from django.db import transaction

from evaluation.ingest import scores as stored
from evaluation.ingest.hits import Key, refresh_hits
from evaluation.ingest.judged_runs import GradeIndex
from evaluation.ingest.scores import QueryGrades, QueryHits, ScoreRow
from evaluation.metrics.formula import IDEALS, Formula
from evaluation.metrics.ladder import ladder
from evaluation.metrics.scale import ScaleInfo
from evaluation.models import Evaluation, Run
from evaluation.models.score import EvaluationQuerySet
from evaluation.reports.scales import scale_info
from judgments.models import JudgmentList


def bring_up_to_date(*, judgment_list: JudgmentList, runs: Iterable[Run], formula: Formula) -> None:
    """Makes the evaluations of these runs, all of the list's query set, right for the grades as they are now.

    Two statements where nothing has changed; else a number that does not grow with runs, queries or documents, and
    only what changed is scored again. The evaluations are locked meanwhile, so that of two page views one computes
    and the other one waits for it. Under READ COMMITTED every statement sees a newer database than the one
    before, hence the order: first the revisions, then hits and grades. A score can rest on a grade that is newer than
    its revision, and is then made once more at the next view; it can never rest on an older one.

    Raises MetricsError for a formula that the list's scale does not allow.
    """
    run_ids = sorted({run.pk for run in runs})
    if not _outdated(judgment_list, run_ids, formula):
        return
    with transaction.atomic():
        _insert_missing(judgment_list, run_ids, formula)
        evaluations = list(
            _evaluations(judgment_list, run_ids, formula).select_for_update(no_key=True).order_by("pk")
        )
        _rescore(judgment_list, evaluations, formula)


def _evaluations(
    judgment_list: JudgmentList, run_ids: Collection[int], formula: Formula
) -> EvaluationQuerySet:
    return Evaluation.objects.filter(judgment_list=judgment_list, formula=formula.key, run__in=run_ids)


def _outdated(judgment_list: JudgmentList, run_ids: Collection[int], formula: Formula) -> bool:
    value = stored.read_fingerprint(judgment_list.pk)
    right = _evaluations(judgment_list, run_ids, formula).filter(revision=value).count()
    return bool(right < len(run_ids))


def _insert_missing(judgment_list: JudgmentList, run_ids: Collection[int], formula: Formula) -> None:
    """In the order of the runs, so that two views that insert the same rows cannot wait for each other in a circle."""
    there = set(_evaluations(judgment_list, run_ids, formula).values_list("run_id", flat=True))
    missing = [
        Evaluation(
            query_set_id=judgment_list.query_set_id,
            run_id=run_id,
            judgment_list=judgment_list,
            formula=formula.key,
        )
        for run_id in run_ids
        if run_id not in there
    ]
    Evaluation.objects.bulk_create(missing, ignore_conflicts=True)


def _rescore(judgment_list: JudgmentList, evaluations: Sequence[Evaluation], formula: Formula) -> None:
    query_set_id = judgment_list.query_set_id
    state = stored.read_state(query_set_id, judgment_list.pk, [one.pk for one in evaluations])
    outdated = [one for one in evaluations if one.revision != state.fingerprint]
    if not outdated:
        return
    # Evaluations that were made at the same time have the same queries to do again.
    changed = {made_at: state.changed(made_at) for made_at in {one.revision for one in outdated}}
    grades = stored.read_grades(judgment_list.pk, set().union(*changed.values()))
    scale = scale_info(judgment_list.scale)
    batches = {made_at: _Batch(queries, grades, scale) for made_at, queries in changed.items()}
    work = [(one, batches[one.revision]) for one in outdated]
    rows = _score(query_set_id, work, formula)
    stored.delete_scores(
        query_set_id,
        [(one.pk, query) for one, batch in work if one.revision >= 0 for query in batch.changed],
    )
    stored.copy_scores(rows)
    stored.store_summaries(query_set_id, [one.pk for one in outdated], state.fingerprint)


class _Batch:
    """The queries to score again in some evaluations, with their grades ready to be joined to one run after another.

    `changed` has the revision of every changed query; those without a grade get no score.
    """

    def __init__(self, changed: dict[int, int], grades: Mapping[int, QueryGrades], scale: ScaleInfo) -> None:
        self.changed = changed
        judged = [grades[query] for query in changed if query in grades]
        self.index = GradeIndex(judged, scale)


def _score(query_set_id: int, work: Sequence[tuple[Evaluation, _Batch]], formula: Formula) -> list[ScoreRow]:
    keys = [Key(query, one.run_id) for one, batch in work for query in batch.index.queries]
    refresh_hits(query_set_id, keys)
    of_run = {one.run_id: (one, batch) for one, batch in work}
    rows: list[ScoreRow] = []
    for run_id, hits in groupby(stored.read_hits(query_set_id, keys), attrgetter("run_id")):
        rows.extend(_rows(*of_run.pop(run_id), list(hits), formula))
    for one, batch in of_run.values():  # these runs have no ranking for any of the queries
        rows.extend(_rows(one, batch, [], formula))
    return rows


def _rows(
    evaluation: Evaluation, batch: _Batch, hits: Sequence[QueryHits], formula: Formula
) -> Iterator[ScoreRow]:
    run = batch.index.join(hits)
    scored = ladder(run, formula)
    retrieved = [
        size if answered else None
        for size, answered in zip(run.retrieved.tolist(), run.answered.tolist(), strict=True)
    ]
    columns = (scored.shown, scored.judged, scored.dcg, *(scored.ideal(name) for name in IDEALS))
    values = zip(*(column.tolist() for column in columns), strict=True)
    for query, size, row in zip(batch.index.queries, retrieved, values, strict=True):
        yield ScoreRow(evaluation.query_set_id, evaluation.pk, query, batch.changed[query], size, *row)
