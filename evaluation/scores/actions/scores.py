"""Brings stored scores up to date with the judgments they were made from."""

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from django.db import transaction

from evaluation.models import Evaluation, Run
from evaluation.models.score import EvaluationQuerySet
from evaluation.scores.actions.pruning import forget_formulas
from evaluation.scores.actions.rescoring import Batch, MakeRows, Row, rescore
from evaluation.scores.sql.scores import SCORES, count_up_to_date
from evaluation.scores.sql.summaries import store_summaries
from judgments.models import JudgmentList, Version
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import LOSSES, Ladder, ladder
from touchstone_core.metrics.types import Floats, Ints, Mask


def bring_up_to_date(
    *,
    judgment_list: JudgmentList,
    runs: Iterable[Run],
    formula: Formula,
    version: Version | None = None,
) -> None:
    """Makes the evaluations of these runs, all of the list's query set, right for the grades as they are now.

    With a `version` of the list, for the grades as they were frozen: what is stored of it is right for ever.

    One statement where nothing has changed; else a number that does not grow with runs, queries or documents, and
    only what changed is scored again. The evaluations are locked meanwhile, so that of two page views one computes
    and the other one waits for it. Under READ COMMITTED every statement sees a newer database than the one
    before, hence the order: first the revisions, then hits and grades. A score can rest on a grade that is newer than
    its revision, and is then made once more at the next view; it can never rest on an older one.

    Raises MetricsError for a formula that the list's scale does not allow.
    """
    run_ids = sorted({run.pk for run in runs})
    if not _outdated(judgment_list, version, run_ids, formula):
        return
    with transaction.atomic():
        new = _insert_missing(judgment_list, version, run_ids, formula)
        evaluations = list(
            _evaluations(judgment_list, version, run_ids, formula)
            .select_for_update(no_key=True)
            .order_by("pk")
        )
        rescored = rescore(judgment_list, evaluations, SCORES, _maker(formula), version)
        store_summaries(judgment_list.query_set_id, *rescored, formula, version)
    if new:
        forget_formulas(judgment_list=judgment_list)


def is_up_to_date(
    *, judgment_list: JudgmentList, runs: Iterable[Run], formula: Formula, version: Version | None = None
) -> bool:
    """Whether `bring_up_to_date` would find nothing to do. One statement."""
    return not _outdated(judgment_list, version, sorted({run.pk for run in runs}), formula)


def is_scored(
    *, judgment_list: JudgmentList, runs: Iterable[Run], formula: Formula, version: Version | None = None
) -> bool:
    """Whether each run has been scored, at whatever state of the grades. One statement."""
    run_ids = {run.pk for run in runs}
    return _evaluations(judgment_list, version, run_ids, formula).count() == len(run_ids)


def _evaluations(
    judgment_list: JudgmentList, version: Version | None, run_ids: Collection[int], formula: Formula
) -> EvaluationQuerySet:
    found = Evaluation.objects.filter(judgment_list=judgment_list, version=version)
    return found.filter(formula=formula.key, run__in=run_ids)


def _outdated(
    judgment_list: JudgmentList, version: Version | None, run_ids: Collection[int], formula: Formula
) -> bool:
    return count_up_to_date(judgment_list.pk, version, formula.key, run_ids) < len(run_ids)


def _insert_missing(
    judgment_list: JudgmentList, version: Version | None, run_ids: Collection[int], formula: Formula
) -> bool:
    """Whether there were some.

    In the order of the runs, so that two views that insert the same rows cannot wait for each other in a circle.
    """
    there = set(_evaluations(judgment_list, version, run_ids, formula).values_list("run_id", flat=True))
    missing = [
        Evaluation(
            query_set_id=judgment_list.query_set_id,
            run_id=run_id,
            judgment_list=judgment_list,
            version=version,
            formula=formula.key,
        )
        for run_id in run_ids
        if run_id not in there
    ]
    Evaluation.objects.bulk_create(missing, ignore_conflicts=True)
    return bool(missing)


def _maker(formula: Formula) -> MakeRows[Evaluation]:
    def make_rows(evaluations: Sequence[Evaluation], batch: Batch, run: JudgedRun) -> Iterator[Row]:
        scored = ladder(run, formula)
        values = list(zip(*_columns(run, scored), strict=True))
        for one in evaluations:  # there is one of each run and formula
            for query, row in zip(batch.index.queries, values, strict=True):
                yield one.query_set_id, one.pk, query, batch.changed[query], *row

    return make_rows


def _columns(run: JudgedRun, scored: Ladder) -> Iterator[list[int | float | None]]:
    """The values of each query, in the order of SCORES."""
    yield nullable(run.retrieved, run.answered)
    for always in (scored.shown, scored.judged, *map(scored.ideal, IDEALS)):
        yield always.tolist()
    yield nullable(scored.dcg, scored.counted)
    for ideal in IDEALS:
        values = scored.ndcg(ideal)
        yield nullable(values, ~np.isnan(values))
    for value in (*map(scored.loss, LOSSES), scored.judged_at_k):
        yield nullable(value, scored.counted)


def nullable(values: Floats | Ints, known: Mask) -> list[int | float | None]:
    """The values, with None where nothing is `known`."""
    found: list[int | float | None] = values.tolist()
    if known.all():
        return found
    return [value if there else None for value, there in zip(found, known.tolist(), strict=True)]
