"""Brings stored scores up to date with the judgments they were made from."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TypeAlias

from django.db import transaction

from evaluation.ingest import scores as stored
from evaluation.ingest.hits import Key, refresh_hits
from evaluation.ingest.judged_runs import GradeIndex
from evaluation.ingest.scores import Changed, QueryHits, ScoreRow
from evaluation.metrics.formula import IDEALS, Formula
from evaluation.metrics.ladder import ladder
from evaluation.models import Evaluation, Run
from evaluation.models.score import EvaluationQuerySet
from evaluation.reports.scales import scale_info
from judgments.models import JudgmentList

Work: TypeAlias = tuple[Evaluation, Sequence[Changed]]


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
    value, changes = stored.read_changes(query_set_id, judgment_list.pk, [one.pk for one in evaluations])
    outdated = [one for one in evaluations if one.revision != value]
    if not outdated:
        return
    # Evaluations that were made at the same time have the same queries to do again.
    changed = {made_at: list(group) for made_at, group in groupby(sorted(changes), attrgetter("evaluated"))}
    work = [(one, changed[one.revision]) for one in outdated if one.revision in changed]
    if work:
        rows = _score(judgment_list, work, formula)
        stored.delete_scores(
            query_set_id, _pairs((one, queries) for one, queries in work if one.revision >= 0)
        )
        stored.copy_scores(rows)
    stored.store_summaries(query_set_id, [one.pk for one in outdated], value)


def _pairs(work: Iterable[Work]) -> list[tuple[int, int]]:
    return [(one.pk, change.query_id) for one, changes in work for change in changes]


def _score(judgment_list: JudgmentList, work: Sequence[Work], formula: Formula) -> list[ScoreRow]:
    """The scores of each evaluation's changed queries, without those that have lost their last grade."""
    keys = [Key(change.query_id, one.run_id) for one, changes in work for change in changes]
    refresh_hits(judgment_list.query_set_id, keys)
    grades = _Grades(judgment_list, {key.query_id for key in keys})
    of_run = {one.run_id: (one, changes) for one, changes in work}
    rows: list[ScoreRow] = []
    for run_id, hits in groupby(stored.read_hits(judgment_list.query_set_id, keys), attrgetter("run_id")):
        rows.extend(_rows(*of_run.pop(run_id), grades, list(hits), formula))
    for one, changes in of_run.values():  # these runs have no ranking for any of the queries
        rows.extend(_rows(one, changes, grades, [], formula))
    return rows


class _Grades:
    """The grades of all queries that are scored, indexed once for every set of queries that is scored together."""

    def __init__(self, judgment_list: JudgmentList, query_ids: Iterable[int]) -> None:
        self._grades = {found.query_id: found for found in stored.read_grades(judgment_list.pk, query_ids)}
        self._scale = scale_info(judgment_list.scale)
        self._indices: dict[int, GradeIndex] = {}

    def index(self, changes: Sequence[Changed]) -> GradeIndex:
        made_at = changes[0].evaluated
        if made_at not in self._indices:
            judged = (self._grades[change.query_id] for change in changes if change.query_id in self._grades)
            self._indices[made_at] = GradeIndex(judged, self._scale)
        return self._indices[made_at]


def _rows(
    evaluation: Evaluation,
    changes: Sequence[Changed],
    grades: _Grades,
    hits: Sequence[QueryHits],
    formula: Formula,
) -> Iterator[ScoreRow]:
    index = grades.index(changes)
    run = index.join(hits)
    scored = ladder(run, formula)
    revisions = {change.query_id: change.revision for change in changes}
    retrieved = [
        size if answered else None
        for size, answered in zip(run.retrieved.tolist(), run.answered.tolist(), strict=True)
    ]
    columns = (scored.shown, scored.judged, scored.dcg, *(scored.ideal(name) for name in IDEALS))
    values = zip(*(column.tolist() for column in columns), strict=True)
    for query_id, size, row in zip(index.queries, retrieved, values, strict=True):
        yield ScoreRow(evaluation.query_set_id, evaluation.pk, query_id, revisions[query_id], size, *row)
